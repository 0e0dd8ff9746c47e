# SPDX-License-Identifier: BSD-2-Clause
"""Ports with offloads: the kernel's TCP through the daemon in frames of up to 64 KB, whole where no stage looks at packets, else cut."""
import threading

from lab import *

UDP_SEGMENTS = """
import json, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_UDP, 103, 500) # UDP_SEGMENT
s.sendto(b"".join(i.to_bytes(4, "big") + bytes(496) for i in range(20)), (sys.argv[1], 7777))
print(json.dumps(1))
"""


def ports(record):
    return record["ports"]


def dissect(capture, *filter_words):
    shown = run(["tshark", "-r", capture, "-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE",
                 *filter_words], timeout=60)
    check(shown.returncode == 0, shown.stderr)
    return shown.stdout.splitlines()


def bad(capture):
    """What tshark does not find right."""
    return dissect(capture, "-Y", "_ws.malformed || (tcp && tcp.checksum.status != 1) || (ip && ip.checksum.status != 1)")


def longest(capture):
    return max(int(line) for line in dissect(capture, "-T", "fields", "-e", "frame.len"))


def big_frames_pass_whole_where_no_stage_looks_at_packets(a, b):
    for link in ([], ["--link", "delay 2ms"]):
        capture = os.path.join(scratch(), "whole.pcapng")
        emulator = Emulator(a, b, "--offload", "--capture", capture, *link)
        tcp(a, b, 8 << 20)
        port = ports(emulator.end())[0]
        check(port["whole"] and port["big"] > 100 and port["read"] < 3000 and not port["dropped"], port)
        if shutil.which("tshark"):
            check(longest(capture) > 9000, "no big frame in the capture")
            check(not bad(capture), bad(capture)[:5])


def before_a_stage_that_looks_at_packets_they_are_cut(a, b):
    capture = os.path.join(scratch(), "cut.pcapng")
    emulator = Emulator(a, b, "--offload", "--capture", capture, "--link", "rate 200Mbit burst 20KB limit 1MB delay 1ms loss 1%")
    tcp(a, b, 4 << 20)
    record = emulator.end()
    port = ports(record)[0]
    check(not port["whole"] and port["big"] > 20 and not port["dropped"], port)
    loss = stage(record, "fwd.loss")
    check(loss["in"] > 2800 and loss["dropped"]["loss"] > 8, "packets of at most 1500 bytes, one in a hundred lost:", loss)
    if shutil.which("tshark"):
        check(longest(capture) <= 1514, "longer than a packet:", longest(capture))
        check(not bad(capture), bad(capture)[:5])


def each_direction_by_its_own_stages(a, b):
    emulator = Emulator(a, b, "--offload", "--rev", "loss 0%")
    tcp(a, b, 8 << 20)
    tcp(b, a, 2 << 20, A)
    to, back = ports(emulator.end())
    check(to["whole"] and to["big"] > 100, to)
    check(not back["whole"] and back["big"] > 0, back)


def a_changed_path_is_looked_at_again(a, b):
    control = os.path.join(scratch(), "socket")
    emulator = Emulator(a, b, "--offload", "--control", control, "--link", "delay 1ms")
    tcp(a, b, 2 << 20)

    def set_both(words):
        done = run([WAVETANK, "emu", "set", "--control", control, "both", words])
        check(done.returncode == 0, done.stderr)
        shown = run([WAVETANK, "emu", "show", "--control", control, "--json"])
        return [port["whole"] for port in json.loads(shown.stdout)["ports"]]

    check(set_both("delay 1ms jitter normal 100us") == [False, False], "jitter is drawn for each packet")
    tcp(a, b, 2 << 20)
    check(set_both("delay 2ms") == [True, True], "a delay is one for all")
    tcp(a, b, 2 << 20)
    emulator.end()


def big_frames_under_way_are_cut_where_a_stage_comes_behind_their_delay(a, b):
    control = os.path.join(scratch(), "socket")
    emulator = Emulator(a, b, "--offload", "--control", control, "--link", "delay 30ms")

    def change():
        limit = time.monotonic() + 20
        while time.monotonic() < limit: # until many are in the delay
            shown = emulator.shown()
            if ports(shown)[0]["big"] > 300 and stage(shown, "fwd.delay")["queued"] > 5:
                break
            time.sleep(0.02)
        done = run([WAVETANK, "emu", "set", "--control", control, "fwd", "delay 30ms | loss 0%"])
        check(done.returncode == 0, done.stderr)

    changing = threading.Thread(target=change)
    changing.start()
    tcp(a, b, 100 << 20)
    changing.join()
    record = emulator.end()
    cut, loss = stage(record, "fwd.cut"), stage(record, "fwd.loss")
    check(cut["made"] > 0 and cut["out"] == cut["in"] + cut["made"] == loss["in"] and not cut["dropped"], cut, loss)


def datagrams_in_one_piece_arrive_one_by_one(a, b):
    for link in ([], ["--link", "loss 0%"]):
        emulator = Emulator(a, b, "--offload", *link)
        receiver = listener(b, UDP_RECEIVE, 1)
        answer(a.python(UDP_SEGMENTS, B))
        check(answer(receiver) == list(range(20)), "datagrams")
        print(f"    {ports(emulator.end())[0]['big']} big frames")  # UDP segmentation is offered to Linux 6.2 and later


def packet_sockets_do_so_too(a, b):
    middle = Side()
    pairs = [veth(middle, "ea", a), veth(middle, "eb", b)]
    for side in (a, b):
        side.must("ip", "link", "set", "wt0", "up")
    for link, whole in ([], True), (["--link", "loss 0.2%"], False):
        emulator = Emulator(a, b, "--offload", *link, ports=pairs)
        tcp(a, b, 10 << 20)
        port = ports(emulator.end())[0]
        check(port["whole"] == whole and port["big"] > 20, port)
        for side in (a, b):
            side.must("ip", "address", "flush", "dev", "wt0")


LYING = """
import socket, struct, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
s.setsockopt(263, 15, 1) # SOL_PACKET, PACKET_VNET_HDR
s.bind(("wt0", 0x86dd))
ethernet = bytes(12) + b"\\x86\\xdd"
ip = struct.pack(">IHBB", 6 << 28, 3020, 6, 64) + bytes(32)
tcp = bytes(12) + b"\\x50\\x10" + bytes(6)
s.send(struct.pack("<BBHHHH", 1, 4, 74, 1000, 54, 16) + ethernet + ip + tcp + bytes(int(sys.argv[1])))
print(1)
"""


def big_frames_a_port_cannot_take_are_lost_on_arrival_and_the_books_hold(a, b):
    middle = Side()
    pairs = [veth(middle, "ea", a), veth(middle, "eb", b)]
    for side in (a, b):
        side.must("ip", "link", "set", "wt0", "up", "mtu", "9000")
    for words in ([], ["--offload", "--fwd", "loss 0%"]):
        emulator = Emulator(a, b, *words, "--control", scratch() + "/control", ports=pairs)
        answer(a.python(LYING, 2990))
        receiver = listener(b, TCP_RECEIVE)
        sender = a.python(TCP_SEND, B, 300000)
        until(lambda: ports(emulator.shown())[0]["oversize"] and ports(emulator.shown())[0]["dropped"], "nothing is lost on arrival")
        for process in (sender, receiver):
            stop(process, signal.SIGKILL)
        record = emulator.end()
        port, fwd = ports(record)[0], record["fwd"]
        check(port["dropped"] == {"malformed": 1} and port["oversize"] > 0, port)
        check(fwd["lost"] == 1 + port["oversize"] and fwd["offered"] == port["read"] + fwd["lost"], fwd)
        check({"too-long", "malformed"} <= {fault["fault"] for fault in record["verdict"]["faults"]}, record["verdict"])
        for side in (a, b):
            side.must("ip", "address", "flush", "dev", "wt0")


def a_tap_that_stays_is_sent_no_big_frame_after_a_killed_run_that_took_them(a, b):
    for side in (a, b):
        side.must("ip", "tuntap", "add", "dev", "wt0", "mode", "tap")
    first = Emulator(a, b, "--offload")
    tcp(a, b, 1 << 20)
    first.process.kill()
    first.process.communicate(timeout=30)
    second = Emulator(a, b, addresses=False)
    for side in (a, b):
        side.must("ip", "link", "set", "wt0", "up")
    tcp(a, b, 1 << 20)
    record = second.end()
    check(ports(record)[0]["oversize"] == 0 and ports(record)[0]["read"] > 700, record["ports"])


main(big_frames_pass_whole_where_no_stage_looks_at_packets, before_a_stage_that_looks_at_packets_they_are_cut,
     each_direction_by_its_own_stages, a_changed_path_is_looked_at_again, big_frames_under_way_are_cut_where_a_stage_comes_behind_their_delay,
     datagrams_in_one_piece_arrive_one_by_one,
     packet_sockets_do_so_too, big_frames_a_port_cannot_take_are_lost_on_arrival_and_the_books_hold,
     a_tap_that_stays_is_sent_no_big_frame_after_a_killed_run_that_took_them)
