# SPDX-License-Identifier: Apache-2.0
"""Compare profiles of random policies with the rules of a policy, path by path.

Usage: pairs.py SANDLOCK DIR [SEED]

Allows add up, and a denial wins over every allow. The reference below says so
in a few lines, with a matcher of patterns of its own; the profile says it in
rules and regular expressions.
"""
import os
import random
import subprocess
import sys

import sbpl

POLICIES = 250
PATHS = 60
HOME = "/Users/alice"
NAMES = ["a", "b", "ab", "B", "a.env", ".env", "A.ENV", "x y", "-", "a*b",
         "q\"q", "p(p", "s;s", "b\\c", "[x]", "é", "o'o", "#", "{1}", "a|b", "$1",
         "^e", "a+b"]
TOPS = ["/a", "/tmp", "/private/tmp", "/var/db", "/etc", "/private/etc/x",
        HOME, HOME + "/p", "/opt/a", "/a/b"]
WILD = ["*", "?", "a*", "*.env", "[ab]", "[!a]", "[a-c]*", "?b", "**", "*b*",
        "[]x]", "[^b]*", "[[]x[]]", "[.q]*"]
PRESETS = {
    "@home": [HOME],
    "@tmp": ["/private/tmp", "/private/var/folders"],
    "@system": ["/usr", "/bin", "/sbin", "/System", "/Library", "/private/etc",
                "/dev"],
}
SPECIAL = "*?[\\"


def quote(name):
    return "".join("\\" + c if c in SPECIAL else c for c in name)


# ---- the reference ----

def swap(char):
    """The same letter in the other case; only ASCII has cases here."""
    return char.swapcase() if char.isascii() else char


def match_set(pattern, i, char, fold):
    """Return (matches, index after the set), or None if it is not a set."""
    j = i + 1
    negated = pattern[j:j + 1] in ("!", "^")
    j += negated
    first, found = j, False
    while j < len(pattern) and (pattern[j] != "]" or j == first):
        if pattern[j] == "\\" and j + 1 < len(pattern):
            j += 1
        low = high = pattern[j]
        j += 1
        if pattern[j:j + 1] == "-" and pattern[j + 1:j + 2] not in ("]", ""):
            j += 1
            if pattern[j] == "\\" and j + 1 < len(pattern):
                j += 1
            high = pattern[j]
            j += 1
        chars = (char, swap(char)) if fold and not negated else (char,)
        found = found or any(low <= c <= high for c in chars)
    if j >= len(pattern):
        return None
    return found != negated, j + 1


def match_part(pattern, name, fold):
    """Match one component, as bytes in a str of latin-1."""
    if not pattern:
        return not name
    c = pattern[0]
    if c == "*":
        return any(match_part(pattern[1:], name[i:], fold)
                   for i in range(len(name) + 1))
    if not name:
        return False
    if c == "?":
        return match_part(pattern[1:], name[1:], fold)
    if c == "[":
        found = match_set(pattern, 0, name[0], fold)
        if found:
            return found[0] and match_part(pattern[found[1]:], name[1:],
                                           fold)
    if c == "\\" and len(pattern) > 1:
        pattern, c = pattern[1:], pattern[1]
    same = c == name[0] or (fold and c == swap(name[0]))
    return same and match_part(pattern[1:], name[1:], fold)


def match_parts(parts, names, fold):
    """True if the pattern matches the path or a directory above it."""
    if not parts:
        return True
    if parts[0] == "**":
        if len(parts) == 1:
            return len(names) > 0
        return any(match_parts(parts[1:], names[i:], fold)
                   for i in range(len(names) + 1))
    return (len(names) > 0 and match_part(parts[0], names[0], fold)
            and match_parts(parts[1:], names[1:], fold))


def split(path):
    return [p for p in path.encode().decode("latin-1").split("/") if p]


def covers(item, path, fold):
    return match_parts(split(sbpl.canonical(item)),
                       split(sbpl.canonical(path)), fold)


def is_wild(item):
    item = item.replace("\\\\", "").replace("\\*", "").replace(
        "\\?", "").replace("\\[", "")
    return any(c in item for c in "*?[")


def items_of(policy, key, project):
    for item in policy.get(key, []):
        if item in PRESETS:
            yield from PRESETS[item]
        elif item[0] == "-":
            yield item[1:]
        elif item[0] == "/":
            yield item
        else:
            yield "%s/**/%s" % (quote(project), item)


def allows(policy, project, right, path):
    """The rules of the policy: allows add up, and denials win."""
    def listed(*keys):
        return [i for key in keys for i in items_of(policy, key, project)]

    written = listed("write", "write_only")
    if right == "read":
        yes = listed("read", "write", "execute")
    elif right == "write":
        yes = written
    else:
        yes = listed("execute") if "execute" in policy else listed(
            "read", "write")
    # Where it may write, names that differ only in case are the same.
    folds = (any(is_wild(i) for i in written)
             or any(covers(i, path, False) for i in written))
    if any(covers(i, path, is_wild(i) or folds)
           for i in listed("deny", "deny_" + right)):
        return False
    return any(covers(i, path, False) for i in yes)


# ---- random policies and paths ----

def random_item(rng, denial):
    roll = rng.random()
    if roll < 0.1:
        return rng.choice(sorted(PRESETS))
    if denial and roll < 0.25:
        return rng.choice(["*.env", "?b", "[ab]", "a*"])
    parts = [rng.choice(TOPS)]
    for _ in range(rng.randrange(3)):
        parts.append(rng.choice(WILD) if rng.random() < 0.4
                     else quote(rng.choice(NAMES)))
    item = "/".join(parts)
    return "-" + item if roll > 0.9 else item


def random_policy(rng):
    policy = {"read": ["/usr"]}
    for key in ("read", "write", "write_only", "execute", "deny", "deny_read",
                "deny_write", "deny_execute"):
        if rng.random() < (0.6 if key != "execute" else 0.2):
            policy[key] = [random_item(rng, key.startswith("deny"))
                           for _ in range(rng.randrange(1, 4))]
    return policy


def random_path(rng, policy):
    """A path near what the policy names, or anywhere."""
    items = [i for key in policy for i in policy[key] if "/" in i]
    path = rng.choice(TOPS)
    if items and rng.random() < 0.6:
        parts = rng.choice(items).lstrip("-").split("/")[1:]
        path = "".join("/" + (rng.choice(NAMES) if is_wild(p)
                              else p.replace("\\", "")) for p in parts)
    for _ in range(rng.randrange(3)):
        path += "/" + rng.choice(NAMES)
    return path


def to_toml(policy):
    def string(text):
        return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')

    return "[filesystem]\n" + "".join(
        "%s = [%s]\n" % (key, ", ".join(map(string, policy[key])))
        for key in policy)


OPERATIONS = {"read": "file-read-data", "write": "file-write-data",
              "execute": "process-exec"}
BASE = ("/usr/lib", "/System/Library", "/System/Cryptexes", "/dev",
        "/private/var/db")


def is_base(path):
    """True for what every process may read, whatever the policy says."""
    path = sbpl.canonical(path)
    return any(path == b or path.startswith(b + "/") for b in BASE)


def main():
    sandlock, project = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 19
    rng = random.Random(seed)
    pairs = refused = 0
    for number in range(POLICIES):
        policy = random_policy(rng)
        name = os.path.join(project, "policy")
        with open(name, "w", encoding="utf-8") as f:
            f.write(to_toml(policy))
        done = subprocess.run(
            [sandlock, "seatbelt", "--project", project, "-p", name],
            capture_output=True, check=False,
            env={"HOME": HOME, "PATH": os.environ["PATH"]})
        if done.returncode:
            if b"for Seatbelt" not in done.stderr:
                sys.exit("policy %d: %s" % (number, done.stderr))
            refused += 1
            continue
        profile = sbpl.Profile(done.stdout.decode())
        for _ in range(PATHS):
            path = random_path(rng, policy)
            if is_base(path) or path.startswith(name):
                continue
            for right in OPERATIONS:
                pairs += 1
                mac = profile.allows(OPERATIONS[right], path=path)
                if mac != allows(policy, project, right, path):
                    sys.exit("policy %d (seed %d): %s %s: the profile %s it\n%s"
                             % (number, seed, right, path,
                                "allows" if mac else "denies",
                                to_toml(policy)))
    print("%d pairs agree, %d policies refused" % (pairs, refused))
    if pairs < 10000:
        sys.exit(1)


main()
