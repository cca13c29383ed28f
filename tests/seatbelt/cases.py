# SPDX-License-Identifier: Apache-2.0
"""Compare the profile for macOS with the sandbox of Linux, case by case.

Usage: cases.py SANDLOCK DIR [--list]
  SANDLOCK  the program
  DIR       an empty directory

Each scene is a policy and what is tried under it. The evaluator judges the
profile that `sandlock seatbelt` prints, and `sandlock run` tries the same. Where
they differ, the case must say so: docs/macos.md has the reasons.
"""
import json
import os
import socket
import subprocess
import sys

import sbpl

HERE = os.path.dirname(os.path.abspath(__file__))
CLASSES = ("stat", "signal", "mach", "metadata")
MOST_DIFFERENT = 12
LEAST_CASES = 200
SYSTEM = ["/usr", "/lib", "/bin", "/etc"]

# The operations of Seatbelt that an action needs.
FILES = {
    "read": ["file-read-data"],
    "list": ["file-read-data"],
    "stat": ["file-read-metadata"],
    "write": ["file-write-data"],
    "create": ["file-write-create", "file-write-data"],
    "truncate": ["file-write-data"],
    "unlink": ["file-write-unlink"],
    "rmdir": ["file-write-unlink"],
    "mkdir": ["file-write-create"],
    "mkfifo": ["file-write-create"],
    "symlink": ["file-write-create"],
    "chmod": ["file-write-mode"],
    "setuid": ["file-write-mode", "file-write-setugid"],
    "utime": ["file-write-times"],
    "execute": ["process-exec", "file-read-data", "file-map-executable"],
}


def socket_verdict(profile, operation, side, path):
    return profile.allows(operation, side=side, kind="unix", path=path)


def on_macos(profile, case):
    """Return the verdict of the profile."""
    action, *words = case
    if action in FILES:
        return all(profile.allows(o, path=words[0]) for o in FILES[action])
    if action == "rename":
        return (profile.allows("file-write-unlink", path=words[0])
                and profile.allows("file-write-create", path=words[1]))
    if action in ("connect", "udp"):
        host = "localhost" if words[0].startswith("127.") else "*"
        return profile.allows("network-outbound", side="remote",
                              kind="tcp" if action == "connect" else "udp",
                              host=host, port=words[1])
    if action == "bind":
        host = "localhost" if words[0].startswith("127.") else "*"
        return profile.allows("network-bind", side="local", kind="tcp",
                              host=host, port=words[1])
    if action == "unix":
        return socket_verdict(profile, "network-outbound", "remote", words[0])
    if action == "unix-bind":
        return (socket_verdict(profile, "network-bind", "local", words[0])
                and profile.allows("file-write-create", path=words[0]))
    if action == "unix-own":
        return (on_macos(profile, ["unix-bind", words[0]])
                and on_macos(profile, ["unix", words[0]]))
    if action == "signal":
        return profile.allows("signal", target="others")
    if action == "signal-self":
        return profile.allows("signal", target="self")
    if action == "fork":
        return profile.allows("process-fork")
    raise AssertionError(action)


class Differs:
    """A case whose verdicts differ, and the class of the reason."""

    def __init__(self, why, *case):
        self.why, self.case = why, list(case)


def make_tree(top):
    """Each directory has files for every action."""
    for name in ("ro", "rw", "wo", "hidden", "ro/part", "rw/part",
                 "rw/closed", "rw/fixed", "rw/blind", "rw/still",
                 "ro/closed", "glob/a1", "glob/b2", "glob/c", "bin", "tools"):
        where = os.path.join(top, name)
        os.makedirs(where)
        for action in ("read", "stat", "write", "truncate", "unlink",
                       "rename", "chmod", "utime", "setuid"):
            with open(os.path.join(where, action), "w") as f:
                f.write("content")
        os.mkdir(os.path.join(where, "rmdir"))
        program = os.path.join(where, "execute")
        with open(program, "wb") as f, open("/bin/true", "rb") as true:
            f.write(true.read())
        os.chmod(program, 0o755)
    for name in (".env", "x.env", "deep.env.txt"):
        for where in ("rw", "rw/part", "ro"):
            with open(os.path.join(top, where, name), "w") as f:
                f.write("secret")


EVERYTHING = ("read", "list", "stat", "write", "create", "truncate", "mkdir",
              "mkfifo", "symlink", "chmod", "utime", "setuid", "execute",
              "rename", "unlink", "rmdir")


def actions(where, names=EVERYTHING, differ=()):
    """Cases of the names in one directory of make_tree()."""
    for name in names:
        path = where if name == "list" else os.path.join(where, name)
        case = [name, path]
        if name == "rename":
            case.append(path + "d")
        yield Differs(differ[name], *case) if name in differ else case


def scenes(top, ports, listening):
    def at(*words):
        return os.path.join(top, *words)

    base = [w for path in SYSTEM for w in ("-r", path)]
    changes = ("write", "create", "truncate", "mkdir", "mkfifo", "symlink",
               "chmod", "utime", "setuid", "rename", "unlink", "rmdir")

    yield "a directory to read", base + ["-r", at("ro")], [
        *actions(at("ro")),
        *actions(at("ro/part"), ("read", "list", "write", "create",
                                 "execute")),
        *actions(at("hidden"), differ={"stat": "stat"}),
        *actions(at("rw"), ("read", "list", "write", "create", "execute")),
        ["fork"], ["signal-self"],
        ["signal", os.getpid()],
        ["read", "/etc/passwd"], ["write", "/etc/passwd"],
        ["create", "/etc/new"], ["execute", "/usr/bin/true"],
        ["read", "/dev/null"], ["write", "/dev/null"],
        ["read", "/dev/urandom"], ["read", "/dev/zero"],
        ["create", "/dev/new"], ["list", "/"], ["create", "/new"],
        ["mkdir", "/newdir"],
    ]
    yield "a directory to write", base + ["-w", at("rw")], [
        *actions(at("rw"), EVERYTHING),
        *actions(at("rw/part")),
        *actions(at("ro"), ("read", "list", "write", "create", "execute")),
        ["unix-own", at("rw/own.sock")],
        ["unix-bind", at("ro/own.sock")],
    ]
    yield "a directory only to write", base + [
        "--filesystem-write-only", at("wo")
    ], [
        *actions(at("wo"), ("read", "list", "write", "create", "mkdir",
                            "symlink", "unlink", "rmdir", "execute"),
                 differ={"list": "metadata"}),
    ]
    yield "denied below what may be written", base + [
        "-w", at("rw"), "-r", at("ro"),
        "--filesystem-deny", at("rw/closed"),
        "--filesystem-deny", at("ro/closed"),
        "--deny-write", at("rw/fixed"),
        "--deny-read", at("rw/blind"),
        "--deny-execute", at("rw/still"),
        "--deny-write", at("rw/missing"),
        "--filesystem-deny", at("rw/absent"),
        "--config-allow-degraded", "deny_replace",
    ], [
        *actions(at("rw/closed"), ("read", "list") + changes + ("execute",)),
        *actions(at("ro/closed"), ("read", "write", "create", "execute")),
        *actions(at("rw/fixed"), ("read", "list", "stat") + changes),
        ["execute", at("rw/fixed/execute")],
        *actions(at("rw/blind"), ("read", "list")),
        *actions(at("rw/still"), ("read", "list", "write", "create",
                                  "execute")),
        ["read", at("rw/part/read")], ["write", at("rw/part/write")],
        ["read", at("ro/part/read")],
        ["create", at("rw/missing")], ["mkdir", at("rw/missing")],
        ["symlink", at("rw/missing")], ["create", at("rw/missing/x")],
        ["create", at("rw/absent")], ["read", at("rw/absent")],
        ["create", at("rw/missing2")],
        ["rename", at("rw/part/read"), at("rw/missing")],
        ["rename", at("rw/closed"), at("rw/closed2")],
        ["rename", at("rw/fixed"), at("rw/fixed2")],
        ["rename", at("rw/blind"), at("rw/blind2")],
        ["rmdir", at("rw/fixed")], ["rmdir", at("rw/closed")],
        Differs("stat", "stat", at("rw/closed")),
        Differs("stat", "stat", at("rw/blind")),
    ]
    yield "a file alone", base + [
        "-r", at("ro/read"), "-w", at("rw/write"), "-r", "-" + at("nowhere"),
    ], [
        ["read", at("ro/read")], ["write", at("ro/read")],
        ["read", at("ro/write")], ["list", at("ro/part")],
        ["read", at("rw/write")], ["write", at("rw/write")],
        ["truncate", at("rw/write")], ["read", at("rw/read")],
        ["create", at("rw/other")],
        Differs("stat", "stat", at("ro/stat")),
    ]
    yield "patterns", base + [
        "-r", at("glob/[ab]?"), "-w", at("glob/c"),
        "-r", at("ro/**/read"), "--filesystem-deny", "*.env",
        "-w", at("rw"), "--project", top,
        "--config-allow-degraded", "deny_replace",
    ], [
        *actions(at("glob/a1"), ("read", "list", "write", "create",
                                 "execute")),
        *actions(at("glob/b2"), ("read", "write")),
        *actions(at("glob/c"), ("read", "list", "write", "create")),
        ["read", at("ro/part/read")], ["read", at("ro/part/write")],
        ["read", at("rw/.env")], ["write", at("rw/x.env")],
        ["read", at("rw/part/.env")], ["truncate", at("rw/part/x.env")],
        ["read", at("rw/deep.env.txt")], ["write", at("rw/deep.env.txt")],
        ["rename", at("rw/.env"), at("rw/moved")],
        ["unlink", at("rw/part/.env")],
    ]
    loader = [w for path in ("/usr/bin/python3*", at("tools"))
              for w in ("-x", path)]
    yield "what may be executed", base + loader + [
        "-r", at("bin"), "-w", at("rw"),
    ], [
        ["execute", at("bin/execute")], ["read", at("bin/execute")],
        ["execute", at("tools/execute")], ["read", at("tools/execute")],
        ["write", at("tools/execute")], ["execute", "/usr/bin/true"],
        ["execute", at("rw/execute")], ["write", at("rw/write")],
        ["read", "/usr/bin/true"],
    ]
    yield "a policy file of the next run", base + [
        "-w", at("rw"), "--project", at("rw"),
    ], [
        ["create", at("rw/pyproject.toml")], ["create", at("rw/uv.toml")],
        ["create", at("rw/.claude/settings.json")],
        ["create", at("rw/other.toml")],
    ]
    yield "no network", base + ["-w", at("rw")], [
        ["connect", "127.0.0.1", ports[0]], ["connect", "192.0.2.1", 80],
        ["bind", "127.0.0.1", ports[1]], ["bind", "0.0.0.0", ports[1]],
        ["udp", "127.0.0.1", ports[0]], ["udp", "192.0.2.1", 53],
        ["unix", listening[1]],
    ]
    yield "only loopback", base + ["--network-mode", "loopback"], [
        ["bind", "127.0.0.1", ports[1]], ["connect", "127.0.0.1", ports[2]],
        ["connect", "192.0.2.1", 80], ["udp", "192.0.2.1", 53],
        ["connect", "192.0.2.1", 443], ["udp", "127.0.0.1", ports[2]],
    ]
    yield "an open network", base + ["--network-mode", "open"], [
        ["connect", "127.0.0.1", ports[2]], ["bind", "127.0.0.1", ports[1]],
        ["bind", "0.0.0.0", ports[1]], ["udp", "127.0.0.1", ports[2]],
        ["unix", listening[1]],
    ]
    yield "ports to connect to", base + ["--net-allow", "*:443"], [
        ["connect", "192.0.2.1", 80], ["udp", "192.0.2.1", 443],
        ["bind", "0.0.0.0", ports[1]],
    ]
    yield "nothing to deny from", base + [
        "--network-mode", "deny", "--net-deny", "*:25",
    ], [
        ["connect", "192.0.2.1", 80], ["connect", "192.0.2.1", 25],
        ["udp", "192.0.2.1", 53], ["bind", "0.0.0.0", ports[1]],
    ]
    yield "ports to bind", base + [
        "--net-bind", str(ports[1]), "--network-deny-bind", str(ports[3]),
        "--net-bind", str(ports[3]),
    ], [
        ["bind", "0.0.0.0", ports[1]], ["bind", "0.0.0.0", ports[2]],
        ["bind", "0.0.0.0", ports[3]], ["connect", "192.0.2.1", 80],
        ["udp", "192.0.2.1", 53],
    ]
    yield "loopback addresses to bind", base + [
        "--network-allow-local-binding",
    ], [
        ["bind", "127.0.0.1", ports[1]], ["connect", "192.0.2.1", 80],
    ]
    yield "a socket to connect to", base + [
        "-r", os.path.dirname(listening[0]), "--network-unix", listening[0],
    ], [
        ["unix", listening[0]], ["unix", listening[1]],
    ]


def verdicts(sandlock, words, cases):
    """Return what Linux said, and why."""
    done = subprocess.run(
        [sandlock, "run", *words, "-r", HERE, "--cwd", "/", "--",
         "/usr/bin/python3", "-I", os.path.join(HERE, "probe.py")],
        input=json.dumps(cases), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit("sandlock run %s: %s" % (" ".join(words), done.stderr))
    return json.loads(done.stdout)


def profile_of(sandlock, words):
    done = subprocess.run([sandlock, "seatbelt", *words, "-r", HERE],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit("sandlock seatbelt %s: %s" % (" ".join(words), done.stderr))
    return sbpl.Profile(done.stdout)


def free_ports(n):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def listen(path):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.bind(path)
    s.listen(5)
    return s


def compare(name, case, mac, linux):
    """Return the class of a difference, or exit."""
    why = case.why if isinstance(case, Differs) else None
    words = case.case if isinstance(case, Differs) else case
    if (mac != linux[0]) == (why is not None):
        return why
    print("%s: %s: macOS %s, Linux %s (%s)%s" % (
        name, " ".join(map(str, words)), "allows" if mac else "denies",
        "allows" if linux[0] else "denies", linux[1],
        ", but a difference was expected" if why else ""))
    compare.failed = True
    return why


def main():
    sandlock, top = sys.argv[1:3]
    total, different = 0, []
    compare.failed = False
    for number, name in enumerate(
            n for n, _, _ in scenes(top, [1] * 4, ["/x/a", "/x/b"])):
        place = os.path.join(top, "scene%d" % number)
        sockets = os.path.join(place, "sockets")
        os.makedirs(sockets)
        make_tree(place)
        paths = [os.path.join(sockets, n) for n in ("listed", "other")]
        keep = [listen(path) for path in paths]
        _, words, cases = list(scenes(place, free_ports(4), paths))[number]
        plain = [c.case if isinstance(c, Differs) else c for c in cases]
        profile = profile_of(sandlock, words)
        for case, linux, words in zip(
                cases, verdicts(sandlock, words, plain), plain):
            total += 1
            why = compare(name, case, on_macos(profile, words), linux)
            if why:
                different.append(why)
        for s in keep:
            s.close()
    print("%d cases, %d differ" % (total, len(different)))
    if (compare.failed or total < LEAST_CASES or
            len(different) > MOST_DIFFERENT or
            set(different) - set(CLASSES)):
        sys.exit(1)


main()
