# SPDX-License-Identifier: Apache-2.0
"""Evaluate the profiles that sandlock makes for Seatbelt.

A profile is a list of rules. The last rule with a filter that matches an
operation decides, or else the last rule without filters, wherever it is. The
default does not cover all operations. This module knows only what our profiles contain: everything else is
an error, so a misspelled operation or filter does not pass as a rule that
never matches.
"""
import re

FILE_READ = ("file-read-data", "file-read-metadata", "file-read-xattr")
FILE_WRITE = (
    "file-write-create", "file-write-data", "file-write-flags",
    "file-write-mode", "file-write-owner", "file-write-setugid",
    "file-write-times", "file-write-unlink", "file-write-xattr",
)
OPERATIONS = FILE_READ + FILE_WRITE + (
    "file-ioctl", "file-map-executable", "iokit-open",
    "ipc-posix-sem", "ipc-posix-shm", "ipc-sysv-shm", "mach-lookup",
    "network-bind", "network-inbound", "network-outbound",
    "process-exec", "process-exec-interpreter", "process-fork",
    "process-info-pidinfo", "pseudo-tty", "signal", "sysctl-read",
    "sysctl-write", "system-socket",
)
UNCOVERED = ("file-map-executable", "process-info-pidinfo")
LINKS = ("/tmp", "/var", "/etc")


class Broken(Exception):
    """The text is not a profile as sandlock makes them."""


class String(str):
    """A quoted string, as opposed to a symbol."""


def canonical(path):
    """Return the path as the kernel of a Mac sees it, without links."""
    for link in LINKS:
        if path == link or path.startswith(link + "/"):
            return "/private" + path
    return path


def tokens(text):
    pos = 0
    while pos < len(text):
        c = text[pos]
        if c in " \t\n":
            pos += 1
        elif c == ";":
            end = text.find("\n", pos)
            pos = len(text) if end < 0 else end
        elif c in "()":
            pos += 1
            yield c
        elif c == '"':
            value = []
            pos += 1
            while True:
                if pos >= len(text):
                    raise Broken("a string does not end")
                c = text[pos]
                if c == '"':
                    break
                if c == "\\":
                    pos += 1
                    c = text[pos:pos + 1]
                    if c not in ('"', "\\"):
                        raise Broken("unknown escape \\%s" % c)
                elif ord(c) < 32 or ord(c) == 127:
                    raise Broken("a control character in a string")
                value.append(c)
                pos += 1
            pos += 1
            yield String("".join(value))
        else:
            found = re.compile(r"[A-Za-z0-9_*-]+").match(text, pos)
            if not found:
                raise Broken("unexpected %r" % c)
            pos = found.end()
            yield found.group()


def read(text):
    """Return the forms of a text as nested lists."""
    stack = [[]]
    for token in tokens(text):
        if token == "(" and not isinstance(token, String):
            stack.append([])
        elif token == ")" and not isinstance(token, String):
            if len(stack) == 1:
                raise Broken("a parenthesis is closed twice")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) != 1:
        raise Broken("a parenthesis is not closed")
    return stack[0]


def expand(operation):
    if operation == "default":
        return frozenset(OPERATIONS)
    if operation.endswith("*"):
        found = [o for o in OPERATIONS if o.startswith(operation[:-1])]
    else:
        found = [o for o in OPERATIONS if o == operation]
    if not found:
        raise Broken("unknown operation %s" % operation)
    return frozenset(found)


def compile_regex(text):
    # Python's $ also matches before a final newline.
    if text.endswith("(/|$)"):
        text = text[:-len("$)")] + r"\Z)"
    elif text.endswith("$") and not text.endswith("\\$"):
        text = text[:-1] + r"\Z"
    if not text.startswith("^"):
        raise Broken("a regular expression without ^: %s" % text)
    return re.compile(text.encode("utf-8", "surrogateescape"))


def string_of(form):
    if len(form) != 2 or not isinstance(form[1], String):
        raise Broken("%s needs one string" % form[0])
    if not form[1].startswith(("/", "^/", "^(/")) or "//" in form[1]:
        raise Broken("not a path: %s" % form[1])
    return form[1]


def path_filter(form):
    if form[0] == "regex":
        regex = compile_regex(string_of(form))
        return lambda path: bool(
            regex.search(path.encode("utf-8", "surrogateescape")))
    path = string_of(form)
    if path != "/" and path.endswith("/"):
        raise Broken("a path ends with a slash: %s" % path)
    if form[0] == "literal":
        return lambda other: other == path
    if form[0] == "subpath":
        below = path if path == "/" else path + "/"
        return lambda other: other == path or other.startswith(below)
    raise Broken("unknown filter %s" % form[0])


def address_filter(form):
    """(remote tcp "localhost:80"), (local unix-socket (subpath "/x"))."""
    side, kind = form[0], form[1]
    if kind == "unix-socket":
        inner = path_filter(form[2])
        return lambda s: (s.get("side") == side and s.get("kind") == "unix"
                          and inner(s["path"]))
    found = re.fullmatch(r"(\*|localhost):(\*|[1-9][0-9]*)", form[2])
    if kind not in ("tcp", "udp", "ip") or not found or len(form) != 3:
        raise Broken("not an address: %s" % form)
    host, port = found.groups()

    def matches(s):
        return (s.get("side") == side and s.get("kind") in ("tcp", "udp")
                and kind in ("ip", s["kind"])
                and (host == "*" or s["host"] == "localhost")
                and (port == "*" or int(port) == s["port"]))
    return matches


def make_filter(form):
    kind = form[0]
    if kind in ("require-any", "require-all"):
        parts = [make_filter(f) for f in form[1:]]
        if not parts:
            raise Broken("%s without filters" % kind)
        how = any if kind == "require-any" else all
        return lambda s: how(part(s) for part in parts)
    if kind == "require-not":
        inner = make_filter(form[1])
        return lambda s: not inner(s)
    if kind in ("remote", "local"):
        return address_filter(form)
    if kind == "target":
        if form[1] not in ("self", "same-sandbox"):
            raise Broken("unknown target %s" % form[1])
        return lambda s: s.get("target") in ("self", form[1])
    if kind == "socket-domain":
        return lambda s: s.get("domain") == form[1]
    if kind == "extension":
        return lambda s: False
    inner = path_filter(form)
    # The path of a socket is judged by the filters of addresses alone.
    return lambda s: "path" in s and s.get("kind") != "unix" and inner(
        s["path"])


class Profile:
    def __init__(self, text):
        forms = read(text)
        if forms[:2] != [["version", "1"], ["deny", "default"]]:
            raise Broken("a profile begins with (version 1)(deny default)")
        self.rules = [self.rule(form) for form in forms[2:]]

    @staticmethod
    def rule(form):
        verdict, rest = form[0], form[1:]
        if verdict not in ("allow", "deny"):
            raise Broken("unknown rule %s" % verdict)
        operations = frozenset()
        while rest and isinstance(rest[0], str):
            if rest[0] == "default" or isinstance(rest[0], String):
                raise Broken("unexpected %s in a rule" % rest[0])
            operations |= expand(rest[0])
            rest = rest[1:]
        if not operations:
            raise Broken("a rule without operations")
        return verdict == "allow", operations, [make_filter(f) for f in rest]

    def allows(self, operation, **subject):
        if operation not in OPERATIONS:
            raise Broken("unknown operation %s" % operation)
        if "path" in subject:
            subject["path"] = canonical(subject["path"])
        rules = [r for r in reversed(self.rules) if operation in r[1]]
        for allowed, _, filters in rules:
            if any(f(subject) for f in filters):
                return allowed
        for allowed, _, filters in rules:
            if not filters:
                return allowed
        return operation in UNCOVERED
