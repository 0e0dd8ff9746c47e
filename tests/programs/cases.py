#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What programs see of their sockets, case by case: run over the kernel's TCP and over an engine, the lines have to be equal.

  cases.py serve PORT          answers by the first byte of a connection
  cases.py ask ADDRESS PORT    (NOBODY: an address that nobody has) one line of JSON per case: [name, result]; a call that fails is "!ECODE"
"""
import array
import ctypes
import errno
import fcntl
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time

import server
from client import CASES, HOST, PORT, attempt, case, dial, name_of, polled

@case
def names_and_kind():
    s = dial(b"Q")
    return [s.family.name, s.getpeername() == (HOST, PORT), s.getsockname()[1] > 0, s.getsockopt(1, 39), s.getsockopt(1, 38), s.getsockopt(1, 3)]


@case
def connect_without_blocking():
    s = socket.socket()
    s.setblocking(False)
    codes = [s.connect_ex((HOST, PORT)), s.connect_ex((HOST, PORT))]
    before, after = polled(s, 0), polled(s)
    codes += [s.getsockopt(1, 4), s.connect_ex((HOST, PORT)), s.connect_ex((HOST, PORT))]
    return [[name_of(code) for code in codes], before, after]


@case
def refused_without_blocking():
    s = socket.socket()
    s.setblocking(False)
    first = name_of(s.connect_ex((HOST, PORT + 1)))
    polled(s)
    time.sleep(0.05)  # the kernel wakes a poll of a pair's end before it has freed what the closed end had not read: POLLOUT may follow
    return [first, polled(s), name_of(s.getsockopt(1, 4)), name_of(s.getsockopt(1, 4))]


@case
def refused_while_blocking():
    return attempt(socket.socket().connect, (HOST, PORT + 1))


@case
def refused_told_by_recv():
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex((HOST, PORT + 1))
    polled(s)
    return attempt(s.recv, 1)


@case
def refused_then_elsewhere_on_the_same_descriptor():
    s = socket.socket()
    attempt(s.connect, (HOST, PORT + 1))
    s.connect((HOST, PORT))
    s.sendall(b"E1")
    return attempt(s.recv, 1)


@case
def epoll_before_connect_by_edges():
    s = socket.socket()
    s.setblocking(False)
    epoll = select.epoll()
    epoll.register(s, select.EPOLLOUT | select.EPOLLET | select.EPOLLIN)
    epoll.poll(0)
    s.connect_ex((HOST, PORT))
    first = [fd == s.fileno() and bool(event & select.EPOLLOUT) for fd, event in epoll.poll(3)]
    s.setblocking(True)
    s.sendall(b"Eabc")
    readable = False
    for _ in range(20):
        readable |= any(event & select.EPOLLIN for _, event in epoll.poll(0.1))
    return [first, readable, s.recv(10) == b"abc"]


@case
def fin_of_the_peer():
    s = dial(b"C")
    first = polled(s, 3000, select.POLLIN)
    return [first, attempt(s.recv, 5), attempt(s.recv, 5), s.getpeername() == (HOST, PORT)]


@case
def reset_of_the_peer_by_recv():
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    return [attempt(s.recv, 5), attempt(s.recv, 5), attempt(s.send, b"x")]


@case
def reset_of_the_peer_after_data():
    s = dial(b"r")
    time.sleep(1)
    return [attempt(s.recv, 5000), attempt(s.recv, 5000), attempt(s.recv, 5000)]


@case
def reset_of_the_peer_by_send():
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    return [attempt(s.send, b"x"), attempt(s.send, b"x"), attempt(s.send, b"x")]


@case
def reset_of_the_peer_by_so_error():
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    return [name_of(s.getsockopt(1, 4)), name_of(s.getsockopt(1, 4))]


@case
def peer_closes_with_bytes_unread():
    return attempt(dial(b"U" + b"z" * 1000).recv, 5)


@case
def a_last_word_before_a_reset():
    """What a program wrote has left before it closes with bytes unread: iperf3 tells a second client so that it is busy."""
    results = []
    for word in b"K" + b"z" * 1000, b"k":
        s = dial(word)
        time.sleep(0.3)
        results.append([s.recv(10).decode(), attempt(s.recv, 10)])
    return results


@case
def half_close():
    s = dial(b"H" + b"q" * 500000)
    s.shutdown(socket.SHUT_WR)
    answer = b""
    while data := s.recv(100):
        answer += data
    return [answer.decode(), attempt(s.send, b"x")]


@case
def both_directions_shut():
    s = dial(b"E")
    s.shutdown(socket.SHUT_RDWR)
    return [polled(s, 3000, select.POLLIN), attempt(s.recv, 10)]


@case
def shutdown_of_an_unconnected_socket():
    return attempt(socket.socket().shutdown, 2)


@case
def recv_of_an_unconnected_socket():
    return attempt(socket.socket().recv, 1)


@case
def send_of_an_unconnected_socket():
    return attempt(socket.socket().send, b"x")


@case
def names_of_an_unconnected_socket():
    s = socket.socket()
    return [attempt(s.getpeername), s.getsockname() == ("0.0.0.0", 0)]


@case
def all_of_300_kb_and_the_end():
    s = dial(b"S")
    return [attempt(s.recv, 300000, socket.MSG_WAITALL), attempt(s.recv, 1)]


@case
def peek_and_count():
    s = dial(b"Eabcdef")
    while len(s.recv(10, socket.MSG_PEEK)) < 6:
        time.sleep(0.01)
    waiting = array.array("i", [0])
    fcntl.ioctl(s, termios.FIONREAD, waiting)
    return [s.recv(3, socket.MSG_PEEK).decode(), waiting[0], s.recv(10).decode()]


@case
def recvfrom_gives_no_address():
    return str(dial(b"Eab").recvfrom(10)[1])


@case
def receive_time_out():
    s = dial(b"Q")
    s.setsockopt(1, 20, struct.pack("ll", 0, 100000))
    return attempt(s.recv, 1)


@case
def connect_time_out_to_nobody():
    s = socket.socket()
    s.settimeout(0.3)
    return attempt(s.connect, (os.environ["NOBODY"], 9))


@case
def dup_outlives_the_first():
    s = dial(b"E")
    other = s.dup()
    s.close()
    other.sendall(b"hi")
    return [other.recv(5).decode(), other.getpeername() == (HOST, PORT)]


@case
def the_child_of_fork_writes():
    s = dial(b"E")
    child = os.fork()
    if child == 0:
        s.sendall(b"child")
        os._exit(0)
    os.waitpid(child, 0)
    return s.recv(10).decode()


@case
def exec_inherits():
    s = dial(b"E")
    script = ("import socket; s = socket.socket(fileno=%d); s.sendall(b'x'); print(s.family.name, s.getpeername()[1], s.recv(3))" % s.fileno())
    result = subprocess.run([sys.executable, "-c", script], pass_fds=[s.fileno()], capture_output=True, text=True, check=False)
    return result.stdout.replace(str(PORT), "PORT")


@case
def standard_streams():
    s = dial(b"E")
    result = subprocess.run(["sh", "-c", "echo hello"], stdout=s.fileno(), check=False)
    return [result.returncode, s.recv(10).decode()]


@case
def readv_and_writev():
    s = dial(b"E")
    os.writev(s.fileno(), [b"ab", b"cd"])
    buffers = [bytearray(2), bytearray(2)]
    while len(s.recv(10, socket.MSG_PEEK)) < 4:
        time.sleep(0.01)
    return [os.readv(s.fileno(), buffers), bytes(buffers[0] + buffers[1]).decode()]


@case
def sendfile_of_a_file():
    s = dial(b"H")
    with open("/proc/self/exe", "rb") as file:
        left = size = 200000
        while left:
            left -= os.sendfile(s.fileno(), file.fileno(), size - left, left)
    s.shutdown(socket.SHUT_WR)
    return s.recv(20).decode()


@case
def options_of_a_connection():
    s = dial(b"Q")
    results = [attempt(s.setsockopt, level, option, 1) for level, option in ((6, 1), (6, 3), (6, 4), (6, 5), (6, 6), (6, 9), (6, 12), (0, 1), (1, 9))]
    return [results, s.getsockopt(6, 1) != 0, s.getsockopt(6, 11, 8)[0]]


NUMBERS = {"nodelay": (6, 1, 1), "cork": (6, 3, 1), "keepidle": (6, 4, 33), "keepintvl": (6, 5, 7), "keepcnt": (6, 6, 4), "user timeout": (6, 18, 4321),
           "keepalive": (1, 9, 1), "reuseaddr": (1, 2, 1)}


def numbers(s):
    return {name: attempt(s.getsockopt, level, option) for name, (level, option, _) in NUMBERS.items()}


@case
def options_said_before_connect_are_read_after_it():
    s = socket.socket()
    usual = numbers(s)
    results = [attempt(s.setsockopt, *words) for words in NUMBERS.values()]
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 3))
    s.connect((HOST, PORT))
    return [usual, results, numbers(s), s.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8).hex()]


@case
def options_said_on_a_connection_are_read_back():
    s = dial(b"E")
    usual = numbers(s)
    results = [attempt(s.setsockopt, *words) for words in NUMBERS.values()]
    wrong = [attempt(s.setsockopt, 6, option, value) for option, value in ((4, 0), (5, 40000), (6, 0), (6, 200), (18, -1))]
    s.sendall(b"xyz")
    return [usual, results, wrong, numbers(s), s.recv(3) is not None]


@case
def another_module_on_a_live_connection():
    s = dial(b"E1")
    first = s.recv(1)
    results = [attempt(s.setsockopt, 6, 13, b"reno"), s.getsockopt(6, 13, 16).split(b"\0")[0].decode()]
    s.sendall(b"2" * 100000)
    return [first.decode(), *results, attempt(s.recv, 100000, socket.MSG_WAITALL)]


@case
def the_flags_of_a_descriptor_outlive_connect():
    s = socket.socket()
    s.set_inheritable(True)
    before = fcntl.fcntl(s, fcntl.F_GETFD)
    s.connect((HOST, PORT))
    other = socket.socket()
    other.setblocking(False)
    other.connect_ex((HOST, PORT))
    return [before, fcntl.fcntl(s, fcntl.F_GETFD), fcntl.fcntl(other, fcntl.F_GETFD), bool(fcntl.fcntl(other, fcntl.F_GETFL) & os.O_NONBLOCK)]


@case
def an_ipv4_address_mapped_into_ipv6():
    s = socket.socket(socket.AF_INET6)
    s.connect(("::ffff:" + HOST, PORT))
    s.sendall(b"E1")
    return [s.recv(1).decode(), s.getpeername() == ("::ffff:" + HOST, PORT, 0, 0), s.getsockname()[0][:7], s.getsockopt(1, 39)]


@case
def a_listener_of_ipv6_names_its_peers_mapped():
    s = socket.create_connection((HOST, PORT + 2))
    told = s.recv(1000).decode()
    return [told.replace("::ffff:" + s.getsockname()[0], "US").replace("::ffff:" + HOST, "THEM").replace(str(s.getsockname()[1]), "PORT"), s.recv(1) == b""]


@case
def a_signal_ends_the_waiting_and_not_the_connecting():
    call = ctypes.CDLL(None, use_errno=True).connect
    address = struct.pack("=H", socket.AF_INET) + struct.pack("!H4s8x", 9, socket.inet_aton(os.environ["NOBODY"]))
    s = socket.socket()
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    results = [call(s.fileno(), address, 16), name_of(ctypes.get_errno())]
    s.setblocking(False)
    return [*results, name_of(s.connect_ex((os.environ["NOBODY"], 9)))]


@case
def nobody_has_the_address():
    s = socket.socket()
    s.setsockopt(6, 18, 4500) # an engine would go on for three minutes
    return attempt(s.connect, (os.environ["NOBODY"], 9))


@case
def the_user_timeout_ends_a_connect():
    s = socket.socket()
    s.setsockopt(6, 18, 900)
    began = time.monotonic()
    return [attempt(s.connect, (os.environ["NOBODY"], 9)), time.monotonic() - began < 2.5]


@case
def a_reset_raises_no_signal_and_a_second_write_does():
    count = []
    before = signal.signal(signal.SIGPIPE, lambda *_: count.append(1))
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    results = [attempt(s.send, b"x"), len(count), attempt(s.send, b"x"), len(count), attempt(s.send, b"x", socket.MSG_NOSIGNAL), len(count)]
    signal.signal(signal.SIGPIPE, before)
    return results


@case
def checked_reads():
    """Of a program built with _FORTIFY_SOURCE: read, recv and recvfrom are other names of the library then."""
    result = []
    for how in "read", "recv", "recvfrom":
        s = dial(b"r")
        done = subprocess.run([os.environ["CHECKED"], str(s.fileno()), how], pass_fds=[s.fileno()], capture_output=True, text=True, check=False)
        result.append([done.returncode, done.stdout])
    return result


@case
def an_unknown_module_and_an_unknown_option():
    s = dial(b"Q")
    return [attempt(s.setsockopt, 6, 13, b"nosuchmodule"), attempt(s.setsockopt, 6, 200, 1), attempt(socket.socket().setsockopt, 6, 13, b"nosuchmodule")]


@case
def bind_to_any_port_and_listen():
    s = socket.socket()
    s.bind(("0.0.0.0", 0))
    s.listen()
    port = s.getsockname()[1]
    return [port > 0, s.getsockopt(1, 30), attempt(s.getpeername), attempt(socket.socket().bind, ("0.0.0.0", port))]


@case
def a_port_is_free_after_close():
    for _ in range(20):
        s = socket.socket()
        s.bind(("0.0.0.0", 7778))
        s.listen()
        s.close()
    return "ok"


@case
def a_port_is_free_after_the_last_of_a_family():
    s = socket.socket()
    s.bind(("0.0.0.0", 7777))
    s.listen()
    child = os.fork()
    if child == 0:
        time.sleep(0.5)
        os._exit(0)
    s.close()
    held = attempt(socket.socket().bind, ("0.0.0.0", 7777))
    os.waitpid(child, 0)
    s = socket.socket()
    s.bind(("0.0.0.0", 7777))
    return [held, attempt(s.listen)]


@case
def listening_twice():
    first, second = socket.socket(), socket.socket()
    for s in first, second:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("0.0.0.0", 7776))
    return [attempt(first.listen, 5), attempt(first.listen, 50), attempt(second.listen)]


@case
def a_port_is_free_after_its_holder_was_killed():
    child = os.fork()
    if child == 0:
        s = socket.socket()
        s.bind(("0.0.0.0", 7779))
        s.listen()
        time.sleep(100)
    time.sleep(0.5)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    s = socket.socket()
    s.bind(("0.0.0.0", 7779))
    return attempt(s.listen)


@case
def accept_without_blocking_and_nobody_there():
    s = socket.socket()
    s.bind(("0.0.0.0", 0))
    s.listen()
    s.setblocking(False)
    return attempt(s.accept)


@case
def urgent_data():
    return attempt(dial(b"E").send, b"!", socket.MSG_OOB)


@case
def low_water_mark():
    s = dial(b"E")
    s.setsockopt(1, 18, 5)
    s.sendall(b"ab")
    time.sleep(0.3)
    return polled(s, 0, select.POLLIN)


@case
def truncated_receive_discards():
    s = dial(b"Eabcdef")
    while len(s.recv(10, socket.MSG_PEEK)) < 6:
        time.sleep(0.01)
    return [len(s.recv(4, socket.MSG_TRUNC)), s.recv(10).decode()]


@case
def receiving_after_shut_rd():
    s = dial(b"E")
    s.shutdown(socket.SHUT_RD)
    s.sendall(b"abc")
    time.sleep(0.3)
    return attempt(s.recv, 10)


@case
def many_descriptors_in_threads():
    wrong = []

    def echo(size):
        for i in range(10):
            s = dial(b"E")
            data = os.urandom(size + i)
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            back = b""
            while part := s.recv(65536):
                back += part
            if back != data:
                wrong.append(len(back))

    threads = [threading.Thread(target=echo, args=(1000 * k + 1,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def run(function):
    try:
        result = function()
    except OSError as fault:
        result = "!" + str(name_of(fault.errno) if fault.errno else fault)
    print(json.dumps([function.__name__, result]), flush=True)


def main():
    """Each case is a process of its own: one that hangs is killed and has no line, and what it leaves open disturbs no other."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for function in CASES:
        if len(sys.argv) > 4 and function.__name__ not in sys.argv[4:]:
            continue
        child = os.fork()
        if child == 0:
            try:
                run(function)
            finally:
                os._exit(0)
        for _ in range(1500):
            if os.waitpid(child, os.WNOHANG)[0]:
                break
            time.sleep(0.01)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


if sys.argv[1] == "serve":
    server.serve(int(sys.argv[2]))
else:
    import calls    # pylint: disable=wrong-import-position,unused-import
    import streams  # pylint: disable=wrong-import-position,unused-import
    main()
