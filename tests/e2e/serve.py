#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The services of `serve`, with the kernel's own TCP as their client."""
from e2e import Home, check, end, equal, finish, lab, need_labs, test, wait_for

HOME = Home()
PROGRAM = HOME.program

CLIENT = """
import hashlib, os, socket, sys, threading

def connect(port):
    sock = socket.create_connection(("b.engine", port), 20)
    sock.settimeout(20)
    return sock

def all_of(sock):
    text = b""
    while piece := sock.recv(1 << 16):
        text += piece
    return text

def echo(size):
    text = os.urandom(size)
    with connect(7) as sock:
        writer = threading.Thread(target=lambda: (sock.sendall(text), sock.shutdown(socket.SHUT_WR)))
        writer.start()
        got = all_of(sock)
        writer.join()
    return hashlib.sha256(got).digest() == hashlib.sha256(text).digest()

def first(size):
    with connect(19) as sock:
        text = b""
        while len(text) < size:
            text += sock.recv(size - len(text))
    return text

def discard(size):
    with connect(9) as sock:
        sock.sendall(bytes(size))
        sock.shutdown(socket.SHUT_WR)
        return all_of(sock)

print("echo", echo(3000000), all(echo(n) for n in (1, 1447, 1448, 1449)))
print("source", len(set((first(1000000), first(1000000)))))
print("discard", discard(2000000))
print("byte", set(all_of(connect(17)) for _ in range(200)))
many = [connect(7) for _ in range(300)]
for number, sock in enumerate(many):
    sock.sendall(b"%06d" % number)
print("many", sum(sock.recv(6) == b"%06d" % number for number, sock in enumerate(many)))
"""

for backend in need_labs(HOME):
    @test(f"the kernel is served over {backend}: echoes are exact, streams repeat, one byte and the end, three hundred at a time")
    def _(backend=backend):
        with lab(HOME, "demo", "--backend", backend):
            server = HOME.start("lab", "exec", "demo:b", PROGRAM, "serve", "--seed", "7")
            wait_for(server, "serving")
            out, _ = HOME.run("lab", "exec", "demo:a", "python3", "-c", CLIENT)
            equal(out.splitlines(), ["echo True True", "source 1", "discard b''", "byte {b'b'}", "many 300"], "what clients saw")
            server.terminate()
            code, out, _ = end(server)
            equal(code, 143, "exit code of serve")
            check(out.startswith("served: 305 echo, 1 discard, 2 source, 200 byte"), out)

finish()
