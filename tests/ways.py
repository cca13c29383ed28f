#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/ways.py - every way to send, for tests of network rules.

ways.py witness FILE READY    append a line to FILE for each contact at port 7100, and to
                              FILE.resets for each connection to port 7103 that is reset
ways.py NAME PORT             send to that port of 198.51.100.1 in this way; print what comes back
ways.py race NAME COUNT       do so COUNT times while a thread changes the address between
                              the allowed and two denied ones; print the errors seen
ways.py reset WHO             reset a connection to port 7103, or let the server do so
ways.py data NAME BYTES       move bytes to the echo server and back, and compare
"""
import ctypes
import errno
import hashlib
import os
import socket
import struct
import sys
import threading

HOST = "198.51.100.1"
DENIED = 7100
RESETS = 7103
NO_LINGER = struct.pack("ii", 1, 0)
ALLOWED = {"tcp": 7000, "udp": 7001}
MSG_FASTOPEN = 0x20000000
libc = ctypes.CDLL(None, use_errno=True)


def witness(path, ready):
    log = open(path, "a", buffering=1, encoding="ascii")

    def stream(server):
        while True:
            connection, _ = server.accept()
            print("stream", file=log)
            connection.sendall(b"witness")
            connection.close()

    def datagrams(server):
        while True:
            _, sender = server.recvfrom(100)
            print("datagram", file=log)
            server.sendto(b"witness", sender)

    def resets():
        server = socket.create_server((HOST, RESETS))
        while True:
            connection, _ = server.accept()
            if connection.recv(5) == b"reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
                connection.close()
                continue
            try:
                connection.sendall(b"ready")
                connection.recv(5)
            except ConnectionResetError:
                with open(path + ".resets", "a", encoding="ascii") as file:
                    print("reset", file=file)

    threading.Thread(target=resets).start()
    for kind, serve in ((socket.SOCK_STREAM, stream), (socket.SOCK_DGRAM, datagrams)):
        for address in (HOST, "127.0.0.1"):
            server = socket.socket(socket.AF_INET, kind)
            server.bind((address, DENIED))
            if kind == socket.SOCK_STREAM:
                server.listen(128)
            threading.Thread(target=serve, args=(server,)).start()
    with open(ready + ".new", "w", encoding="ascii") as file:
        print(os.getpid(), file=file)
    os.rename(ready + ".new", ready)


def check(result):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def address(host, port):
    return struct.pack("=HH4s8s", socket.AF_INET, socket.htons(port),
                       socket.inet_aton(host), b"")


def stream(family=socket.AF_INET, protocol=0):
    client = socket.socket(family, socket.SOCK_STREAM, protocol)
    client.settimeout(20)
    return client


def datagram(protocol=0):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, protocol)
    client.settimeout(20)
    return client


def talk(client):
    client.sendall(b"hello")
    return client.recv(100).decode()


def connect(port, host=HOST, family=socket.AF_INET, protocol=0):
    client = stream(family, protocol)
    client.connect((host, port))
    return talk(client)


def nonblocking(port):
    client = stream()
    client.setblocking(False)
    code = client.connect_ex((HOST, port))
    if code == errno.EINPROGRESS:
        client.settimeout(20)
        client.send(b"")  # waits until it is connected
        code = client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if code:
        raise OSError(code, "")
    client.settimeout(20)
    return talk(client)


def fastopen(port):
    client = stream()
    client.setblocking(True)
    client.sendto(b"hello", MSG_FASTOPEN, (HOST, port))
    return client.recv(100).decode()


def sendto(port):
    client = datagram()
    client.sendto(b"hello", (HOST, port))
    return client.recv(100).decode()


def sendmsg(port):
    client = datagram()
    client.sendmsg([b"hel", b"lo"], [], 0, (HOST, port))
    return client.recv(100).decode()


def sendto_while_connected(port):
    client = datagram()
    client.connect((HOST, ALLOWED["udp"]))
    client.sendto(b"hello", (HOST, port))
    return client.recv(100).decode()


def disconnect_first(port):
    client = stream()
    client.connect((HOST, ALLOWED["tcp"]))
    check(libc.connect(client.fileno(), struct.pack("=H14s", 0, b""), 16))
    client.connect((HOST, port))
    return talk(client)


class Message(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("namelen", ctypes.c_uint),
                ("iov", ctypes.c_void_p), ("iovlen", ctypes.c_size_t),
                ("control", ctypes.c_void_p), ("controllen", ctypes.c_size_t),
                ("flags", ctypes.c_size_t), ("sent", ctypes.c_size_t)]


def sendmmsg(port):
    """Three datagrams, the second of them to this port; print how many were sent."""
    client = datagram()
    text = ctypes.create_string_buffer(b"hello")
    iov = (ctypes.c_size_t * 2)(ctypes.addressof(text), 5)
    to = [ctypes.create_string_buffer(address(HOST, p), 16)
          for p in (ALLOWED["udp"], port, ALLOWED["udp"])]
    messages = (Message * 3)(*[Message(ctypes.addressof(name), 16, ctypes.addressof(iov), 1)
                               for name in to])
    return str(check(libc.sendmmsg(client.fileno(), messages, 3, 0)))


def from_address(port):
    """From an address that the sandbox does not have."""
    client = stream()
    client.setsockopt(socket.IPPROTO_IP, 15, 1)  # IP_FREEBIND
    client.bind(("203.0.113.7", 0))
    client.connect((HOST, port))
    return talk(client)


def on_device(port):
    client = stream()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo\0")
    client.connect((HOST, port))
    return talk(client)


def marked(port):
    client = stream()
    client.setsockopt(socket.SOL_SOCKET, 36, 1)  # SO_MARK
    client.connect((HOST, port))
    return talk(client)


def source_route(port):
    client = stream()
    client.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS,
                      bytes([131, 7, 4]) + socket.inet_aton(HOST) + b"\0")
    client.connect((HOST, port))
    return talk(client)


def io_uring(_):
    check(libc.syscall(425, 8, ctypes.create_string_buffer(120)))
    return "made"


def make(family, kind, protocol=0):
    def way(_):
        socket.socket(family, kind, protocol)
        return "made"
    return way


WAYS = {
    "connect": connect,
    "nonblocking": nonblocking,
    "mapped": lambda port: connect(port, "::ffff:" + HOST, socket.AF_INET6),
    "host-loopback": lambda port: connect(port, "127.0.0.1"),
    "any-address": lambda port: connect(port, "0.0.0.0"),
    "mptcp": lambda port: connect(port, protocol=262),
    "sctp": lambda port: connect(port, protocol=132),
    "fastopen": fastopen,
    "disconnect-first": disconnect_first,
    "sendto": sendto,
    "sendmsg": sendmsg,
    "sendmmsg": sendmmsg,
    "sendto-while-connected": sendto_while_connected,
    "from-address": from_address,
    "on-device": on_device,
    "marked": marked,
    "source-route": source_route,
    "io_uring": io_uring,
    "udplite": make(socket.AF_INET, socket.SOCK_DGRAM, 136),
    "raw": make(socket.AF_INET, socket.SOCK_RAW, 255),
    "packet": make(socket.AF_PACKET, socket.SOCK_RAW, 3),
    "vsock": make(40, socket.SOCK_STREAM),
    "netfilter": make(socket.AF_NETLINK, socket.SOCK_RAW, 12),
}


def race(name, count):
    kind = socket.SOCK_STREAM if name == "tcp" else socket.SOCK_DGRAM
    port = ALLOWED[name]
    choices = [address(HOST, port), address(HOST, DENIED), address(HOST, port),
               address("198.51.100.9", port)]
    shared = ctypes.create_string_buffer(choices[0], 16)
    going = True
    seen = set()

    def change():
        turn = 0
        while going:
            ctypes.memmove(shared, choices[turn % 4], 16)
            turn += 1

    sys.setswitchinterval(1e-5)
    thread = threading.Thread(target=change)
    thread.start()
    for _ in range(count):
        with socket.socket(socket.AF_INET, kind) as client:
            client.setblocking(False)
            if kind == socket.SOCK_STREAM:
                result = libc.connect(client.fileno(), shared, 16)
            else:
                result = libc.sendto(client.fileno(), b"hello", 5, 0, shared, 16)
            seen.add(errno.errorcode[ctypes.get_errno()] if result < 0 else "sent")
    going = False
    thread.join()
    return " ".join(sorted(seen))


def reset(who):
    client = stream()
    client.connect((HOST, RESETS))
    if who == "server":
        client.sendall(b"reset")
        return client.recv(5).decode()
    client.sendall(b"await")
    client.recv(5)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
    client.close()
    return "closed"


def data(name, size):
    """all: both directions at once; half: the answer comes after our end."""
    sent, received = hashlib.sha256(), hashlib.sha256()
    client = stream()
    client.connect((HOST, ALLOWED["tcp"]))

    def send():
        left = size
        block = os.urandom(1 << 16)
        while left > 0:
            part = block[:min(left, len(block))]
            client.sendall(part)
            sent.update(part)
            left -= len(part)
        client.shutdown(socket.SHUT_WR)

    sender = threading.Thread(target=send)
    sender.start()
    if name == "half":
        sender.join()
    got = 0
    while part := client.recv(1 << 16):
        received.update(part)
        got += len(part)
    sender.join()
    return f"{got} {'equal' if sent.digest() == received.digest() else 'different'}"


def main():
    command = sys.argv[1]
    if command == "witness":
        witness(*sys.argv[2:])
        return
    try:
        if command == "race":
            print(race(sys.argv[2], int(sys.argv[3])))
        elif command == "reset":
            print(reset(sys.argv[2]))
        elif command == "data":
            print(data(sys.argv[2], int(sys.argv[3])))
        else:
            print(WAYS[command](int(sys.argv[2])))
    except OSError as error:
        print(errno.errorcode.get(error.errno, error))


main()
