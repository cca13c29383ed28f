# SPDX-License-Identifier: Apache-2.0
"""Try operations, one JSON list from standard input, and print the verdicts.

It runs inside a sandbox of Linux; tests/seatbelt/cases.py compares the verdicts
with those of the profile for macOS.
"""
import errno
import json
import os
import signal
import socket
import sys

# The destination was reached: nobody listens there.
REACHED = (errno.ECONNREFUSED,)


def put(path, flags):
    os.close(os.open(path, flags | os.O_CLOEXEC, 0o644))


def run(path):
    pid = os.fork()
    if pid == 0:
        try:
            os.execv(path, [path])
        except OSError:
            os._exit(99)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 99:
        raise OSError("not executed")


def write(path):
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    os.write(fd, b"x")
    os.close(fd)


def tcp(host, port, listen=False):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.settimeout(5)
        if listen:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind((host, port))
            s.listen(1)
        else:
            s.connect((host, port))


def udp(host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect((host, port))
        s.send(b"x")


def unix(path, listen=False):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        if listen:
            s.bind(path)
        else:
            s.connect(path)


def own_unix(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.bind(path)
        s.listen(1)
        unix(path)


ACTIONS = {
    "read": lambda p: put(p, os.O_RDONLY),
    "list": os.listdir,
    "stat": os.stat,
    "write": write,
    "create": lambda p: put(p, os.O_WRONLY | os.O_CREAT | os.O_EXCL),
    "truncate": lambda p: os.truncate(p, 0),
    "unlink": os.unlink,
    "rmdir": os.rmdir,
    "mkdir": os.mkdir,
    "mkfifo": os.mkfifo,
    "symlink": lambda p: os.symlink("target", p),
    "rename": os.rename,
    "chmod": lambda p: os.chmod(p, 0o600),
    "setuid": lambda p: os.chmod(p, 0o4755),
    "utime": os.utime,
    "execute": run,
    "connect": tcp,
    "bind": lambda h, p: tcp(h, p, listen=True),
    "udp": udp,
    "unix": unix,
    "unix-own": own_unix,
    "unix-bind": lambda p: unix(p, listen=True),
    "signal": lambda pid: os.kill(pid, 0),
    "signal-self": lambda: os.kill(os.getpid(), 0),
    "fork": lambda: os.waitpid(os.fork() or os._exit(0), 0),
}


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    verdicts = []
    for action, *words in json.load(sys.stdin):
        try:
            ACTIONS[action](*words)
            verdicts.append([True, ""])
        except OSError as e:
            verdicts.append([e.errno in REACHED, str(e)])
    json.dump(verdicts, sys.stdout)


main()
