#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/dns.py - a DNS server with a few names, and clients that ask by hand.

dns.py serve FILE LOG           answer at 198.51.100.53; its pid is in FILE then,
                                and LOG has a line for each query
dns.py ask NAME TYPE [WORD...]  ask the server of /etc/resolv.conf, print code,
                                addresses, and what else is to be seen; words:
                                tcp, edns, id=N, class=N
dns.py pipelined NAME...        ask for all in one connection, print the answers
dns.py garbage                  send malformed messages, then a good one
dns.py flood NAME N             ask for N names below NAME at once, count answers
"""
import os
import random
import socket
import struct
import sys
import threading

TYPES = {"A": 1, "NS": 2, "SOA": 6, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28,
         "SRV": 33, "SVCB": 64, "HTTPS": 65}
CODES = {0: "ok", 1: "format-error", 2: "failed", 3: "no-name",
         4: "not-implemented", 5: "refused"}
IPV6_FREEBIND = 78
GOOD = "198.51.100.9"
GOOD_V6 = "2001:db8::9"

# name: (TTL, addresses of each answer in turn)
NAMES = {
    "ok.below.test": (300, [[GOOD]]),
    "brief.below.test": (1, [[GOOD]]),
    "brief2.below.test": (1, [["198.51.100.10"]]),
    "forever.below.test": (1000000, [[GOOD]]),
    "v6.below.test": (300, [[GOOD_V6]]),
    "both.below.test": (300, [[GOOD, GOOD_V6]]),
    "deeper.down.below.test": (300, [[GOOD]]),
    "below.test": (300, [[GOOD]]),
    "bad.below.test": (300, [["198.51.100.10"]]),
    "many.below.test": (300, [[f"198.51.100.{n}" for n in range(100, 160)]]),
    "loop.below.test": (300, [["127.0.0.1", "::1"]]),
    "meta.below.test": (300, [["169.254.169.254", "fd00:ec2::254"]]),
    "inner.below.test": (300, [["10.1.2.3"]]),
    "own.below.test": (300, [["198.51.100.1", "2001:db8::1"]]),
    "mapped.below.test": (300, [["::ffff:10.1.2.3"]]),
    "mixed.below.test": (300, [["10.1.2.3", GOOD]]),
    "other.test": (300, [[GOOD]]),
    "elsewhere.other.test": (300, [[GOOD]]),
}


# ---- messages ----

def pack_name(name):
    labels = name.rstrip(".").split(".") if name.rstrip(".") else []
    return b"".join(bytes([len(p)]) + p.encode() for p in labels) + b"\0"


def read_name(data, at):
    labels = []
    while data[at]:
        labels.append(data[at + 1:at + 1 + data[at]].decode())
        at += 1 + data[at]
    return ".".join(labels), at + 1


def query(name, kind, number=0, class_=1, edns=0):
    number = number or random.randrange(1, 65536)
    data = struct.pack(">6H", number, 0x0100, 1, 0, 0, 1 if edns else 0)
    data += pack_name(name) + struct.pack(">2H", TYPES.get(kind) or int(kind), class_)
    if edns:
        data += struct.pack(">BHHIH", 0, 41, edns, 0, 4) + b"\0\x0a\0\0"
    return data


def read_answer(data):
    """Code, flags, addresses, TTLs, whether it has EDNS."""
    number, flags, questions, answers, _, extra = struct.unpack(">6H", data[:12])
    at, found, ttls = 12, [], []
    for _ in range(questions):
        _, at = read_name(data, at)
        at += 4
    for _ in range(answers):
        at += 2
        kind, _, ttl, size = struct.unpack(">2HIH", data[at:at + 10])
        at += 10
        family = socket.AF_INET if kind == 1 else socket.AF_INET6
        found.append(socket.inet_ntop(family, data[at:at + size]))
        ttls.append(ttl)
        at += size
    edns = extra == 1 and data[at:at + 3] == b"\0\0\x29"
    return number, flags, found, ttls, edns


# ---- the server ----

asked = {}


def answer(data, log, limit):
    name, at = read_name(data, 12)
    name = name.lower()
    kind = struct.unpack(">H", data[at:at + 2])[0]
    print(name, next((t for t, n in TYPES.items() if n == kind), kind), file=log,
          flush=True)
    if name.startswith("hang"):
        return None
    if name.startswith("broken."):
        return data[:2] + struct.pack(">5H", 0x8182, 1, 0, 0, 0) + data[12:at + 4]
    ttl, turns = NAMES.get(name, (60, None))
    if name.endswith(".flood.below.test"):
        turns = [[GOOD]]
    if name == "flip.below.test":
        # The first lookup: a good address. Later: the host's loopback.
        ttl, turns = 0, [[GOOD], [GOOD], [GOOD], [GOOD], ["127.0.0.1"]]
    code = 3 if turns is None else 0
    records = []
    if turns:
        asked[name] = asked.get(name, -1) + 1
        for text in turns[min(asked[name], len(turns) - 1)]:
            family = socket.AF_INET6 if ":" in text else socket.AF_INET
            if kind == (28 if ":" in text else 1):
                records.append(socket.inet_pton(family, text))
    out = struct.pack(">6H", struct.unpack(">H", data[:2])[0], 0x8180 | code, 1,
                      len(records), 0, 0) + data[12:at + 4]
    for record in records:
        out += struct.pack(">3HIH", 0xc00c, kind, 1, ttl, len(record)) + record
    if len(out) > limit:
        out = data[:2] + struct.pack(">5H", 0x8380, 1, 0, 0, 0) + data[12:at + 4]
    return out


def serve_datagrams(server, log):
    while True:
        data, sender = server.recvfrom(4096)
        out = answer(data, log, 512)
        if out:
            server.sendto(out, sender)


def take(connection, n):
    data = b""
    while len(data) < n:
        part = connection.recv(n - len(data))
        if not part:
            return None
        data += part
    return data


def serve_one(connection, log):
    with connection:
        while size := take(connection, 2):
            data = take(connection, struct.unpack(">H", size)[0])
            out = answer(data, log, 65535)
            if out:
                connection.sendall(struct.pack(">H", len(out)) + out)


def echo(connection):
    with connection:
        while data := connection.recv(65536):
            connection.sendall(data)


def serve_stream(server, what, *args):
    while True:
        connection, _ = server.accept()
        threading.Thread(target=what, args=(connection, *args), daemon=True).start()


def serve(ready, log):
    log = open(log, "w", encoding="utf-8")
    streams = []
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("198.51.100.53", 53))
    for family, host, port, what in [
            (socket.AF_INET, "198.51.100.53", 53, (serve_one, log)),
            (socket.AF_INET, "198.51.100.10", 7000, (echo,)),
            (socket.AF_INET6, GOOD_V6, 7000, (echo,))]:
        server = socket.socket(family, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:  # no address of the host
            server.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
        server.bind((host, port))
        server.listen(128)
        streams.append((server, what))
    for server, what in streams:
        threading.Thread(target=serve_stream, args=(server, *what)).start()
    threading.Thread(target=serve_datagrams, args=(datagrams, log)).start()
    with open(ready + ".new", "w", encoding="ascii") as file:
        print(os.getpid(), file=file)
    os.rename(ready + ".new", ready)


# ---- clients ----

def server_address():
    with open("/etc/resolv.conf", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] == "nameserver":
                return words[1], 53
    raise SystemExit("no nameserver")


def describe(data, number):
    got, flags, found, ttls, edns = read_answer(data)
    words = [CODES.get(flags & 15, str(flags & 15)), *found]
    if got != number:
        words.append("wrong-id")
    if flags & 0x0200:
        words.append("truncated")
    if edns:
        words.append("edns")
    if "ttl" in sys.argv:
        words += [f"ttl={min(ttls)}"] if ttls else []
    return " ".join(words)


def ask(name, kind, *words):
    options = dict(word.split("=") for word in words if "=" in word)
    data = query(name, kind, int(options.get("id", 0)), int(options.get("class", 1)),
                 1232 if "edns" in words else 0)
    number = struct.unpack(">H", data[:2])[0]
    if "tcp" in words:
        with socket.create_connection(server_address(), timeout=30) as client:
            client.sendall(struct.pack(">H", len(data)) + data)
            reply = take(client, struct.unpack(">H", take(client, 2))[0])
    else:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(30)
            client.connect(server_address())
            client.send(data)
            reply = client.recv(65536)
    print(describe(reply, number))


def pipelined(*names):
    numbers, data = {}, b""
    for number, name in enumerate(names, 1):
        numbers[number] = name
        one = query(name, "A", number)
        data += struct.pack(">H", len(one)) + one
    with socket.create_connection(server_address(), timeout=30) as client:
        # In pieces that are no messages.
        for at in range(0, len(data), 7):
            client.sendall(data[at:at + 7])
        client.shutdown(socket.SHUT_WR)
        lines = []
        while size := take(client, 2):
            reply = take(client, struct.unpack(">H", size)[0])
            number = struct.unpack(">H", reply[:2])[0]
            lines.append(f"{numbers[number]} {describe(reply, number)}")
    print("\n".join(sorted(lines)))


def garbage():
    good = query("ok.below.test", "A", 7)
    bad = [b"", b"\0", good[:11], good[:-1], good[:12] + b"\xc0\x0c\0\1\0\1",
           good[:12] + b"\x3f" + b"a" * 20, good[:2] + b"\x81\x80" + good[4:],
           good[:12] + (b"\x3f" + b"a" * 63) * 5 + b"\0\0\1\0\1",
           good[:10] + b"\0\1" + good[12:] + b"\0\0\x29\4\xd0\0\0\0\0\xff\xff",
           bytes(5000), random.randbytes(400)]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(30)
        client.connect(server_address())
        for data in bad:
            client.send(data)
        client.send(good)
        while True:
            reply = client.recv(65536)
            if struct.unpack(">H", reply[:2])[0] == 7:
                break
        print(describe(reply, 7))
    for data in bad[2:]:
        with socket.create_connection(server_address(), timeout=30) as client:
            try:
                client.sendall(struct.pack(">H", len(data)) + data)
                client.shutdown(socket.SHUT_WR)
                while client.recv(4096):
                    pass
            except OSError:  # it was closed at once
                pass
    ask("ok.below.test", "A", "tcp")


def flood(name, count):
    """Ask from one socket for many names; each must get an answer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(30)
        client.connect(server_address())
        left = set(range(1, int(count) + 1))
        for number in left:
            client.send(query(f"n{number}.{name}", "A", number))
        codes = {}
        while left:
            number, flags, *_ = read_answer(client.recv(65536))
            left.discard(number)
            word = CODES[flags & 15]
            codes[word] = codes.get(word, 0) + 1
    print(sum(codes.values()), "answers")


def main():
    {"serve": serve, "ask": ask, "pipelined": pipelined, "garbage": garbage,
     "flood": flood}[sys.argv[1]](*sys.argv[2:])


main()
