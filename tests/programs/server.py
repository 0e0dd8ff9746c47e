# SPDX-License-Identifier: BSD-2-Clause
"""The server of the cases: answers by the first byte of a connection; two ports above, on ::, it names who has called."""
import json
import socket
import struct
import threading
import time

RESET = struct.pack("ii", 1, 0)


def sink(peer):
    total = 0
    while data := peer.recv(65536):
        total += len(data)
    return total


def serve_one(peer):
    try:
        word = peer.recv(1)
        if word == b"E":                        # echo
            while data := peer.recv(65536):
                peer.sendall(data)
        elif word == b"R":                      # reset at once
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        elif word == b"r":                      # some bytes, then a reset
            peer.sendall(b"x" * 1000)
            time.sleep(0.2)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        elif word == b"U":                      # close with bytes unread
            time.sleep(0.3)
        elif word in b"Kk":                     # four bytes and at once a close with bytes unread (K), or a reset by linger 0 (k)
            if word == b"k":
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            else:
                peer.recv(1, socket.MSG_PEEK)
            peer.sendall(b"busy")
        elif word == b"H":                      # count, then answer after the client's FIN
            peer.sendall(str(sink(peer)).encode())
        elif word == b"S":                      # 300 KB
            peer.sendall(b"y" * 300000)
        elif word == b"B":                      # calls back at a port of five digits, and echoes there
            with socket.create_connection((peer.getpeername()[0], int(peer.recv(5, socket.MSG_WAITALL))), 5) as back:
                back.settimeout(None)
                back.sendall(b"hi")
                while data := back.recv(65536):
                    back.sendall(data)
        elif word == b"F":                      # says that it writes no more, and counts
            peer.shutdown(socket.SHUT_WR)
            sink(peer)
        elif word == b"L":                      # counts, but begins late
            time.sleep(0.5)
            peer.sendall(str(sink(peer)).encode())
        elif word == b"D":                      # six bytes in two parts
            peer.sendall(b"ab")
            time.sleep(0.3)
            peer.sendall(b"cdef")
            sink(peer)
        elif word == b"Q":                      # silence
            time.sleep(10)
        peer.close()                            # b"C": at once
    except OSError:
        pass


def name_peers(port):
    """On ::, for IPv4 too: what accept() and the names say."""
    listener = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
    while True:
        peer, address = listener.accept()
        peer.sendall(json.dumps([address, peer.getpeername() == address, peer.getsockname()[:1], listener.getsockname()[0]]).encode())
        peer.close()


def serve(port):
    threading.Thread(target=name_peers, args=(port + 2,), daemon=True).start()
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", port))
    listener.listen(64)
    print("ready", flush=True)
    while True:
        threading.Thread(target=serve_one, args=(listener.accept()[0],), daemon=True).start()
