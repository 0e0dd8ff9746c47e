# SPDX-License-Identifier: BSD-2-Clause
"""What the cases share: the server's address, connections, and results as words."""
import errno
import select
import socket
import sys

FLAGS = ("POLLIN", "POLLOUT", "POLLRDHUP", "POLLERR", "POLLHUP")


HOST, PORT = (sys.argv[2], int(sys.argv[3])) if sys.argv[1] == "ask" else ("", 0)
CASES = []


def case(function):
    CASES.append(function)
    return function


def dial(first=b""):
    s = socket.create_connection((HOST, PORT))
    if first:
        s.sendall(first)
    return s


def name_of(code):
    return errno.errorcode.get(code, code)


def attempt(function, *arguments):
    """What a call gives, or the name of its error."""
    try:
        result = function(*arguments)
        return len(result) if isinstance(result, bytes) else result
    except OSError as fault:
        return "!" + str(name_of(fault.errno) if fault.errno else fault)


def polled(s, milliseconds=2000, wanted=select.POLLIN | select.POLLOUT | select.POLLRDHUP):
    poll = select.poll()
    poll.register(s, wanted)
    ready = poll.poll(milliseconds)
    return [flag for flag in FLAGS if ready and ready[0][1] & getattr(select, flag)]
