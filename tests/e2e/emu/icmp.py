# SPDX-License-Identifier: BSD-2-Clause
"""What the path says to the kernel by ICMP, and what it does to the kernel's packets."""
from lab import *

# Datagrams to a connected socket until one is told of those before, each given its time: what, and the path MTU the kernel then believes in.
TOLD = """
import errno, json, select, socket, sys
to, size = sys.argv[1], int(sys.argv[2])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER: DF on every packet
s.setsockopt(socket.IPPROTO_IP, 11, 1)  # IP_RECVERR
s.connect((to, 4444))
told = None
heard = select.poll()
heard.register(s, 0)  # errors alone
for i in range(6):
    try:
        s.send(bytes(size))
    except OSError as error:
        told = errno.errorcode[error.errno]
        break
    heard.poll(5000)
print(json.dumps([told, s.getsockopt(socket.IPPROTO_IP, 14)]))
"""


def the_kernel_learns_the_path_mtu(a, b):
    emulator = Emulator(a, b, "--fwd", "mtu 1000B delay 1ms", "--rev", "delay 1ms")
    told, mtu = answer(a.python(TOLD, B, 1200))
    record = emulator.end()
    check(told == "EMSGSIZE" and mtu == 1000, told, mtu)
    check(stage(record, "fwd.mtu")["dropped"] == {"mtu": 1}, record)


def the_kernel_hears_of_an_outage(a, b):
    emulator = Emulator(a, b, "--fwd", "outage at 100ms for 1h unreachable delay 1ms", "--rev", "delay 1ms")
    time.sleep(0.1)
    told, _ = answer(a.python(TOLD, B, 100))
    check(told == "EHOSTUNREACH", told)
    check(stage(emulator.end(), "fwd.outage")["made"] == 1, "more or less than one answer")


def kernel_tcp_passes_a_smaller_mtu_and_bit_errors_unharmed(a, b):
    emulator = Emulator(a, b, "--link", "mtu 1000B corrupt 0.5% delay 1ms")
    tcp(a, b, 3000000)  # compares the bytes
    record = emulator.end()
    check(stage(record, "fwd.corrupt")["out"] > 3000, record)


main(the_kernel_learns_the_path_mtu, the_kernel_hears_of_an_outage, kernel_tcp_passes_a_smaller_mtu_and_bit_errors_unharmed)
