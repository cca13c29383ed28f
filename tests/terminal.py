#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/terminal.py - the other end of terminals and of the sockets that carry descriptors.
"""
terminal.py receive SOCKET COMMAND...
    Listen on SOCKET, run COMMAND, and print what it sends: the message, the
    number of descriptors, and of a terminal all that comes out of it until it
    hangs up, or of a pidfd the pid.
terminal.py type SOCKET TEXT COMMAND...
    As receive, and type TEXT into the terminal first.
terminal.py pty ROWSxCOLUMNS [TEXT] -- COMMAND...
    Run COMMAND on a terminal of this size as its session's; type TEXT once
    it says "ready". Print what comes out with CR as ^M, and whether the
    settings of the terminal are afterwards what they were.
terminal.py talk ROWSxCOLUMNS STEP... -- COMMAND...
    As pty, with any number of steps: "?TEXT" waits for TEXT after what was
    found before, "!TEXT" types, "size ROWSxCOLUMNS" changes the size,
    "raw" and "cooked" wait until the terminal has such settings.
"""
import array
import fcntl
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time

TIMEOUT = 10


def show(data):
    text = data.decode(errors="replace").replace("\r", "^M")
    sys.stdout.write(text)
    sys.stdout.flush()


def relay(master, text):
    """All that comes out of a terminal; text is typed once it says ready."""
    seen = b""
    while True:
        ready, _, _ = select.select([master], [], [], TIMEOUT)
        if not ready:
            sys.exit("terminal.py: nothing for %d s after: %r" % (TIMEOUT, seen))
        try:
            data = os.read(master, 4096)
        except OSError:
            break
        if not data:
            break
        seen += data
        if text and b"ready" in seen:
            os.write(master, text.encode().decode("unicode_escape").encode())
            text = None
    show(seen)


def receive(path, text, command):
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen(1)
    server.settimeout(TIMEOUT)
    child = subprocess.Popen(command)
    connection, _ = server.accept()
    fds = array.array("i")
    message, control, _, _ = connection.recvmsg(4096, socket.CMSG_SPACE(64))
    for level, kind, data in control:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(data)
    print("message %s descriptors %d more %d" %
          (message.decode(), len(fds), len(connection.recv(1))), flush=True)
    if message == b"pidfd":
        with open("/proc/self/fdinfo/%d" % fds[0]) as info:
            for line in info:
                if line.startswith("Pid:"):
                    print("pid " + line.split()[1], flush=True)
    else:
        relay(fds[0], text)
    sys.exit(child.wait())


def begin(master, slave, command):
    """Run a command in a session with this terminal."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in range(3):
            os.dup2(slave, fd)
        os.closerange(3, 100)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvp(command[0], command)
    return pid


def on_terminal(size, text, command):
    rows, columns = (int(n) for n in size.split("x"))
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ,
                struct.pack("HHHH", rows, columns, 0, 0))
    before = termios.tcgetattr(slave)
    pid = begin(master, slave, command)
    # Held open here, so that the settings can be read afterwards.
    watch(master, pid, text)
    _, status = os.waitpid(pid, 0)
    print("settings " + ("restored" if termios.tcgetattr(slave) == before
                         else "changed"))
    sys.exit(os.waitstatus_to_exitcode(status))


def talk(size, steps, command):
    rows, columns = (int(n) for n in size.split("x"))
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ,
                struct.pack("HHHH", rows, columns, 0, 0))
    before = termios.tcgetattr(slave)
    pid = begin(master, slave, command)
    talker = Talker(master, slave, pid)
    for step in steps:
        talker.do(step)
    talker.wait_for(None)
    _, status = os.waitpid(pid, 0)
    show(talker.seen)
    print("settings " + ("restored" if termios.tcgetattr(slave) == before
                         else "changed"))
    sys.exit(os.waitstatus_to_exitcode(status))


class Talker:
    """What a person at a terminal does."""

    def __init__(self, master, slave, pid):
        self.master, self.slave = master, slave
        self.pidfd = os.pidfd_open(pid)
        self.seen, self.at = b"", 0

    def fail(self, step):
        sys.exit("terminal.py: %r: not after: %s" %
                 (step, self.seen.decode(errors="replace")))

    def more(self, timeout):
        """False if the command has ended and nothing is left to read."""
        ready, _, _ = select.select([self.master, self.pidfd], [], [], timeout)
        if self.master in ready:
            self.seen += os.read(self.master, 4096)
        return self.master in ready or not ready

    def wait_for(self, text):
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            at = self.seen.find(text, self.at) if text else -1
            if at >= 0:
                self.at = at + len(text)
                return
            if not self.more(0.1):
                if text:
                    self.fail(text)
                return
        self.fail(text)

    def wait_for_raw(self, raw):
        end = time.monotonic() + TIMEOUT
        while bool(termios.tcgetattr(self.slave)[3] & termios.ICANON) == raw:
            if time.monotonic() > end or not self.more(0.01):
                self.fail("raw" if raw else "cooked")

    def do(self, step):
        if step.startswith("?"):
            self.wait_for(step[1:].encode())
        elif step.startswith("!"):
            os.write(self.master,
                     step[1:].encode().decode("unicode_escape").encode())
        elif step.startswith("size "):
            rows, columns = (int(n) for n in step[5:].split("x"))
            fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                        struct.pack("HHHH", rows, columns, 0, 0))
        else:
            self.wait_for_raw(step == "raw")


def watch(master, pid, text):
    """What comes out while the command lives."""
    pidfd = os.pidfd_open(pid)
    seen = b""
    while True:
        ready, _, _ = select.select([master, pidfd], [], [], TIMEOUT)
        if master in ready:
            seen += os.read(master, 4096)
        elif ready:
            break
        else:
            sys.exit("terminal.py: nothing for %d s after: %r" % (TIMEOUT, seen))
        if text and b"ready" in seen:
            if text.startswith("size "):
                rows, columns = (int(n) for n in text[5:].split("x"))
                fcntl.ioctl(master, termios.TIOCSWINSZ,
                            struct.pack("HHHH", rows, columns, 0, 0))
            else:
                os.write(master, text.encode().decode("unicode_escape").encode())
            text = None
    show(seen)


def main(args):
    if args[0] == "receive":
        receive(args[1], None, args[2:])
    elif args[0] == "type":
        receive(args[1], args[2], args[3:])
    elif args[0] == "pty":
        split = args.index("--")
        text = args[2] if split > 2 else None
        on_terminal(args[1], text, args[split + 1:])
    elif args[0] == "talk":
        split = args.index("--")
        talk(args[1], args[2:split], args[split + 1:])


main(sys.argv[1:])
