# SPDX-License-Identifier: BSD-2-Clause
from lab import *


def the_kernels_ping_takes_twice_the_delay(a, b):
    emulator = Emulator(a, b, "--link", "delay 15ms")
    rtts = sorted(answer(a.python(PING, B, 100, 0.01)))
    record = emulator.end()
    check(len(rtts) == 100, len(rtts), "answers")
    check(rtts[0] >= 0.030, "faster than the path:", rtts[0])
    # a busy machine adds to the path's own 30 ms, to half of them and more, but not always: the best is near it, a tenth not far
    check(rtts[0] < 0.0315 and rtts[10] < 0.040, "slower than the path:", rtts[0], rtts[10])
    check(record["ended_by"] == "signal" and record["ended_detail"] == signal.SIGTERM, record)
    check(stage(record, "fwd.delay")["out"] >= 100, record)
    print(f"    rtt min {rtts[0] * 1e3:.3f} median {rtts[50] * 1e3:.3f} 99% {rtts[98] * 1e3:.3f} ms")


def an_outage_silences_the_path_and_ends(a, b):
    emulator = Emulator(a, b, "--link", "outage at 0 for 500ms")
    time.sleep(0.6)
    rtts = answer(a.python(PING, B, 5, 0.01))
    record = emulator.end(signal.SIGINT)
    check(len(rtts) == 5, rtts)
    check(record["ended_detail"] == signal.SIGINT, record)


def the_capture_holds_the_path_to_the_nanosecond(a, b):
    where = scratch()
    emulator = Emulator(a, b, "--link", "delay 15ms", "--capture", where + "/path.pcapng")
    answer(a.python(PING, B, 20, 0.01))
    emulator.end()
    run(["mergecap", "-w", where + "/all.pcapng", where + "/path.pcapng", where + "/path-b.pcapng"])
    tshark = run(["tshark", "-r", where + "/all.pcapng", "-Y", "icmp.type == 8", "-T", "fields", "-e", "frame.interface_name", "-e",
                  "icmp.seq", "-e", "frame.time_relative", "-e", "_ws.malformed", "-e", "ip.checksum.status"]) if has("tshark") else None
    if tshark is None:
        print("    no tshark: capture not read")
        return
    times = {}
    for line in tshark.stdout.splitlines():
        interface, number, when, malformed, _ = (line + "\t\t").split("\t")[:5]
        check(not malformed, line)
        times.setdefault(number, {})[interface] = round(float(when) * 1e9)
    check(len(times) == 20, tshark.stdout, tshark.stderr)
    for number, at in times.items():
        check(at["b"] - at["a"] == 15000000, number, at)


def has(program):
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in os.environ["PATH"].split(":"))


main(the_kernels_ping_takes_twice_the_delay, an_outage_silences_the_path_and_ends, the_capture_holds_the_path_to_the_nanosecond)
