#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/control.py - a client of the control socket: control.py SOCKET STEP...
#
# A STEP is a JSON text, which is sent as a frame; hex:BYTES, which are sent as
# they are; fd:TEXT, which is sent with a descriptor; or wait, which waits for
# the end. After each step but the last kind, one answer is printed. "closed" is
# printed at the end of the connection.
import array
import os
import socket
import struct
import sys


def frame(text):
    return struct.pack(">I", len(text)) + text.encode()


def receive(sock, n):
    data = b""
    while len(data) < n:
        part = sock.recv(n - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def answer(sock):
    try:
        (size,) = struct.unpack(">I", receive(sock, 4))
        print(receive(sock, size).decode(), flush=True)
    except (EOFError, ConnectionError):
        print("closed", flush=True)
        sys.exit(0)


def main():
    # A name of any length, as the runtime does it.
    where = os.open(os.path.dirname(sys.argv[1]), os.O_PATH)
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(20)
    sock.connect("/proc/self/fd/%d/%s" % (where, os.path.basename(sys.argv[1])))
    for step in sys.argv[2:]:
        if step == "wait":
            while True:
                answer(sock)
        elif step.startswith("hex:"):
            sock.sendall(bytes.fromhex(step[4:]))
        elif step.startswith("fd:"):
            rights = array.array("i", [0])
            sock.sendmsg([frame(step[3:])],
                         [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        else:
            sock.sendall(frame(step))
        answer(sock)


try:
    main()
except ConnectionError:
    # The server closed before it was told anything.
    print("closed", flush=True)
