# SPDX-License-Identifier: BSD-2-Clause
"""What a run proves about itself: states, drops that name them, faults, and a verdict."""
from lab import *


def events(path, name):
    with open(path, encoding="ascii") as lines:
        return [event for event in map(json.loads, lines) if event["event"] == name]


def states(path, node, end):
    return [(e["time_ns"], e["data"]["state"], e["data"]["visit"]) for e in events(path, "emulation:state_entered")
            if e["data"]["node"] == node and e["time_ns"] < end]


WORDS = "loss gilbert on 20ms 50% off 30ms 0% | outage every 300ms for 50ms"


def equal_seeds_give_equal_states_whatever_passes(a, b):
    folder = scratch()
    quiet = Emulator(a, b, "--seed", "5", "--link", WORDS, "--log", folder + "/quiet.jsonl")
    time.sleep(1.5)
    ran = quiet.end()["ran_ns"]
    busy = Emulator(a, b, "--seed", "5", "--link", WORDS, "--log", folder + "/busy.jsonl")
    udp(a, b, 1000, 0.001)
    ran = min(ran, busy.end()["ran_ns"])
    for node in ("fwd.gilbert", "rev.gilbert", "fwd.outage", "rev.outage"):
        one, other = states(folder + "/quiet.jsonl", node, ran), states(folder + "/busy.jsonl", node, ran)
        check(one == other, node, "differs:", set(one) ^ set(other))
        check([visit for _, _, visit in one] == list(range(len(one))), "visits are missing", one)
        check(len(one) > (30 if "gilbert" in node else 8), node, len(one))
    check(states(folder + "/quiet.jsonl", "fwd.gilbert", ran) != states(folder + "/quiet.jsonl", "rev.gilbert", ran), "both directions alike")


def a_drop_names_its_state_its_place_in_the_row_and_its_packet(a, b):
    log = scratch() + "/log.jsonl"
    emulator = Emulator(a, b, "--seed", "5", "--fwd", "loss gilbert on 50ms 100% off 50ms 0%", "--log", log)
    got, _ = udp(a, b, 1000, 0.001)
    emulator.end()
    history = states(log, "fwd.gilbert", 1 << 62)
    drops = [e for e in events(log, "emulation:packet_dropped") if e["data"]["packet"].get("dst_port") == 7777]
    check(len(drops) == 1000 - len(got), len(drops), len(got))
    for drop in drops:
        when, state, visit = history[drop["data"]["visit"]]
        after = history[visit + 1][0] if visit + 1 < len(history) else 1 << 62
        check(drop["data"]["state"] == state == "on" and when <= drop["time_ns"] < after, drop, history[visit])
        check(drop["data"]["packet"]["src"] == A and drop["data"]["packet"]["protocol"] == 17, drop)
    places = [drop["data"]["burst"] for drop in drops]
    check(places[0] == 1 and max(places) > 10, places)
    check(all(place in (1, before + 1) for before, place in zip(places, places[1:])), places)


def the_kernels_drops_make_a_run_invalid(a, b):
    log = scratch() + "/log.jsonl"
    emulator = Emulator(a, b, "--link", "delay 1ms", "--log", log, "--control", scratch() + "/control")
    answer(a.python(PING, B, 5, 0.01))
    emulator.process.send_signal(signal.SIGSTOP)
    answer(a.python(UDP_SEND, B, 4000, 0, 100))
    emulator.process.send_signal(signal.SIGCONT)
    until(lambda: emulator.shown()["fwd"]["offered"] >= 4000, "what was sent is not accounted for")
    record = emulator.end()
    faults = {fault["fault"]: fault["where"] for fault in record["verdict"]["faults"]}
    check(record["ports"][0]["kernel_drops"] > 1000, record["ports"])
    check(not record["verdict"]["valid"] and faults.get("kernel-drops") == "a", record["verdict"])
    fwd = record["fwd"]
    check(fwd["kernel_drops"] == record["ports"][0]["kernel_drops"] and fwd["lost"] == 0, fwd)
    check(fwd["offered"] == record["ports"][0]["read"] + fwd["kernel_drops"] == fwd["delivered"] + fwd["dropped"] + fwd["queued"] + fwd["kernel_drops"], fwd)
    check(4000 <= fwd["offered"] <= 4040, "what was sent is not what was accounted for:", fwd)
    logged = events(log, "emulation:fault")
    check([e["data"]["where"] for e in logged if e["data"]["fault"] == "kernel-drops"] == ["a"], logged)


def shown_as_text(emulator):
    return run([WAVETANK, "emu", "show", "--control", emulator.control]).stdout


def where_and_how_the_kernel_lost_frames_is_said_with_the_verdict(a, b):
    middle = Side()
    emulator = Emulator(a, b, "--control", scratch() + "/control", ports=[veth(middle, "va", a), veth(middle, "vb", b)])
    for side in (a, b):
        side.must("ip", "link", "set", "wt0", "up")
    middle.must("ip", "link", "set", "vb", "down")
    answer(a.python(UDP_SEND, B, 20, 0.001, 100))
    text = until(lambda: "kernel-drops" in (shown := shown_as_text(emulator)) and shown, "nobody minds")
    check("kernel-drops (port b: the kernel refused " in text and " that were written) from " in text, text)
    faults = {fault["fault"]: fault["where"] for fault in emulator.end()["verdict"]["faults"]}
    check(faults["kernel-drops"] == "b", faults)
    middle.close()


def where_frames_are_dated_when_read_the_text_says_that_the_loop_is_judged(a, b):
    emulator = Emulator(a, b, "--late", "1ns", "--control", scratch() + "/control")
    answer(a.python(PING, B, 10, 0.06))
    text = until(lambda: "verdict: NOT VALID, late (" in (shown := shown_as_text(emulator)) and shown, "nobody minds")
    check("frames were dated when read; the loop looked for them up to " in text and "leave within 1ns, " in text, text)
    emulator.end()
    emulator = Emulator(a, b, "--link", "delay 1ms", "--arrival", "kernel", "--control", scratch() + "/control")
    check("the loop looked" not in shown_as_text(emulator), "of what is not judged")
    emulator.end()


def a_bound_that_nothing_can_keep_makes_a_run_invalid_and_strict_says_so(a, b):
    emulator = Emulator(a, b, "--link", "delay 1ms", "--late", "1ns", "--strict", "--control", scratch() + "/control")
    answer(a.python(PING, B, 5, 0.01))
    until(lambda: "late" in [fault["fault"] for fault in emulator.shown()["verdict"]["faults"]], "nobody minds")
    time.sleep(0.6)
    emulator.process.send_signal(signal.SIGTERM)
    out, err = emulator.process.communicate(timeout=30)
    record = json.loads(out.splitlines()[-1])
    first = {fault["fault"]: fault["first_ns"] for fault in record["verdict"]["faults"]}
    check(first["late"] < record["ran_ns"] - 500_000_000, "since when is not told:", first, record["ran_ns"])
    check(emulator.process.returncode == 1 and "not valid" in err, emulator.process.returncode, err)
    check([fault["fault"] for fault in record["verdict"]["faults"] if fault["fault"] == "late"] == ["late"], record["verdict"])
    late = record["ports"][1]["late"]
    check(late["frames"] >= 5 and 0 < late["p50_ns"] <= late["p99_ns"] <= late["worst_ns"], late)


def an_exhausted_pool_is_a_counted_fault(a, b):
    emulator = Emulator(a, b, "--fwd", "delay 200ms", "--frames", "64")
    answer(a.python(UDP_SEND, B, 3000, 0.0003, 100))
    record = emulator.end()
    check(record["ports"][0]["dropped"].get("pool", 0) > 100, record["ports"])
    check(record["fwd"]["lost"] == record["ports"][0]["dropped"]["pool"], record["fwd"])
    check("memory" in {fault["fault"] for fault in record["verdict"]["faults"]}, record["verdict"])


JUMBO = "import socket, sys; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(bytes(4000), (sys.argv[1], 7777)); print(1)"


def frames_longer_than_those_of_memory_make_a_run_invalid(a, b):
    for words in ([], ["--offload"]):
        log = scratch() + "/log.jsonl"
        emulator = Emulator(a, b, "--link", "delay 1ms", "--log", log, *words)
        for side in (a, b):
            side.must("ip", "link", "set", "wt0", "mtu", "9000")
        answer(a.python(PING, B, 2, 0.01))
        answer(a.python(JUMBO, B))
        answer(a.python(PING, B, 1, 0))  # what came before is read
        record = emulator.end()
        faults = [fault for fault in record["verdict"]["faults"] if fault["fault"] == "too-long"]
        check(record["ports"][0]["oversize"] == 1 == record["fwd"]["lost"], record["ports"], record["fwd"])
        check(not record["verdict"]["valid"] and len(faults) == 1 and 0 < faults[0]["first_ns"] <= record["ran_ns"], record["verdict"])
        told = [e["data"]["where"] for e in events(log, "emulation:fault") if e["data"]["fault"] == "too-long"]
        check(told == ["a"], told)


def the_record_counts_what_queues_and_errors_did(a, b):
    log = scratch() + "/log.jsonl"
    emulator = Emulator(a, b, "--fwd", "rate 300Kbit burst 0B limit 64KB queue pie | corrupt 20% | loss elliott mean 20% burst 3packets",
                        "--log", log, "--control", scratch() + "/control")
    answer(a.python(UDP_SEND, B, 200, 0, 1000))
    rate = stage(emulator.shown(), "fwd.rate")  # more than a second before little of it is left
    check(rate["waiting_bytes"] > 20000 and rate["waiting_bytes"] < 64001 and rate["pressure"] >= 0, rate)
    until(lambda: stage(emulator.shown(), "fwd.elliott")["in"] >= 35, "nothing leaves the queue")
    record = emulator.end()
    check(0 < stage(record, "fwd.corrupt")["corrupted"] < stage(record, "fwd.corrupt")["in"], record["fwd"])
    told = [e["data"] for e in events(log, "emulation:state_entered") if e["data"]["node"] == "fwd.elliott" and e["data"]["protocol"] == 17]
    check([state["visit"] for state in told] == list(range(len(told))) and len(told) > 1, told)
    for drop in events(log, "emulation:packet_dropped"):
        if drop["data"]["cause"] == "elliott" and drop["data"]["packet"]["protocol"] == 17:
            check(drop["data"]["state"] == "bad" == told[drop["data"]["visit"]]["state"], drop)


def a_guard_costs_little_and_every_way_of_waiting_delivers(a, b):
    for how in ("sleep", "guard", "spin"):
        for _ in range(5):  # time that the host took may be put to the account of who had the processor
            emulator = Emulator(a, b, "--link", "delay 5ms", "--release", how)
            rtts = sorted(answer(a.python(PING, B, 100, 0.005)))
            record = emulator.end()
            check(len(rtts) == 100 and rtts[0] >= 0.010, how, rtts[0])
            check(record["lateness"]["release"] == how, record["lateness"])
            share = record["lateness"]["cpu_s"] / (record["ran_ns"] / 1e9)
            late = record["ports"][0]["late"]
            print(f"    {how}: left late half {late['p50_ns'] / 1e3:.1f} us, 99% {late['p99_ns'] / 1e3:.1f} us, processor {share:.1%}")
            if how == "spin" or share < 0.25:
                break
        check(how == "spin" or share < 0.25, how, share)


def tokens_taken_from_a_bucket_are_logged_for_each_interval(a, b):
    folder = scratch()
    log, control = folder + "/log.jsonl", folder + "/control"
    emulator = Emulator(a, b, "--fwd", "rate 20KB every 30ms burst 20KB limit 400KB", "--log", log, "--control", control)
    def empty():
        return stage(emulator.shown(), "fwd.rate")["queued"] == 0

    answer(a.python(UDP_SEND, B, 150, 0.001, 1000))
    until(empty, "the queue stays")
    words = "rate 5KB every 40ms burst 5KB limit 400KB"
    check(run([WAVETANK, "emu", "set", "--control", control, "fwd", words]).returncode == 0, "set")
    answer(a.python(UDP_SEND, B, 40, 0.001, 1000))
    until(lambda: emulator.shown()["fwd"]["offered"] >= 190 and empty(), "the queue stays")
    rate = stage(emulator.end(), "fwd.rate")
    told = [event["data"] for event in events(log, "emulation:tokens_consumed")]
    changed = events(log, "emulation:path_changed")[0]["time_ns"]
    check(sum(take["frames"] for take in told) == rate["out"] >= 190, told, rate)
    for take in told:  # the change stands in the last interval of the old words and in the first of the new ones
        begin, ms = take["from_ns"], 1000000
        old = begin < changed and begin % (30 * ms) == 0 and 0 < take["tokens_bytes"] <= 20000
        new = begin + 40 * ms > changed and begin % (40 * ms) == 0 and 0 < take["tokens_bytes"] <= 5000
        check(old or new, take, changed)
    busy = [take["tokens_bytes"] for take in told if take["tokens_bytes"] > 4000]
    check(len(busy) >= 10 and len({take["from_ns"] for take in told}) == len(told), told)


def processors_stay_awake_where_asked_for_and_only_as_long(a, b):
    device = "/dev/cpu_dma_latency"
    if not os.path.exists(device):  # a kernel without power management: said in one line
        try:
            Emulator(a, b, "--awake")
        except AssertionError as refused:
            check("exit 3" in str(refused) and f"cannot keep processors awake: {device}" in str(refused), refused)
            return
    emulator = Emulator(a, b, "--awake", "--link", "delay 1ms")
    held = [os.readlink(f"/proc/{emulator.process.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{emulator.process.pid}/fd")]
    with open(device, "rb") as asked:
        strictest = int.from_bytes(asked.read(4), "little")
    record = emulator.end()
    check(held.count(device) == 1 and strictest == 0, held, strictest)
    check(record["lateness"]["awake"] is True, record["lateness"])
    check(Emulator(a, b, addresses=False).end()["lateness"]["awake"] is False, "not asked for")


STEERED = "mount -t sysfs sysfs /sys && cat /sys/class/net/wt0/queues/rx-0/rps_cpus"


def a_device_that_stays_is_steered_as_before_when_the_emulator_has_ended(a, b):
    def sets():
        return [int(side.must("unshare", "-m", "sh", "-c", STEERED).replace(",", ""), 16) for side in (a, b)]

    for side in (a, b):
        side.must("ip", "tuntap", "add", "wt0", "mode", "tap")
    a.must("unshare", "-m", "sh", "-c", STEERED.replace("cat", "echo 1 >"))
    check(sets() == [1, 0], sets())
    for number, words in ((signal.SIGTERM, ["--seccomp"]), (signal.SIGTERM, ["--log", "/dev/full"]), (signal.SIGKILL, [])):
        emulator = Emulator(a, b, "--cpu", "0", "--steer", *words, addresses=False)
        check(sets() == [2 ** os.cpu_count() - 2] * 2, sets())
        emulator.process.send_signal(number)
        emulator.process.communicate(timeout=30)
        if number == signal.SIGKILL:
            until(lambda: sets() == [1, 0], "another receives what is written")
        check(sets() == [1, 0], words, sets())


def what_is_written_is_received_on_other_processors_where_asked_for(a, b):
    emulator = Emulator(a, b, "--cpu", "0", "--steer")
    sets = [int(side.must("unshare", "-m", "sh", "-c", STEERED).replace(",", ""), 16) for side in (a, b)]
    received = answer(a.python(PING, B, 20, 0.005))
    record = emulator.end()
    check(sets == [2 ** os.cpu_count() - 2] * 2 and len(received) == 20, sets, received)
    check("kernel-drops" not in [fault["fault"] for fault in record["verdict"]["faults"]], record["verdict"])
    refused = run([WAVETANK, "emu", "run", "-n", "--steer", "--port", "tap:x", "--port", "tap:y"])
    check(refused.returncode == 2 and "steer: needs cpu" in refused.stderr, refused.returncode, refused.stderr)


main(equal_seeds_give_equal_states_whatever_passes, a_drop_names_its_state_its_place_in_the_row_and_its_packet,
     the_kernels_drops_make_a_run_invalid, where_and_how_the_kernel_lost_frames_is_said_with_the_verdict,
     where_frames_are_dated_when_read_the_text_says_that_the_loop_is_judged, a_bound_that_nothing_can_keep_makes_a_run_invalid_and_strict_says_so,
     an_exhausted_pool_is_a_counted_fault, frames_longer_than_those_of_memory_make_a_run_invalid, the_record_counts_what_queues_and_errors_did, a_guard_costs_little_and_every_way_of_waiting_delivers,
     tokens_taken_from_a_bucket_are_logged_for_each_interval, processors_stay_awake_where_asked_for_and_only_as_long,
     *([what_is_written_is_received_on_other_processors_where_asked_for,
        a_device_that_stays_is_steered_as_before_when_the_emulator_has_ended] if os.cpu_count() > 1 else []))
