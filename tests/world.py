#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/world.py - servers and clients for tests of network rules.

world.py serve FILE         answer on the addresses of world.bash; its pid is in FILE then
world.py tcp HOST PORT      connect, send "hello", print what comes back
world.py udp HOST PORT      send "hello", print what comes back
world.py ping HOST 1        send an echo request, print "alive"
"""
import errno
import os
import socket
import sys
import threading

SERVERS = [
    (socket.AF_INET, "198.51.100.1", 7000),
    (socket.AF_INET, "198.51.100.9", 7000),
    (socket.AF_INET6, "2001:db8::1", 7000),
    (socket.AF_INET, "127.0.0.1", 5432),
]
DATAGRAMS = [
    (socket.AF_INET, "198.51.100.1", 7001),
    (socket.AF_INET6, "2001:db8::1", 7001),
]


def echo(connection):
    with connection:
        while data := connection.recv(65536):
            connection.sendall(data)


def serve_stream(server):
    while True:
        connection, _ = server.accept()
        threading.Thread(target=echo, args=(connection,), daemon=True).start()


def serve_datagrams(server):
    while True:
        data, sender = server.recvfrom(65536)
        server.sendto(data, sender)


def serve(ready):
    threads = []
    for family, host, port in SERVERS:
        server = socket.socket(family, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((host, port))
        server.listen(128)
        threads.append(threading.Thread(target=serve_stream, args=(server,)))
    for family, host, port in DATAGRAMS:
        server = socket.socket(family, socket.SOCK_DGRAM)
        server.bind((host, port))
        threads.append(threading.Thread(target=serve_datagrams, args=(server,)))
    for thread in threads:
        thread.start()
    with open(ready + ".new", "w", encoding="ascii") as file:
        print(os.getpid(), file=file)
    os.rename(ready + ".new", ready)


def tcp(host, port):
    with socket.create_connection((host, port), timeout=10) as client:
        client.sendall(b"hello")
        client.shutdown(socket.SHUT_WR)
        data = b""
        while part := client.recv(100):
            data += part
    return data.decode()


def udp(host, port):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.settimeout(10)
        client.connect((host, port))
        client.send(b"hello")
        return client.recv(100).decode()


def ping(host, number):
    v6 = ":" in host
    family = socket.AF_INET6 if v6 else socket.AF_INET
    protocol = socket.IPPROTO_ICMPV6 if v6 else socket.IPPROTO_ICMP
    with socket.socket(family, socket.SOCK_DGRAM, protocol) as client:
        client.settimeout(10)
        client.connect((host, 0))
        client.send(bytes([128 if v6 else 8, 0, 0, 0, 0, 0, 0, number]) + b"hi")
        client.recv(100)
    return "alive"


def main():
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
        return
    try:
        print({"tcp": tcp, "udp": udp, "ping": ping}[sys.argv[1]](sys.argv[2],
                                                    int(sys.argv[3])))
    except socket.gaierror:
        print("no such name")
    except OSError as error:
        print(errno.errorcode.get(error.errno, error))


main()
