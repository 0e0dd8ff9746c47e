# SPDX-License-Identifier: BSD-2-Clause
from emu_lab import *


def lost(a, b, noise):
    emulator = Emulator(a, b, "--seed", "7", "--fwd", "loss 20%")
    ping = a.python(PING, B, 20, 0.02) if noise else None
    if noise:
        a.must("ip", "neighbour", "flush", "dev", "wt0")
    got = udp(a, b, 1000, 0.001)
    if ping:
        answer(ping)
    record = emulator.end()
    missing = sorted(set(range(1000)) - set(got))
    dropped = stage(record, "fwd.loss")["dropped"].get("loss", 0)
    check(len(missing) == dropped if not noise else len(missing) < dropped, len(missing), dropped)
    return missing


def a_seed_loses_the_same_datagrams_whatever_else_passes(a, b):
    quiet, noisy = lost(a, b, False), lost(a, b, True)
    check(quiet == noisy, "differ:", set(quiet) ^ set(noisy))
    check(150 < len(quiet) < 250, len(quiet))


def gilbert_losses_agree_in_record_log_capture_and_at_the_receiver(a, b):
    where = scratch()
    emulator = Emulator(a, b, "--link", "loss gilbert on 200ms 50% off 200ms 0% shared", "--log", where + "/log.jsonl", "--capture",
                        where + "/path.pcapng")
    got = udp(a, b, 3000, 0.001)
    record = emulator.end()
    dropped = stage(record, "fwd.gilbert")["dropped"]["markov"]
    check(3000 - len(got) == dropped, len(got), dropped)
    with open(where + "/log.jsonl", encoding="ascii") as log:
        events = [json.loads(line) for line in log]
    of_fwd = [e for e in events if e["data"]["node"] == "fwd.gilbert"]
    check(len(of_fwd) == dropped and all(e["data"]["cause"] == "markov" for e in of_fwd), len(of_fwd), dropped)
    # they come in bursts of the on state: no gap between two drops is longer than the run, and some exceed 100 ms
    gaps = [y["time_ns"] - x["time_ns"] for x, y in zip(of_fwd, of_fwd[1:])]
    check(max(gaps) > 50e6 and sorted(gaps)[len(gaps) // 2] < 10e6, "not bursty", max(gaps))
    if os.path.exists("/usr/bin/tshark"):
        shown = run(["tshark", "-r", where + "/path.pcapng", "-Y", 'frame.comment contains "fwd.gilbert"'])
        check(len(shown.stdout.splitlines()) == dropped, len(shown.stdout.splitlines()), dropped, shown.stderr)
    print(f"    {dropped} of 3000 lost")


main(a_seed_loses_the_same_datagrams_whatever_else_passes, gilbert_losses_agree_in_record_log_capture_and_at_the_receiver)
