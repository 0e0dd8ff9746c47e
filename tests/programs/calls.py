# SPDX-License-Identifier: BSD-2-Clause
"""Cases of listeners, names and options. A server calls back: the word B and a port."""
import contextlib
import ctypes
import errno
import fcntl
import os
import select
import signal
import socket
import struct
import threading
import time

from client import HOST, PORT, attempt, case, dial, name_of, polled

LIBC = ctypes.CDLL(None, use_errno=True)
TCP = {"nodelay": 1, "maxseg": 2, "cork": 3, "keepidle": 4, "keepintvl": 5, "keepcnt": 6, "syncnt": 7, "linger2": 8, "defer_accept": 9, "quickack": 12,
       "user_timeout": 18}
FIELDS = (("B", "state ca_state retransmits probes backoff options wscale limited"),
          ("I", "rto ato snd_mss rcv_mss unacked sacked lost retrans fackets last_data_sent last_ack_sent last_data_recv last_ack_recv pmtu rcv_ssthresh rtt rttvar "
                "snd_ssthresh snd_cwnd advmss reordering rcv_rtt rcv_space total_retrans"),
          ("Q", "pacing_rate max_pacing_rate bytes_acked bytes_received"), ("I", "segs_out segs_in notsent_bytes min_rtt data_segs_in data_segs_out"),
          ("Q", "delivery_rate busy_time rwnd_limited sndbuf_limited"), ("I", "delivered delivered_ce"), ("Q", "bytes_sent bytes_retrans"), ("I", "dsack_dups reord_seen"))


def tcp_info(s):
    form, names = "=", []
    for kind, words in FIELDS:
        form += kind * len(words.split())
        names += words.split()
    return dict(zip(names, struct.unpack(form, s.getsockopt(6, 11, struct.calcsize(form)))))


def listener(*options, bound=("0.0.0.0", 0), backlog=16):
    s = socket.socket()
    for option in options:
        s.setsockopt(*option)
    s.bind(bound)
    s.listen(backlog)
    return s


def caller(s):
    """Has the server call a listener back; the connection that asked for it."""
    return dial(b"B%05d" % s.getsockname()[1])


def back(s):
    asker = caller(s)
    accepted = s.accept()[0]
    return accepted, asker


def both(s, names=TCP):
    return {name: attempt(s.getsockopt, 6, names[name]) for name in names}


def bound_and_connected(own):
    """By a port that the kernel chooses. It does not know which ones the engine has used a minute ago (docs/programs.md), so another is tried."""
    for _ in range(5):
        s = socket.socket()
        s.setsockopt(1, 2, 1)
        s.bind((own, 0))
        if attempt(s.connect, (HOST, PORT)) is None:
            return s
    raise OSError(errno.EADDRNOTAVAIL, "five ports in a row")


@case
def options_of_a_listener_are_read_back_and_inherited():
    said = ((6, 1, 1), (6, 7, 3), (6, 8, 20), (6, 4, 33), (6, 5, 7), (6, 6, 4), (6, 18, 4321), (1, 9, 1), (1, 2, 1))
    first, second = listener(*said), listener()
    usual = both(second)
    del usual["syncnt"]  # 6, and 7 of ours: RFC 9293 3.8.3 wants three minutes of a SYN
    for option in said:
        second.setsockopt(*option)
    # what the kernel gives a listener and an accepted connection: all that was said before
    return [usual, both(first), both(second), *[[both(back(s)[0]), back(s)[0].getsockopt(1, 9)] for s in (first, second)],
            [attempt(first.getsockopt, 1, name) for name in (2, 9, 30, 3, 4, 38, 39)]]


@case
def numbers_that_are_wrong_on_a_listener():
    s = listener()
    return [attempt(s.setsockopt, 6, option, value) for option, value in ((4, 0), (5, 40000), (6, 0), (6, 200), (18, -1), (200, 1))]


@case
def state_of_a_listener():
    s = listener()
    s.setsockopt(6, 13, b"cubic")
    return [s.getsockopt(6, 11, 1)[0], attempt(s.getpeername), attempt(s.connect, (HOST, PORT)), polled(s, 0),
            attempt(s.bind, ("0.0.0.0", 0)), attempt(lambda: s.getsockopt(6, 13, 16).split(b"\0")[0].decode())]


@case
def a_module_of_a_listener_is_that_of_its_connections():
    s = socket.socket()
    s.bind(("0.0.0.0", 0))
    s.setsockopt(6, 13, b"reno")
    s.listen()
    accepted = back(s)[0]
    results = [x.getsockopt(6, 13, 16).split(b"\0")[0].decode() for x in (s, accepted)]
    s.setsockopt(6, 13, b"cubic")
    return [results, [x.getsockopt(6, 13, 16).split(b"\0")[0].decode() for x in (s, accepted, back(s)[0])], attempt(s.setsockopt, 6, 13, b"nosuch")]


@case
def accept_with_flags():
    s = listener()
    results = []
    for flags in (0, socket.SOCK_NONBLOCK, socket.SOCK_CLOEXEC, socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC):
        asker = caller(s)
        fd = LIBC.accept4(s.fileno(), None, None, flags)
        results.append([bool(fcntl.fcntl(fd, fcntl.F_GETFD)), bool(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK)])
        os.close(fd)
        asker.close()
    return [results, LIBC.accept4(s.fileno(), None, None, 12345), name_of(ctypes.get_errno())]


@case
def accept_with_little_room_for_the_name():
    s = listener()
    asker = caller(s)
    room, size = ctypes.create_string_buffer(b"\xff" * 16, 16), ctypes.c_uint(6)
    fd = LIBC.accept(s.fileno(), room, ctypes.byref(size))
    name = room.raw[:2].hex(), room.raw[4:8].hex(), size.value
    size = ctypes.c_uint(3)
    return [name[0], name[1], name[2], LIBC.getpeername(fd, room, ctypes.byref(size)), size.value, asker.fileno() > 0]


@case
def accept_of_a_connection():
    s = dial(b"Q")
    return [attempt(s.accept), attempt(s.listen), attempt(s.bind, ("0.0.0.0", 0))]


@case
def accept_waits_and_times_out():
    s = listener()
    s.setsockopt(1, 20, struct.pack("ll", 0, 100000))
    s.setblocking(True)
    return [LIBC.accept(s.fileno(), None, None), name_of(ctypes.get_errno())]


@case
def readiness_of_a_listener():
    s = listener()
    before = polled(s, 0)
    epoll = select.epoll()
    epoll.register(s, select.EPOLLIN | select.EPOLLET)
    askers = [caller(s), caller(s)]
    first = bool(epoll.poll(3))
    time.sleep(0.3)
    now = polled(s, 0)
    s.setblocking(False)
    return [before, first, now, *[attempt(lambda: s.accept()[0].recv(2).decode()) for _ in askers], attempt(s.accept), polled(s, 0)]


@case
def registered_before_it_listens():
    s = socket.socket()
    s.bind(("0.0.0.0", 0))
    epoll = select.epoll()
    epoll.register(s, select.EPOLLIN)
    s.listen()
    asker = caller(s)
    return [[bool(event & select.EPOLLIN) for _, event in epoll.poll(3)], asker.fileno() > 0, s.accept()[0].recv(2).decode()]


@case
def listening_without_an_address():
    s = socket.socket()
    first = attempt(s.listen)
    port = s.getsockname()[1]
    return [first, s.getsockname()[0], port > 0, back(s)[0].recv(2).decode()]


@case
def shutdown_of_a_listener():
    s = listener()
    port = s.getsockname()[1]
    result = attempt(s.shutdown, socket.SHUT_RD)
    s.settimeout(1)
    return [result, attempt(s.accept), attempt(socket.socket().bind, ("0.0.0.0", port)) or "free"]


@case
def who_accepts_is_woken_by_shutdown():
    s = listener()
    threading.Timer(0.2, lambda: s.shutdown(socket.SHUT_RDWR)).start()
    return attempt(s.accept)


@case
def accepted_after_the_peer_has_gone():
    s = listener()
    asker = caller(s)
    asker.shutdown(socket.SHUT_WR)
    time.sleep(0.3)
    accepted = s.accept()[0]
    return [accepted.recv(2).decode(), accepted.getpeername()[0] == HOST, attempt(accepted.send, b"abc"), attempt(accepted.recv, 3)]


@case
def several_workers_at_one_port():
    all_of = [listener((1, 15, 1))]
    port = all_of[0].getsockname()[1]
    all_of += [listener((1, 15, 1), bound=("0.0.0.0", port)) for _ in range(3)]
    foreign = socket.socket()
    refused = attempt(foreign.bind, ("0.0.0.0", port))
    poll = select.poll()
    for s in all_of:
        poll.register(s, select.POLLIN)
    askers, count = [caller(all_of[0]) for _ in range(40)], {}
    for _ in askers:
        ready = poll.poll(3000)
        if not ready:
            break
        s = next(s for s in all_of if s.fileno() == ready[0][0])
        count[s.fileno()] = count.get(s.fileno(), 0) + 1
        s.accept()[0].close()
    for s in all_of[1:]:
        s.close()
    last = back(all_of[0])[0].recv(2).decode()
    return [refused, sum(count.values()), len(count) > 1, last]


@case
def workers_that_forked():
    s = listener()
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            with contextlib.suppress(OSError):
                signal.alarm(10)
                while True:
                    accepted = s.accept()[0]
                    accepted.recv(2)
                    accepted.sendall(b"done")
                    accepted.close()
            os._exit(0)
        children.append(child)
    askers = [caller(s) for _ in range(12)]
    ends = [attempt(asker.recv, 10) for asker in askers]
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return ends


@case
def an_address_that_is_another_hosts():
    return [attempt(socket.socket().bind, (HOST, 0)), attempt(socket.socket().bind, ("192.0.2.1", 0))]


@case
def bound_to_its_own_address():
    own = dial(b"Q").getsockname()[0]
    s = listener(bound=(own, 0))
    accepted = back(s)[0]
    c = bound_and_connected(own)
    return [s.getsockname()[0] == own, accepted.getsockname() == s.getsockname(), c.getsockname()[0] == own, attempt(socket.socket().bind, s.getsockname()),
            attempt(socket.socket().bind, ("0.0.0.0", s.getsockname()[1]))]


@case
def two_listeners_at_one_port():
    own = dial(b"Q").getsockname()[0]
    s = listener(bound=(own, 0))
    other = listener(bound=("127.0.0.1", s.getsockname()[1]))
    here = socket.create_connection(other.getsockname())
    here.sendall(b"loop")
    return [back(s)[0].recv(2).decode(), other.accept()[0].recv(4).decode()]


@case
def the_same_four_numbers_twice():
    own = dial(b"Q").getsockname()[0]
    first, second = bound_and_connected(own), socket.socket()
    second.setsockopt(1, 2, 1)
    return [attempt(second.bind, (own, first.getsockname()[1])), attempt(second.connect, (HOST, PORT))]


@case
def a_source_port_for_two_destinations():
    own = dial(b"Q").getsockname()[0]
    first, second = bound_and_connected(own), socket.socket()
    second.setsockopt(1, 2, 1)
    second.bind((own, first.getsockname()[1]))
    return [attempt(second.connect, (HOST, PORT + 2)), second.getsockname() == first.getsockname()]


@case
def a_port_chosen_when_it_connects():
    s = socket.socket()
    own = dial(b"Q").getsockname()[0]
    s.setsockopt(0, 24, 1)
    s.bind((own, 0))
    before = s.getsockname()[1]
    s.connect((HOST, PORT))
    return [before, s.getsockname()[1] > 0, s.getsockname()[0] == own]


@case
def its_own_address_called():
    s = listener(bound=(dial(b"Q").getsockname()[0], 0))
    c = socket.create_connection(s.getsockname(), 3)
    accepted = s.accept()[0]
    c.sendall(b"self")
    return [accepted.recv(4).decode(), accepted.getpeername() == c.getsockname()]


@case
def wrong_words():
    s = socket.socket()
    address = struct.pack("=H", socket.AF_INET) + struct.pack("!H4s8x", PORT, socket.inet_aton(HOST))
    results = []
    for words in ((s.fileno(), address, 4), (s.fileno(), address, 15), (s.fileno(), None, 16), (-1, address, 16), (0, address, 16)):
        results.append([LIBC.connect(*words), name_of(ctypes.get_errno())])
    c = dial(b"Q")
    for words in ((c.fileno(), 6, 1, None, None), (c.fileno(), 6, 1, ctypes.create_string_buffer(4), ctypes.byref(ctypes.c_int(-1)))):
        results.append([LIBC.getsockopt(*words), name_of(ctypes.get_errno())])
    for words in ((c.fileno(), 6, 1, None, 4), (c.fileno(), 6, 1, ctypes.create_string_buffer(4), 2), (c.fileno(), 6, 13, None, 4), (c.fileno(), 1, 13, b"abcd", 4)):
        results.append([LIBC.setsockopt(*words), name_of(ctypes.get_errno())])
    for words in ((c.fileno(), None, None), (c.fileno(), ctypes.create_string_buffer(16), ctypes.byref(ctypes.c_int(-1)))):
        results.append([LIBC.getsockname(*words), name_of(ctypes.get_errno())])
    return results


@case
def wrong_ports_and_addresses():
    return [attempt(socket.socket().connect, (HOST, 0)), attempt(socket.socket(socket.AF_INET6).connect, ("::ffff:" + HOST, PORT + 1))]


@case
def a_listener_of_ipv6_alone():
    s = socket.socket(socket.AF_INET6)
    s.setsockopt(41, 26, 1)
    s.bind(("::", 0))
    s.listen()
    asker = caller(s)
    asker.settimeout(3)
    return attempt(asker.recv, 1)


@case
def numbers_read_by_little_room():
    s = dial(b"E1")
    s.recv(1)
    sizes = [len(s.getsockopt(6, 11, size)) for size in (1, 8, 104)]
    return [sizes, len(s.getsockopt(6, 13, 3)), s.getsockopt(6, 1, 1)[0], len(s.getsockopt(6, 13, 200)), len(s.getsockopt(6, 1, 100)), len(s.getsockopt(1, 4, 100))]


@case
def tcp_info_of_a_connection():
    s = socket.socket()
    s.setsockopt(6, 13, b"cubic")
    s.connect((HOST, PORT))
    s.sendall(b"E" + b"x" * 9)
    s.recv(9)
    time.sleep(0.1)
    i = tcp_info(s)
    exact = ("state ca_state retransmits probes backoff unacked sacked lost retrans fackets bytes_received bytes_sent bytes_retrans notsent_bytes pmtu total_retrans "
             "snd_ssthresh advmss snd_mss reordering delivered_ce dsack_dups reord_seen")
    some = "rto rtt rttvar min_rtt segs_in segs_out rcv_mss pacing_rate"
    return [{name: i[name] for name in exact.split()}, {name: i[name] > 0 for name in some.split()}, i["options"] & 7, i["rto"] >= 200000, i["snd_cwnd"] in (10, 11), i["bytes_acked"] in (10, 11)]


@case
def tcp_info_of_a_loaded_connection():
    s = dial(b"L")
    s.setblocking(False)
    time.sleep(0.1)
    s.send(b"z" * 400000)
    time.sleep(0.2)
    i = tcp_info(s)
    s.setblocking(True)
    s.shutdown(socket.SHUT_WR)
    s.recv(10)
    j = tcp_info(s)
    return [i["bytes_acked"] > 10000, j["state"] in (4, 5, 6, 7), j["notsent_bytes"]]


@case
def the_largest_segment_of_a_program():
    s = socket.socket()
    s.setsockopt(6, 2, 700)
    s.connect((HOST, PORT))
    s.sendall(b"E" + b"q" * 7000)
    s.recv(7000, socket.MSG_WAITALL)
    time.sleep(0.1)
    i = tcp_info(s)
    return [s.getsockopt(6, 2), i["snd_mss"], i["segs_out"] > 10, attempt(s.setsockopt, 6, 2, 20)]


@case
def buffers_said_are_read_back():
    s = dial(b"E")
    for name, size in ((7, 50000), (8, 60000)):
        s.setsockopt(1, name, size)
    return [s.getsockopt(1, 7), s.getsockopt(1, 8), [attempt(s.getsockopt, 1, name) for name in (3, 30, 38, 39, 2, 9, 18)]]


@case
def options_of_ip():
    s, results = socket.socket(), []
    for when in (0, 1):
        for option, value in ((1, 16), (2, 33), (10, 2), (11, 1)):
            results.append([attempt(s.setsockopt, 0, option, value), attempt(s.getsockopt, 0, option)])
        if not when:
            s.connect((HOST, PORT))
            results.append([attempt(s.getsockopt, 0, option) for option in (1, 2, 10, 11)])
    return [results, len(s.getsockopt(0, 4, 40)), attempt(s.setsockopt, 0, 1, 256)]


@case
def kind_of_the_descriptor():
    s = dial(b"E")
    st = os.fstat(s.fileno())
    return [st.st_mode & 0o170000, os.readlink("/proc/self/fd/%d" % s.fileno()).split(":")[0], attempt(os.isatty, s.fileno()), attempt(s.getsockopt, 1, 17, 12)]


@case
def other_options_of_tcp():
    s = dial(b"E")
    out = {}
    for name, option, value in (("syncnt", 7, 3), ("linger2", 8, 5), ("quickack", 12, 1), ("maxseg", 2, 600)):
        out[name] = [attempt(s.setsockopt, 6, option, value), attempt(s.getsockopt, 6, option)]
    return out

@case
def options_that_an_engine_has_not():
    s = dial(b"E")
    return [attempt(s.setsockopt, 6, option, value) for option, value in ((9, 2), (10, 30000), (25, 16384), (27, 1), (16, 1))]


@case
def urgent_data_in_line():
    s = dial(b"E")
    return [attempt(s.setsockopt, 1, 10, 1), s.getsockopt(1, 10), errno.EINVAL]
