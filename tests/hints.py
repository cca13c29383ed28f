#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/hints.py - do what a denial suggests, and see whether the call succeeds.
"""
hints.py SANDLOCK ATTEMPT FIRST COUNT [WORD...]

Make pairs of a policy and a program, by their numbers from FIRST on. Each
program makes one system call that succeeds without a sandbox, and that the
policy denies. For each pair:
    without the hint    the call fails, and --why prints a line with a hint
    with the hint       the call succeeds
ATTEMPT is tests/attempt.c; WORD... are options of sandlock. The current
directory is empty, and becomes a project.
"""
import os
import random
import re
import shlex
import shutil
import socket
import subprocess
import sys

HINT = re.compile(r"^denied: (.*?) \((.*)\); (to allow it: .*|[^;]*)$")
NAMES = ["plain", "two words", "a,b", "star*", "[x]", "$HOME", "-dash",
         "back\\slash", "quote'd", "ünï", "@at", "~tilde", ".hidden"]
SOCKETS = []


def make_tree(names):
    """A project with three directories; each has the same files."""
    for path in ["src", "data", "out", "pyproject.toml", "box.toml", "uv.toml"]:
        shutil.rmtree(path, ignore_errors=True)
        if os.path.lexists(path) and not os.path.isdir(path):
            os.unlink(path)
    for top in ["src", "data", "out"]:
        for name in names:
            sub = os.path.join(top, name)
            os.makedirs(os.path.join(sub, "empty"))
            with open(os.path.join(sub, "file"), "w") as file:
                file.write("text\n")
            os.symlink("file", os.path.join(sub, "link"))
            shutil.copy(ATTEMPT, os.path.join(sub, "tool"))
        os.symlink("plain", os.path.join(top, "way"))
    for name in ["secret", "top"]:
        with open(name, "w") as file:
            file.write("text\n")


def listen(path):
    """A socket of the host, which a sandbox may be allowed to use."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    SOCKETS.append(server)


# ---- pairs ----

def file_call(rng, where):
    """A call, and the path that it needs."""
    sub = os.path.join(where, rng.choice(NAMES))
    file = os.path.join(sub, rng.choice(["file", "link"]))
    if rng.random() < 0.1:
        file = os.path.join(where, "way", "link")
    calls = [
        ["read", file], ["write", file], ["both", file], ["truncate", file],
        ["create", os.path.join(sub, "new")], ["create", file],
        ["mkdir", os.path.join(sub, "new")],
        ["rmdir", os.path.join(sub, "empty")],
        ["unlink", os.path.join(sub, "file")],
        ["rename", os.path.join(sub, "file"), os.path.join(sub, "new")],
        ["symlink", os.path.join(sub, "new")], ["chmod", file],
        ["chdir", sub], ["list", sub],
        ["execute", os.path.join(sub, "tool"), "listen"],
        ["create", "new"], ["read", "secret"], ["write", "top"],
    ]
    return [word if i in (0,) or word == "listen" else os.path.abspath(word)
            for i, word in enumerate(rng.choice(calls))]


READS = ["read", "chdir", "list", "execute"]


def is_read(call):
    return call[0] in READS


def quoted(path):
    """As a pattern; a variable would be an error."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", path).replace("$", "?")


def file_pair(rng):
    """A policy that denies a call on files of the project."""
    call = file_call(rng, rng.choice(["src", "data", "out"]))
    here = os.path.dirname(call[1])
    kinds = ["unlisted"]
    if is_read(call):
        kinds += ["denied", "profile", "uv"]
        if call[0] == "execute":
            kinds = ["unlisted", "execute", "denied"]
    else:
        kinds += ["readable", "deny_write", "profile"]
    kind = rng.choice(kinds)
    flags = ["-r", BIN]
    if kind == "readable":
        flags += ["-r", "."]
    elif kind == "denied" and here != os.getcwd():
        flags += ["-r", ".", rng.choice(["--filesystem-deny", "--filesystem-deny-read"]
                                        if call[0] != "execute" else ["--filesystem-deny"]),
                  quoted(here)]
    elif kind == "deny_write" and here != os.getcwd():
        flags += ["-w", ".", "--filesystem-deny-write", quoted(here),
                  "--config-allow-degraded", "deny_replace"]
    elif kind == "execute":
        flags += ["-r", ".", "-x", BIN]
    elif kind == "profile":
        flags = ["-p", "./box.toml"]
    elif kind == "uv":
        flags = ["--policy", "./uv.toml"]
    return flags, call


def kernel_pair(rng):
    """A policy that denies a call that is not about files."""
    base = ["-r", BIN]
    loopback = base + ["--network-mode", "loopback"]
    port = str(rng.randrange(20000, 20900))
    return rng.choice([
        (base, ["socket", "2", "1"]),
        (base, ["socket", "10", "2"]),
        (loopback + ["--net-bind", "80", "--network-publish=false"], ["bind", "127.0.0.1", port]),
        (loopback + ["--net-bind", "20000-20900", "--network-deny-bind", port],
         ["bind", "127.0.0.1", port]),
        (base + ["--net-bind", "80", "--network-publish=false"], ["connect", "127.0.0.1", port]),
        (base + ["--net-bind", "80", "--network-publish=false"], ["bind", "127.0.0.1", port]),
        (base, ["unshare"]),
        (base, ["personality"]),
        (base, ["shmget"]),
        (base, ["keyctl"]),
        (base, ["ptrace"]),
        (base + ["--syscalls-extra-deny", "listen"], ["listen"]),
        (base + ["--syscalls-extra-deny", "ptrace"], ["ptrace"]),
        (base + ["-w", "."], ["suid", os.path.abspath("top")]),
        (base, ["unix", os.path.abspath("s/listening")]),
        (base + ["-r", "s"], ["unix", os.path.abspath("s/listening")]),
    ])


def write_policies():
    with open("box.toml", "w") as file:
        file.write('[filesystem]\nread = ["%s"]\nwrite = ["%s"]\n' %
                   (BIN, os.path.abspath("s")))
    with open("uv.toml", "w") as file:
        file.write('[sandbox]\nallow-read = ["%s"]\nallow-execute = ["%s"]\n' %
                   (BIN, BIN))


# ---- the hint ----

def add_to_file(text):
    """add "VALUE" to KEY in FILE"""
    value, key, name = re.fullmatch(r'add ("(?:[^"\\]|\\.)*") to (\S+) in (.*)',
                                    text).groups()
    key = key.split(".")[-1]
    with open(name) as file:
        content = file.read()
    assert re.search(r"^%s = \[" % key, content, re.M), (text, content)
    changed = re.sub(r"^%s = \[" % key, lambda m: m.group(0) + value + ", ",
                     content, flags=re.M)
    with open(name, "w") as file:
        file.write(changed)


def expand(word):
    home = os.environ.get("HOME", "")
    return home + word[1:] if word.startswith("~/") else word


def apply(flags, hint):
    """The flags as the hint says; a file is changed in place."""
    flags = list(flags)
    if hint.startswith("remove "):
        gone, _, rest = hint[len("remove "):].partition(", and add ")
        gone = [expand(word) for word in shlex.split(gone)]
        for i in range(len(flags) - 1):
            same = os.path.abspath(flags[i + 1]) == os.path.abspath(gone[1])
            if flags[i] == gone[0] and same:
                del flags[i:i + 2]
                break
        else:
            raise AssertionError("no such flag: %s" % gone)
        in_file = re.search(r" to \S+ in ", rest)
        hint = "add " + rest if in_file else rest
    if hint.startswith("add "):
        add_to_file(hint)
        return flags
    hint = re.sub(r" \(other hosts: .*\)$", "", hint)
    return flags + [expand(word) for word in shlex.split(hint)]


def run(flags, call, *options):
    return subprocess.run([SANDLOCK, *OPTIONS, "run", *options, *flags, "--",
                           os.path.join(BIN, "attempt"), *call],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)


def check(number):
    rng = random.Random(number)
    names = NAMES
    make_tree(names)
    write_policies()
    flags, call = (file_pair if rng.random() < 0.75 else kernel_pair)(rng)
    what = "pair %d: %s: %s" % (number, shlex.join(flags), shlex.join(call))
    plain = subprocess.run([os.path.join(BIN, "attempt"), *call],
                           capture_output=True, text=True)
    if plain.returncode != 0 and call[0] != "socket":
        return "%s: fails without a sandbox: %s" % (what, plain.stderr)
    make_tree(names)
    write_policies()
    told = run(flags, call, "--why")
    if told.returncode != 1:
        return "%s: not denied: %d %s" % (what, told.returncode, told.stderr)
    hints = []
    for line in told.stderr.splitlines():
        if not line.startswith("denied: "):
            continue
        match = HINT.match(line)
        if not match:
            return "%s: no hint: %s" % (what, line)
        if not match.group(3).startswith("to allow it: "):
            return "%s: no help: %s" % (what, line)
        hints.append(match.group(3)[len("to allow it: "):])
    if not hints:
        return "%s: nothing told: %s" % (what, told.stderr)
    for hint in dict.fromkeys(hints):
        flags = apply(flags, hint)
    last = run(flags, call)
    if last.returncode != 0:
        return "%s: told %s: still %d %s" % (what, hints, last.returncode,
                                             last.stderr)
    return None


def main(first, count):
    os.makedirs("s", exist_ok=True)
    listen("s/listening")
    bad = [text for text in map(check, range(first, first + count)) if text]
    print("\n".join(bad))
    print("%d pairs, %d bad" % (count, len(bad)))
    sys.exit(1 if bad else 0)


SANDLOCK, ATTEMPT = sys.argv[1:3]
OPTIONS = sys.argv[5:]
BIN = os.path.dirname(os.path.abspath(ATTEMPT))
main(int(sys.argv[3]), int(sys.argv[4]))
