# SPDX-License-Identifier: BSD-2-Clause
from lab import *


LENGTH = 142  # of a datagram of ours as a frame; the kernel adds packets of its own when an interface comes up


def drops(log, node):
    with open(log, encoding="ascii") as lines:
        events = [json.loads(line) for line in lines]
    return [e for e in events if e["event"] == "emulation:packet_dropped" and e["data"]["node"] == node and e["data"]["len_bytes"] == LENGTH]


# Every stage that decides packet by packet; each counts those of UDP for itself.
WORDS = "loss 10% | loss elliott mean 10% burst 4packets | loss list 5,100-120 | duplicate 5% | corrupt 2% | loss twice 3%"
NODES = ["fwd.loss", "fwd.elliott", "fwd.list", "fwd.loss.2"]

# Until its standard input ends; prints how many it sent.
NOISE = """
import json, select, socket, struct, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("wt0", 0))
mac = s.getsockname()[4]
arp = b"\\xff" * 6 + mac + struct.pack("!HHHBBH", 0x806, 1, 0x800, 6, 4, 1) + mac + bytes([10, 9, 0, 1]) + bytes(6)
count = 0
while not select.select([sys.stdin], [], [], 0.0007)[0]:
    s.send(arp + bytes([10, 9, 0, 200 + count % 50]) + bytes(18))
    count += 1
print(json.dumps(count))
"""


def offered(a, b, noise):
    """What became of a thousand datagrams: the numbers that arrived, as they came, and how many each stage dropped."""
    log = scratch() + "/log.jsonl"
    emulator = Emulator(a, b, "--seed", "7", "--fwd", WORDS, "--log", log)
    others = [a.python(NOISE, stdin=subprocess.PIPE), a.python(PING, B, 6, 0.02, 1), b.python(PING, A, 6, 0.01, 1)] if noise else []
    if noise:
        b.must("ip", "neighbour", "flush", "dev", "wt0")  # not that of a, whose datagrams would wait for it
    got, _ = udp(a, b, 1000, 0.001, port=7776)  # a corrupted address makes a flow of its own, drawn for by its ports too
    noises = [answer(other) for other in others]
    check(all(noises) and (not noise or noises[0] > 100), "no noise", noises)
    record = emulator.end()
    check(stage(record, "fwd.loss")["in"] >= 1000 + sum(noises[:1]), record["fwd"], noises)
    return got, [len(drops(log, node)) for node in NODES], [e["data"].get("state") for e in drops(log, "fwd.elliott")]


def a_seed_loses_the_same_datagrams_whatever_else_passes(a, b):
    quiet, noisy = offered(a, b, False), offered(a, b, True)
    check(quiet[0] == noisy[0], "other datagrams arrive:", set(quiet[0]) ^ set(noisy[0]))
    check(quiet[1:] == noisy[1:], quiet[1:], noisy[1:])
    check(700 < len(quiet[0]) < 850 and len(set(quiet[0])) < len(quiet[0]) and all(quiet[1]), len(quiet[0]), quiet[1])


def gilbert_losses_agree_in_record_log_capture_and_at_the_receiver(a, b):
    where = scratch()
    emulator = Emulator(a, b, "--link", "loss gilbert on 200ms 50% off 200ms 0% shared", "--log", where + "/log.jsonl", "--capture",
                        where + "/path.pcapng")
    got, _ = udp(a, b, 3000, 0.001)
    record = emulator.end()
    of_fwd = drops(where + "/log.jsonl", "fwd.gilbert")
    dropped = len(of_fwd)
    check(3000 - len(got) == dropped and all(e["data"]["cause"] == "markov" for e in of_fwd), len(got), dropped)
    check(0 <= stage(record, "fwd.gilbert")["dropped"]["markov"] - dropped <= 10, record)
    # they come in bursts of the on state: no gap between two drops is longer than the run, and some exceed 100 ms
    gaps = [y["time_ns"] - x["time_ns"] for x, y in zip(of_fwd, of_fwd[1:])]
    check(max(gaps) > 50e6 and sorted(gaps)[len(gaps) // 2] < 10e6, "not bursty", max(gaps))
    if os.path.exists("/usr/bin/tshark"):
        shown = run(["tshark", "-r", where + "/path-drops.pcapng", "-Y", 'frame.comment contains "fwd.gilbert" && udp'])
        check(len(shown.stdout.splitlines()) == dropped, len(shown.stdout.splitlines()), dropped, shown.stderr)
    print(f"    {dropped} of 3000 lost")


main(a_seed_loses_the_same_datagrams_whatever_else_passes, gilbert_losses_agree_in_record_log_capture_and_at_the_receiver)
