#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/publish.py - servers in a sandbox, and clients of them on the host.

publish.py serve ADDRESS PORT     echo for ever
publish.py wait PORT FILE         the same from the time when FILE exists until "stop" beside it does
publish.py load PORT N BYTES      N connections at once that send and get back so many bytes each
publish.py crowd PORT N           N connections that stay open together
"""
import os
import socket
import sys
import threading
import time


def echo(connection):
    with connection:
        try:
            while data := connection.recv(65536):
                connection.sendall(data)
        except OSError:
            pass


def listen(address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = socket.socket(family, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((address, port))
    server.listen(128)
    return server


def serve(server, until=None):
    print("serving", flush=True)
    server.settimeout(0.05 if until else None)
    while not until or not os.path.exists(until):
        try:
            connection, _ = server.accept()
        except TimeoutError:
            continue
        connection.settimeout(None)
        threading.Thread(target=echo, args=(connection,), daemon=True).start()
    server.close()


def wait(port, file):
    print("waiting", flush=True)
    while not os.path.exists(file):
        time.sleep(0.02)
    serve(listen("127.0.0.1", port), os.path.join(os.path.dirname(file), "stop"))
    time.sleep(1000)


def exchange(port, size, results):
    data = os.urandom(size)
    with socket.create_connection(("127.0.0.1", port), 30) as client:

        def send():
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send)
        sender.start()
        got = b""
        while part := client.recv(65536):
            got += part
        sender.join()
    results.append(got == data)


def load(port, number, size):
    results = []
    threads = [threading.Thread(target=exchange, args=(port, size, results))
               for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(results), "intact")


def crowd(port, number):
    held, lost = [], 0
    for _ in range(number):
        try:
            client = socket.create_connection(("127.0.0.1", port), 10)
            client.sendall(b"x")
            if client.recv(1) == b"x":
                held.append(client)
            else:
                lost += 1
        except OSError:
            lost += 1
        if lost == 5:
            break
    print(len(held), "served,", lost, "reset")


def main():
    verb, words = sys.argv[1], sys.argv[2:]
    if verb == "serve":
        serve(listen(words[0], int(words[1])))
    elif verb == "wait":
        wait(int(words[0]), words[1])
    elif verb == "load":
        load(*map(int, words))
    elif verb == "crowd":
        crowd(*map(int, words))


main()
