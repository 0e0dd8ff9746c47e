# SPDX-License-Identifier: BSD-2-Clause
"""Cases of reading, writing, waiting and ending."""
import array
import asyncio
import ctypes
import fcntl
import os
import select
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

from client import HOST, PORT, attempt, case, dial, name_of, polled

LIBC = ctypes.CDLL(None, use_errno=True)
SIOCATMARK = 0x8905


def libc(name, *arguments):
    call = getattr(LIBC, name)
    call.restype = ctypes.c_int if name in ("connect", "sendmmsg", "recvmmsg") else ctypes.c_ssize_t
    result = call(*arguments)
    return result if result >= 0 else "!" + str(name_of(ctypes.get_errno()))


def waiting(s, count):
    """Until so many bytes can be read, 3 s at most."""
    for _ in range(300):
        number = array.array("i", [0])
        fcntl.ioctl(s, termios.FIONREAD, number)
        if number[0] >= count:
            return True
        time.sleep(0.01)
    return False


def edges(epoll, seconds=0.3):
    return [[name for name in ("EPOLLIN", "EPOLLRDHUP", "EPOLLHUP", "EPOLLERR") if event & getattr(select, name)] for _, event in epoll.poll(seconds)]


@case
def edges_with_partial_reads():
    s = dial(b"E")
    epoll = select.epoll()
    epoll.register(s, select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLET)
    epoll.poll(0)
    s.sendall(b"0123456789")
    first = edges(epoll, 3)
    waiting(s, 10)
    epoll.poll(0.05)
    part, second = s.recv(4).decode(), edges(epoll)
    s.sendall(b"ab")
    third = edges(epoll, 3)
    waiting(s, 8)
    rest = s.recv(100).decode()
    s.shutdown(socket.SHUT_WR)
    last = edges(epoll, 3)
    return [first, part, second, third, rest, last]


@case
def a_registration_for_one_event():
    s = dial(b"E")
    epoll = select.epoll()
    epoll.register(s, select.EPOLLIN | select.EPOLLONESHOT)
    s.sendall(b"x")
    first = edges(epoll, 3)
    second = edges(epoll)
    epoll.modify(s, select.EPOLLIN | select.EPOLLONESHOT)
    return [first, second, edges(epoll)]


@case
def a_registration_changed_and_taken_back_before_connect():
    s = socket.socket()
    s.setblocking(False)
    epoll = select.epoll()
    epoll.register(s, select.EPOLLIN)
    epoll.modify(s, select.EPOLLIN | select.EPOLLOUT)
    s.connect_ex((HOST, PORT))
    first = [bool(event & select.EPOLLOUT) for _, event in epoll.poll(3)]
    epoll.unregister(s)
    return [first, attempt(epoll.unregister, s), epoll.poll(0.1)]


@case
def peek_waits_for_all():
    s = dial(b"D")
    return [s.recv(6, socket.MSG_PEEK | socket.MSG_WAITALL).decode(), s.recv(6, socket.MSG_WAITALL).decode()]


@case
def wait_for_all_and_a_time_out():
    s = dial(b"D")
    s.setsockopt(1, 20, struct.pack("ll", 0, 800000))
    return [s.recv(100, socket.MSG_WAITALL).decode(), attempt(s.recv, 1)]


@case
def a_low_water_mark_holds_recv():
    s = dial(b"D")
    s.setsockopt(1, 18, 5)
    return [s.getsockopt(1, 18), s.recv(100).decode()]


@case
def truncated_receive_without_a_buffer():
    s = dial(b"Eabcdef")
    waiting(s, 6)
    return [libc("recv", s.fileno(), None, ctypes.c_size_t(4), socket.MSG_TRUNC), s.recv(10).decode()]


@case
def nothing_asked_nothing_given():
    s = dial(b"E")
    return [attempt(s.recv, 0), attempt(s.send, b""), attempt(os.read, s.fileno(), 0), attempt(os.write, s.fileno(), b"")]


@case
def the_error_queue_is_empty():
    s = dial(b"Eabc")
    waiting(s, 3)
    return [attempt(lambda: s.recvmsg(10, 100, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)[0]), attempt(s.recv, 10)]


@case
def no_urgent_data_to_receive():
    s = dial(b"Eabc")
    waiting(s, 3)
    return [attempt(s.recv, 1, socket.MSG_OOB), attempt(s.recv, 10)]


@case
def the_peer_writes_no_more_and_reads_on():
    s = dial(b"F")
    polled(s, 3000, select.POLLIN)
    states = [polled(s, 0), attempt(s.recv, 10), attempt(s.recv, 10)]
    s.sendall(b"x" * 300000)
    s.shutdown(socket.SHUT_WR)
    time.sleep(0.3)
    return [*states, polled(s, 0), attempt(s.recv, 1), attempt(s.send, b"x"), attempt(s.getpeername), attempt(s.getsockopt, 1, 4)]


@case
def names_after_a_reset():
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    before = s.getsockname()[1] > 0
    results = [attempt(s.getpeername)]
    attempt(s.recv, 1)
    return [before, *results, attempt(s.getpeername), attempt(s.shutdown, socket.SHUT_WR), attempt(s.shutdown, socket.SHUT_RD), attempt(s.getsockopt, 6, 1)]


@case
def a_refused_connection_is_readable_and_told_by_write():
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex((HOST, PORT + 1))
    polled(s)
    return [attempt(os.write, s.fileno(), b"x"), attempt(os.write, s.fileno(), b"x"), attempt(s.recv, 1)]


@case
def before_it_is_connected():
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex((os.environ["NOBODY"], 9))
    return [attempt(s.recv, 1), attempt(s.send, b"x"), attempt(s.getpeername), s.getsockname()[1] > 0, attempt(s.getsockopt, 1, 4), attempt(s.listen),
            attempt(s.bind, ("0.0.0.0", 0)), s.getsockopt(6, 11, 1)[0]]


@case
def a_read_that_waits_for_the_connection():
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex((HOST, PORT))
    s.setblocking(True)
    return [attempt(s.send, b"E1"), attempt(s.recv, 1)]


@case
def forgotten_by_connect_to_nothing():
    s = dial(b"E")
    address = struct.pack("=H14x", socket.AF_UNSPEC)
    result = libc("connect", s.fileno(), address, 16)
    return [result, attempt(s.getpeername), attempt(s.connect, (HOST, PORT)), attempt(s.getpeername) == (HOST, PORT)]


@case
def splice_both_ways():
    s = dial(b"E")
    reader, writer = os.pipe()
    os.write(writer, b"abcdef")
    sent = os.splice(reader, s.fileno(), 6)
    waiting(s, 6)
    got = os.splice(s.fileno(), writer, 100)
    return [sent, got, os.read(reader, 100).decode()]


@case
def splice_after_a_reset():
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    reader, writer = os.pipe()
    first = [attempt(os.splice, s.fileno(), writer, 100), attempt(os.splice, s.fileno(), writer, 100)]
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    os.write(writer, b"abc")
    return [first, attempt(os.splice, reader, s.fileno(), 3), attempt(os.splice, reader, s.fileno(), 3)]


@case
def sendfile_after_a_reset():
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    with open("/proc/self/exe", "rb") as file:
        return [attempt(os.sendfile, s.fileno(), file.fileno(), 0, 100), attempt(os.sendfile, s.fileno(), file.fileno(), 0, 100)]


@case
def many_messages_in_a_call():
    class Message(ctypes.Structure):
        _fields_ = [("name", ctypes.c_void_p), ("name_len", ctypes.c_uint), ("iov", ctypes.c_void_p), ("iov_len", ctypes.c_size_t), ("control", ctypes.c_void_p),
                    ("control_len", ctypes.c_size_t), ("flags", ctypes.c_int), ("len", ctypes.c_uint), ("pad", ctypes.c_uint)]

    data = ctypes.create_string_buffer(b"xyz", 4)
    iov = (ctypes.c_size_t * 2)(ctypes.addressof(data), 3)
    messages = (Message * 2)()
    for message in messages:
        message.iov, message.iov_len = ctypes.addressof(iov), 1
    s = dial(b"E")
    sent = libc("sendmmsg", s.fileno(), messages, 2, 0)
    waiting(s, 6)
    got = libc("recvmmsg", s.fileno(), messages, 2, 0, None)
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    after = [libc("recvmmsg", s.fileno(), messages, 2, 0, None), libc("recvmmsg", s.fileno(), messages, 2, 0, None)]
    s = dial(b"R")
    polled(s, 3000, select.POLLIN)
    return [sent, got, after, libc("sendmmsg", s.fileno(), messages, 2, socket.MSG_NOSIGNAL), libc("sendmmsg", s.fileno(), messages, 2, socket.MSG_NOSIGNAL)]


@case
def positions_and_offsets_are_refused():
    s = dial(b"Eabc")
    waiting(s, 3)
    return [attempt(os.pread, s.fileno(), 1, 0), attempt(os.pwrite, s.fileno(), b"x", 0), attempt(os.lseek, s.fileno(), 0, 0), attempt(os.preadv, s.fileno(), [bytearray(1)], 0), attempt(os.ftruncate, s.fileno(), 0), attempt(os.fsync, s.fileno())]


@case
def a_thousand_pieces_in_a_call():
    s = dial(b"E")
    sent = os.writev(s.fileno(), [b"%03d" % (i % 1000) for i in range(1024)])
    too_many = attempt(os.writev, s.fileno(), [b"x"] * 1025)
    waiting(s, 3072)
    buffers = [bytearray(3) for _ in range(1024)]
    return [sent, too_many, os.readv(s.fileno(), buffers), bytes(buffers[1023]).decode()]


@case
def names_and_rights_in_a_message():
    s = dial(b"E")
    results = [attempt(s.sendmsg, [b"a", b"b"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", 1))])]
    waiting(s, 2)
    return [*results, s.recvmsg(10, 100)[:3], attempt(s.sendto, b"c", (HOST, 1)), s.recvmsg(10, 100)[3]]


@case
def another_process_gets_it_by_a_message():
    s = dial(b"E")
    here, there = socket.socketpair()
    child = os.fork()
    if child == 0:
        s.close()
        got = socket.recv_fds(there, 10, 1)[1][0]
        other = socket.socket(fileno=got)
        other.sendall(b"from the child")
        there.sendall(b"%d" % (other.getpeername() == (HOST, PORT)))
        os._exit(0)
    socket.send_fds(here, [b"x"], [s.fileno()])
    told = here.recv(10).decode()
    os.waitpid(child, 0)
    waiting(s, 14)
    return [told, s.recv(100).decode()]


@case
def dup2_over_another_connection():
    first, second = dial(b"E"), dial(b"R")
    polled(second, 3000, select.POLLIN)
    attempt(second.recv, 1)
    os.dup2(first.fileno(), second.fileno())
    second.sendall(b"abc")
    waiting(first, 3)
    return [attempt(first.recv, 10), attempt(second.getpeername) == (HOST, PORT)]


@case
def numbers_of_waiting_bytes():
    s = dial(b"E")
    answers = []
    for request in (termios.FIONREAD, SIOCATMARK):
        number = array.array("i", [77])
        answers.append(attempt(fcntl.ioctl, s, request, number) if request == SIOCATMARK else [attempt(fcntl.ioctl, s, request, number), number[0]])
    s.sendall(b"x")
    s.shutdown(socket.SHUT_WR)
    polled(s, 3000, select.POLLIN)
    time.sleep(0.2)
    number = array.array("i", [77])
    fcntl.ioctl(s, termios.FIONREAD, number)
    return [answers, number[0]]


@case
def without_blocking_until_full_and_on():
    s = dial(b"L")
    s.setblocking(False)
    epoll = select.epoll()
    epoll.register(s, select.EPOLLOUT | select.EPOLLET)
    left, full = 8000000, 0
    while left:
        try:
            left -= s.send(b"z" * min(left, 100000))
        except BlockingIOError:
            full += 1
            if not epoll.poll(5):
                return "no edge"
    s.setblocking(True)
    s.shutdown(socket.SHUT_WR)
    return [full > 0, s.recv(20).decode()]


@case
def a_send_that_times_out():
    s = dial(b"Q")
    s.setsockopt(1, 7, 20000)
    s.setblocking(False)
    quiet = 0
    while quiet < 100:  # full for a second: no window and no buffer grows any more
        try:
            s.send(b"x" * 100000)
            quiet = 0
        except BlockingIOError:
            quiet += 1
            time.sleep(0.01)
    s.setblocking(True)
    s.setsockopt(1, 21, struct.pack("ll", 0, 100000))
    began = time.monotonic()
    return [attempt(s.send, b"x" * 1000000), 0.05 < time.monotonic() - began < 1]


@case
def a_signal_interrupts_recv():
    s = dial(b"Q")
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    return libc("recv", s.fileno(), ctypes.create_string_buffer(1), ctypes.c_size_t(1), 0)


@case
def a_signal_tells_of_data():
    count = []
    before = signal.signal(signal.SIGIO, lambda *_: count.append(1))
    s = socket.socket()
    fcntl.fcntl(s, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(s, fcntl.F_SETFL, fcntl.fcntl(s, fcntl.F_GETFL) | os.O_ASYNC)
    s.connect((HOST, PORT))
    s.sendall(b"Ex")
    for _ in range(30):
        time.sleep(0.01)
    signal.signal(signal.SIGIO, before if before else signal.SIG_DFL)
    return [len(count) > 0, fcntl.fcntl(s, fcntl.F_GETOWN) == os.getpid()]


@case
def closed_with_linger_0():
    """The peer's own view: it was reset, or has seen an end."""
    out = []
    for linger in ((1, 0), (1, 5), (0, 0)):
        with socket.create_server(("0.0.0.0", 0)) as listener:
            s = dial(b"B%05d" % listener.getsockname()[1])
            back = listener.accept()[0]
            back.recv(2)
            back.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", *linger))
            began = time.monotonic()
            back.close()
            out.append(time.monotonic() - began < 1)
            out.append(attempt(s.recv, 1))
    return out


@case
def shutdown_wakes_who_reads():
    s = dial(b"Q")
    child = os.fork()
    if child == 0:
        time.sleep(0.2)
        s.shutdown(socket.SHUT_RDWR)
        os._exit(0)
    result = attempt(s.recv, 1)
    os.waitpid(child, 0)
    return [result, attempt(s.recv, 1), attempt(s.send, b"x"), polled(s, 0)]


@case
def shutdown_in_two_steps():
    s = dial(b"E")
    first = [attempt(s.shutdown, socket.SHUT_RD), polled(s, 0)]
    return [first, attempt(s.shutdown, socket.SHUT_WR), attempt(s.recv, 1), attempt(s.shutdown, 7)]


@case
def standard_input_and_output_of_a_program():
    s = dial(b"E")
    done = subprocess.run(["sh", "-c", "echo one; read line; echo got $line >&2; exec 0<&- 1>&-"], stdin=s.fileno(), stdout=s.fileno(), stderr=subprocess.PIPE, text=True, check=False)
    return [done.returncode, done.stderr]


@case
def a_file_by_stdio():
    s = dial(b"S")
    with s.makefile("rb") as file:
        first = len(file.read())
    with tempfile.TemporaryFile() as to:
        subprocess.run(["cat"], stdin=dial(b"S").fileno(), stdout=to, check=True)
        return [first, to.tell() or os.fstat(to.fileno()).st_size]


@case
def by_asyncio():
    async def go():
        reader, writer = await asyncio.open_connection(HOST, PORT)
        writer.write(b"E" + b"a" * 200000)
        await writer.drain()
        first = len(await reader.readexactly(200000))
        writer.write_eof()
        rest = await reader.read()
        try:
            await asyncio.open_connection(HOST, PORT + 1)
            refused = "no"
        except OSError as fault:
            refused = name_of(fault.errno)
        came = asyncio.get_running_loop().create_future()

        async def serve(back, out):
            out.write(await back.readexactly(2))
            came.set_result((await back.readexactly(2)).decode() + str(out.get_extra_info("peername")[0] == HOST))

        listening = await asyncio.start_server(serve, "0.0.0.0", 0)
        _, caller = await asyncio.open_connection(HOST, PORT)
        caller.write(b"B%05d" % listening.sockets[0].getsockname()[1])
        return [first, len(rest), refused, await asyncio.wait_for(came, 5)]

    return asyncio.run(go())


@case
def by_a_selector_of_select():
    s = dial(b"E")
    selector = selectors.SelectSelector()
    selector.register(s, selectors.EVENT_READ)
    before = len(selector.select(0.1))
    s.sendall(b"x")
    return [before, len(selector.select(3)), s.recv(5).decode(), sys.getsizeof(s) > 0]
