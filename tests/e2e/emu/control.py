# SPDX-License-Identifier: BSD-2-Clause
"""The daemon by its file, its signals and its control socket."""
import fcntl
import random
import select
import socket
import stat

from lab import *


def write(path, text):
    with open(path, "w", encoding="ascii") as out:
        out.write(text)


def config(a, b, rest):
    return f"[port a]\ninterface = tap:wt0@{a.holder.pid}\n[port b]\ninterface = tap:wt0@{b.holder.pid}\n{rest}"


def events(path, name):
    with open(path, encoding="ascii") as lines:
        return [event for event in map(json.loads, lines) if event["event"] == name]


def ask(*words):
    return run([WAVETANK, "emu", *words])


def from_file(a, b, text, *words, **options):
    folder = scratch()
    write(folder + "/path.conf", config(a, b, text))
    return folder, Emulator(a, b, "-f", folder + "/path.conf", *words, ports=(), **options)


def a_bad_file_is_named_with_line_and_word_and_starts_nothing(a, b):
    folder = scratch()
    for text, line, sentence in (
            ("[link]\nboth = delai 15ms\n", 6, 'did you mean "delay"?'), ("[link]\n\nfwd = delay 15\n", 7, "has no unit"),
            ("[emulator]\nsede = 1\n", 6, 'did you mean "seed"?'), ("[emulator]\nrelease = fast\n", 6, "sleep, guard, spin"),
            ("[lnik]\n", 5, 'did you mean "link"?'), ("[at soon]\nfwd = delay 1ms\n", 5, "soon"), ("[link]\ngarbage\n", 6, "key = value"),
            ("[link]\nboth = delay 1ms\n[at 1s]\nfwd = handoff every 1s for 1ms\n", 8, "must stand in fwd and rev"),
            ("[at 1s]\nqueue = flsuh\n", 6, "expected keep or flush"), ("[port a]\n", 5, "already"),
            ("[link]\nboth = only (tcp prot 80) { loss 1% }\n", 6, "pcap-filter"), ("[link]\nboth = delay 1ms\nboth = delay 1ms\n", 7, "twice"),
            ("[link x]\nbetween = a c\n", 6, 'no host, port or router "c"'), ("[port c]\n", 5, "interface is missing"),
            ("[router r]\n[link x]\nbetween = a r\n[link y]\nbetween = r b\n", 1, "gateway is missing"),
            ("[emulator]\nseed = 1\nseed = 2\n", 7, "twice"), ("[emulator]\ntime = 0s\n", 6, "above 0"), ("[emulator\nseed = 1\n", 5, "ends with ]"),
            ("[link]\nfwd = delay 1ms\nboth = delay 2ms\n", 7, "both gives them to fwd and rev"),
            ("[link]\n[at 1s]\nnote = a note alone\n", 6, "the change is missing"),
            ("[link]\n[schedule]\nboth = delay $d\ncolumns = d\n", 6, "expected a row, such as 10s = VALUE"),
            ("[link]\nboth = only tcp { loss 1% }\n", 6, "only (EXPRESSION) { WORDS }"), ("[link]\nboth = rate trace / limit 64KB\n", 6, "cannot be read"),
            ("[port c]\ninterface = tap:c\ngateway = 10.0.1.1/24\n[port d]\ninterface = tap:d\ngateway = 10.0.2.1/16\n[router r]\n"
             "[link x]\nbetween = c r\n[link y]\nbetween = r d\n[link z]\nbetween = a b\n", 8, "network of port c"),
            ("[link]\nboth = delay 1ms " + 200 * "x" + "\n", 6, "the line has more than")):
        write(folder + "/bad.conf", config(a, b, text))
        for more in ([], ["-n"]):
            done = run([WAVETANK, "emu", "run", "-f", folder + "/bad.conf", *more])
            check(done.returncode == 2, text, "exit", done.returncode, done.stderr)
            check(f"bad.conf:{line}: " in done.stderr and sentence in done.stderr and len(done.stderr.splitlines()) == 1, text, done.stderr)
    check(a.interfaces() == {"lo"}, a.interfaces())
    done = run([WAVETANK, "emu", "run", "-n", "-f", folder + "/none.conf"])
    check(done.returncode == 2 and "No such file" in done.stderr, done.stderr)


def a_script_changes_both_directions_at_its_times(a, b):
    _, emulator = from_file(a, b, "[link]\nboth = delay 5ms loss 0%\n[at 2s]\nboth = delay 15ms loss 0%\n"
                            "[at 2100ms every 100ms times 2]\nfwd = delay 20ms loss 0%\n")
    early = best_rtt(a)
    until(lambda: best_rtt(a, count=3) >= 35, "no change takes place")
    late = best_rtt(a)
    record = emulator.end()
    check(10 <= early < 14, early)
    check(35 <= late < 45, late)
    check(record["fwd"]["path"] == "loss 0% delay 20ms" and record["rev"]["path"] == "loss 0% delay 15ms", record["fwd"]["path"])


# The wall clock as libc tells it: an hour on after 0.6 s, two back after 1.2 s.
STEPS = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now)
{
	static double start;
	struct timespec on;
	int result = (int)syscall(SYS_clock_gettime, clock, now);
	double at;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &on);
	at = (double)on.tv_sec + (double)on.tv_nsec / 1e9;
	if (start == 0)
		start = at;
	if (clock == CLOCK_REALTIME)
		now->tv_sec += at - start < 0.6 ? 0 : at - start < 1.2 ? 3600 : -3600;
	return result;
}
int gettimeofday(struct timeval *now, void *zone)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	now->tv_sec = t.tv_sec;
	now->tv_usec = t.tv_nsec / 1000;
	return 0;
}
"""


def steps_of_the_clock_change_nothing(a, b):
    folder = scratch()
    write(folder + "/steps.c", STEPS)
    done = run(["cc", "-shared", "-fPIC", "-o", folder + "/steps.so", folder + "/steps.c"])
    check(done.returncode == 0, done.stderr)
    os.environ["LD_PRELOAD"] = folder + "/steps.so"
    try:
        # on the wall clock the second change is due after 0.6 s, and the first will not be for hours
        _, emulator = from_file(a, b, "[link]\nboth = delay 5ms\n[at 1500ms]\nboth = delay 15ms\n[at 30min]\nboth = delay 50ms\n", "--log",
                                folder + "/log.jsonl")
        check(10 <= best_rtt(a) < 14, "before")
        until(lambda: best_rtt(a, count=3) >= 30, "the change does not take place")
        check(30 <= best_rtt(a, count=11) < 34, "after")
        emulator.end()
        began = time.monotonic()
        _, emulator = from_file(a, b, "[link]\nboth = delay 5ms\n", "-t", "1500ms", addresses=False)
    finally:
        del os.environ["LD_PRELOAD"]
    check([change["time_ns"] for change in events(folder + "/log.jsonl", "emulation:path_changed")] == [1500000000], "a change at another time")
    out, err = emulator.process.communicate(timeout=30)
    record = json.loads(out.splitlines()[-1])
    check(emulator.process.returncode == 0 and record["ended_by"] == "time", err, record)
    check(1.5e9 <= record["ran_ns"] <= (time.monotonic() - began) * 1e9, record["ran_ns"])


def the_log_has_every_change_with_its_time_and_note(a, b):
    log = scratch() + "/log.jsonl"
    _, emulator = from_file(a, b, "[link]\nboth = delay 5ms\n[at 200ms]\nboth = delay 15ms\nnote = far\n[at 300ms every 50ms times 2]\n"
                            "fwd = delay 20ms\n", "-t", "500ms", "--log", log, addresses=False)
    check(emulator.process.wait(30) == 0, "it does not end")
    changes = events(log, "emulation:path_changed")
    check([change["time_ns"] for change in changes] == [200000000, 300000000, 350000000], changes)
    check(changes[0]["data"]["note"] == "far" and changes[0]["data"]["rev"] == "delay 15ms", changes[0])


def the_first_row_of_a_schedule_is_what_the_path_is_said_to_be_at_the_start(a, b):
    _, emulator = from_file(a, b, "[link]\n[schedule]\nboth = delay $d\ncolumns = d\n0s = 5ms\n100ms = 7ms\n")
    time.sleep(0.3)
    emulator.process.terminate()
    first, last = map(json.loads, emulator.process.communicate(timeout=10)[0].splitlines())
    check(first["record"] == "run" and first["fwd"] == first["rev"] == "delay 5ms", first)
    check(last["record"] == "end" and last["fwd"]["path"] == last["rev"]["path"] == "delay 7ms", last["fwd"], last["rev"])


def sighup_reads_the_file_again_or_changes_nothing(a, b):
    said = "[emulator]\nseed = 5\nframes = 1024\n[link]\nboth = delay %s\n"
    folder, emulator = from_file(a, b, said % "5ms", "--seed", "7", "--frames", "2000")  # options win, and do not make the file another
    check(10 <= best_rtt(a) < 14)
    write(folder + "/path.conf", config(a, b, said % "15ms"))
    emulator.read_again()
    check(30 <= best_rtt(a) < 35, "the new words are not in force")
    for bad in ("[link]\nboth = delai 1ms\n", "[link]\nfwd = delay 1ms handoff every 1s for 1ms\nrev = delay 1ms\n", said.replace("seed = 5", "seed = 7") % "1ms"):
        write(folder + "/path.conf", config(a, b, bad))
        check("not read again: " in emulator.read_again(), bad)
    for key, more in (("seed", ""), ("frames", "seed = 5\n"), *((key, f"seed = 5\nframes = 1024\n{key} = {value}\n") for key, value in (
            ("time", "1h"), ("late", "500ms"), ("steal", "99%"), ("icmp-limit", "3/s burst 1"), ("capture", folder + "/new.pcapng"),
            ("log", folder + "/new.jsonl"), ("control", folder + "/new.sock"), ("release", "sleep"), ("ports", "wait"), ("offload", "no")))):
        write(folder + "/path.conf", config(a, b, f"[emulator]\n{more}[link]\nboth = delay 1ms\n"))
        line = emulator.read_again()
        check(line.endswith(f"not read again: {folder}/path.conf: {key} cannot change while it runs; stop it and start it again"), line)
    check(30 <= best_rtt(a) < 35, "a bad file changed the path")
    record = emulator.end()
    check(record["fwd"]["path"] == "delay 15ms", record["fwd"])


def a_file_that_words_name_is_read_at_the_start_and_by_sighup_and_needed_no_more(a, b):
    rest = "[link]\nfwd = delay 5ms\nrev = rate trace %s/one limit 64KB\n[at 400ms]\nfwd = delay 6ms\nrev = rate trace %s/two limit 64KB\n"
    folder = scratch()
    for name in ("one", "two"):
        write(f"{folder}/{name}", "1\n")
    _, emulator = from_file(a, b, rest % (folder, folder), "--log", folder + "/log.jsonl", "--control", folder + "/s")
    os.rename(folder + "/one", folder + "/gone")
    os.rename(folder + "/two", folder + "/three")
    os.mkfifo(folder + "/two")  # who opens or reads it waits for ever
    until(lambda: "delay 6ms" in ask("show", "--control", folder + "/s").stdout, "the script's change")
    done = ask("set", "--control", folder + "/s", "fwd", "delay 7ms")
    check(done.returncode == 0, done)
    done = ask("set", "--control", folder + "/s", "fwd", f"delay 7ms loss trace {folder}/two")
    check(done.returncode == 2 and done.stderr.endswith(f"{folder}/two: cannot be read (not a regular file)\n"), done)
    said = [emulator.read_again()]
    os.rename(folder + "/gone", folder + "/one")
    write(folder + "/three", "1\n2\n")
    os.rename(folder + "/three", folder + "/two")
    said += [emulator.read_again(), emulator.read_again()]
    emulator.end()
    check(f"{folder}/one: cannot be read (there is no such file)" in said[0], said)
    check(said[1:] == [f"wavetank emu run: read again: {n} of 1 links changed" for n in (1, 0)], said)
    changes = [change["data"]["by"] for change in events(folder + "/log.jsonl", "emulation:path_changed")]
    check(changes == ["script", "control", "file"], changes)


def who_may_not_read_a_file_any_more_is_told_who_it_is_now(a, b):
    folder, emulator = from_file(a, b, "[link]\nboth = delay 5ms\n", "--control", scratch() + "/s")
    write(folder + "/trace", "1\n")
    who = f"Permission denied{{}} (the emulator is user {emulator.shown()['uid']} now: --user)"
    os.chmod(folder, 0o700)
    check(emulator.read_again().endswith(f"{folder}/path.conf: " + who.format("")), "of the file")
    done = ask("set", "--control", emulator.control, "fwd", f"loss trace {folder}/trace")
    check(done.returncode == 2 and done.stderr.endswith(f"{folder}/trace: cannot be read (" + who.format(")") + "\n"), done)
    os.chmod(folder, 0o755)
    check("0 of 1 links changed" in emulator.read_again(), "may be read")
    emulator.end()


def who_sets_or_reloads_is_told_which_links_there_are_which_changed_and_where_the_file_is_wrong(a, b):
    folder = scratch()
    ports = config(a, b, "").replace("[port b]", "gateway = 10.0.1.1/24\n[port b]") + "gateway = 10.0.2.1/24\n"

    def links(one, two, ports=ports):
        write(folder + "/path.conf", ports + f"[router r]\n[link one]\nbetween = a r\nboth = {one}\n[link two]\nbetween = r b\nboth = {two}\n")

    links("delay 1ms", "delay 2ms")
    emulator = Emulator(a, b, "-f", folder + "/path.conf", "--log", folder + "/log.jsonl", "--control", folder + "/s", ports=(), addresses=False)
    for target, answered in (("onne.fwd", "no link 'onne'; did you mean 'one'? there are: one, two"), ("nowhere.both", "no link 'nowhere'; there are: one, two"),
                             ("fwd", "'fwd' is no target: expected fwd, rev or both of a link, such as one.fwd")):
        done = ask("set", "--control", folder + "/s", target, "delay 9ms")
        check(done.returncode == 2 and done.stderr == f"wavetank emu set: {answered}\n", done)
    said = []
    for change in (lambda: links("delay 1ms", "delay 3ms"), lambda: links("delay 1000us", "delay 3ms"), lambda: links("delay 4ms", "delay 5ms"),
                   lambda: links("delay 1ms", "delay 2ms", ports.replace("10.0.2.1", "10.0.3.1")), lambda: links("delai 1ms", "delay 2ms")):
        change()
        said.append(emulator.read_again())
    emulator.end()
    check(said[:3] == [f"wavetank emu run: read again: {n} of 2 links changed" for n in (1, 0, 2)], said)
    check(said[3] == f"wavetank emu run: not read again: {folder}/path.conf:4: ports and gateways cannot change while it runs; stop it and start it again", said)
    check(f"{folder}/path.conf:10: " in said[4], said)
    changes = [(change["data"]["link"], change["data"]["fwd"]) for change in events(folder + "/log.jsonl", "emulation:path_changed")]
    check(changes == [("two", "delay 3ms"), ("one", "delay 4ms"), ("two", "delay 5ms")], changes)
    refused = events(folder + "/log.jsonl", "emulation:change_refused")
    check(len(refused) == 2 and "path.conf:4: " in refused[0]["data"]["reason"], refused)


def a_scripted_change_that_cannot_be_made_makes_the_run_invalid(a, b):
    folder, emulator = from_file(a, b, "[link]\nboth = delay 1ms\n[at 3s]\nfwd = delay 2ms\n", "--log", "/dev/stderr", "--control", "auto")
    path = json.loads(emulator.process.stdout.readline())["control"]
    done = ask("set", "--control", path, "both", "handoff every 1s for 10ms delay 1ms")
    check(done.returncode == 0, done)
    while json.loads(ask("show", "--json", "--control", path).stdout)["ran_ns"] < 3.1e9:
        time.sleep(0.1)
    emulator.process.terminate()
    out, err = emulator.process.communicate(timeout=20)
    record = json.loads(out.splitlines()[-1])
    check(not record["verdict"]["valid"] and "script" in [fault["fault"] for fault in record["verdict"]["faults"]], record["verdict"])
    check('"fault":"script"' in err and "must stand in fwd and rev" in err, err)


def a_running_path_is_shown_changed_and_followed(a, b):
    path = scratch() + "/emu.sock"
    emulator = Emulator(a, b, "--link", "delay 5ms loss 0%", "--control", path)
    check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, oct(os.stat(path).st_mode))
    listener = start([WAVETANK, "emu", "events", "--control", path], stdout=subprocess.PIPE, text=True)
    while not select.select([listener.stdout], [], [], 0.05)[0]:  # it does not say that it listens, but by the first event
        ask("set", "--control", path, "rev", "delay 5ms loss 0%")
    check(10 <= best_rtt(a) < 14)
    done = ask("set", "--control", path, "fwd", "delay 20ms loss 0%", "rev", "delay 10ms loss 100%")
    check(done.returncode == 0, done.stderr)
    check(answer(a.python(PING, B, 2, 0, 1)) == [], "answers came through a loss of all")
    for bad in (("fwd", "handoff every 1s for 1ms delay 20ms"), ("fwd", "loss 0% | only (udp prot 9) { delay 20ms }"), ("--queue", "hold", "fwd", "delay 1ms"), ("fwd", "delay 1ms loss 0%", "rev", "delai 1ms"), ("up", "delay 1ms loss 0%"), ("x.fwd", "delay 1ms")):
        done = ask("set", "--control", path, *bad)
        check(done.returncode == 2 and len(done.stderr.splitlines()) == 1, bad, done.returncode, done.stderr)
    done = ask("show", "--control", path, "--json")
    record = json.loads(done.stdout)
    check(record["record"] == "show" and record["fwd"]["path"] == "loss 0% delay 20ms", record["fwd"])
    check("verdict" in ask("show", "--control", path).stdout, "no text")
    check("lateness of" in ask("show", "--control", path).stdout, "it woke up for pings")
    done = ask("set", "--control", path, "mian.fwd", "delay 1ms")
    check(done.returncode == 2 and "no link 'mian'; did you mean 'main'? there is: main" in done.stderr, done)
    ask("set", "--control", path, "main.both", "delay 10ms loss 0%")
    check(20 <= best_rtt(a) < 24)
    done = ask("set", "--control", path, "fwd.delay", "30ms", "main.rev.loss", "3%", "fwd.loss", "1%")
    check(done.returncode == 0 and "no longer" not in done.stderr, done)
    record = json.loads(ask("show", "--control", path, "--json").stdout)
    check((record["fwd"]["path"], record["rev"]["path"]) == ("loss 1% delay 30ms", "loss 3% delay 10ms"), record["fwd"], record["rev"])
    for words, said in ((("fwd.rate", "1Mbit"), "no stage 'rate' in this path, which has loss, delay"),
                        (("fwd.loss", "1%", "fwd", "loss 2%"), "given words twice"), (("fwd", "loss 2%", "fwd.loss", "1%"), "given words twice")):
        done = ask("set", "--control", path, *words)
        check(done.returncode == 2 and said in done.stderr, done)
    done = ask("set", "--control", path, "both", "loss 0%")
    check(done.returncode == 0 and "no longer in the path: fwd.delay rev.delay\n" in done.stderr, done)
    emulator.end()
    told = [json.loads(line) for line in listener.communicate(timeout=30)[0].splitlines()]
    told = [event["event"] for event in told if event["event"] != "emulation:path_changed" or event["data"]["fwd"] != "loss 0% delay 5ms"]
    check(told.count("emulation:path_changed") == 4 and told.count("emulation:packet_dropped") == 2, told)
    check(not os.path.exists(path), "the socket is left behind")
    check(ask("show", "--control", path).returncode == 4)


def a_stopped_emulator_is_given_up_after_10_s_and_does_nothing_of_it_later(a, b):
    path = scratch() + "/emu.sock"
    emulator = Emulator(a, b, "--link", "delay 5ms", "--control", path)
    emulator.process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    asked = [start([WAVETANK, "emu", *words, "--control", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
             for words in (["show"], ["show", "--json"], ["events"], ["set", "fwd", "delay 20ms"])]
    with socket.socket(socket.AF_UNIX) as patient:  # one that waits on, and has said that it has no more to say
        patient.connect(path)
        patient.settimeout(30)
        patient.sendall(b"set\trev\tdelay 9ms\n")
        patient.shutdown(socket.SHUT_WR)
        for client in asked:
            out, err = client.communicate(timeout=30)
            check(client.returncode == 124 and "no answer in 10 s" in err and len(err.splitlines()) == 1 and not out, client.args, client.returncode, err)
        check(9.5 < time.monotonic() - began < 25, time.monotonic() - began)
        emulator.process.send_signal(signal.SIGCONT)
        check(patient.recv(100).startswith(b"ok "), "who still waits is not answered")
    done = ask("show", "--control", path, "--json")
    check(done.returncode == 0, done.stderr)
    record = json.loads(done.stdout)
    check(record["fwd"]["path"] == "delay 5ms", "the change of one that has gone was made", record["fwd"])
    check(record["rev"]["path"] == "delay 9ms", record["rev"])
    emulator.end()


def nonsense_at_the_control_socket_changes_nothing_and_holds_nobody_up(a, b):
    path = scratch() + "/emu.sock"
    emulator = Emulator(a, b, "--link", "delay 5ms loss 0%", "--control", path)
    dice = random.Random(1)
    pieces = [b"set", b"set flush", b"\t", b"fwd", b"both", b"delay 5ms", b"loss 1%", b"rate 1Mbit", b"limit 64KB", b"|", b"only (tcp) {", b"}", b" ", b"shared",
              b"handoff every 1s for 1s", b"show", b"events", b"\0", b"\xff", b"x" * 3000, b"-1", b"main.rev", b"%s%n"]
    answers = 0
    for _ in range(60):
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(path)
            control.settimeout(10)
            for _ in range(8):
                line = b"".join(dice.choice(pieces) for _ in range(dice.randrange(1, 9))) + b"?\n"  # no word ends so: none is right
                try:
                    control.sendall(line)
                    if dice.random() < 0.5:
                        said = control.recv(4000)
                        check(not said or said.startswith(b"error "), said)
                        answers += said.startswith(b"error ")
                except OSError:
                    break
            if dice.random() < 0.5:
                control.sendall(b"set\tfwd\tdelay 9m")  # and gone
    check(answers > 50, answers)
    check(10 <= best_rtt(a) < 14)
    record = emulator.end()
    check(record["fwd"]["path"] == record["rev"]["path"] == "loss 0% delay 5ms", record["fwd"], record["rev"])
    check(len(record["fwd"]["stages"]) == 2, record["fwd"])


def stages_come_and_go_and_a_flush_empties_the_queue(a, b):
    folder = scratch()
    path = folder + "/emu.sock"
    emulator = Emulator(a, b, "--fwd", "rate 80Kbit burst 0B limit 64KB", "--control", path, "--log", folder + "/log.jsonl")
    receiver = listener(b, UDP_RECEIVE, 1.5)
    answer(a.python(UDP_SEND, B, 60, 0, 958))  # 1000 B of Ethernet, 100 ms each
    for words in (("fwd", "rate 80Kbit burst 0B limit 64KB queue fq_codel"), ("fwd", "rate 80Kbit burst 0B limit 64KB queue pie delay 20ms")):
        done = ask("set", "--control", path, *words)
        check(done.returncode == 0, done.stderr)
    waiting = stage(json.loads(ask("show", "--control", path, "--json").stdout), "fwd.rate")["queued"]
    check(waiting > 20, waiting)
    done = ask("set", "--control", path, "--queue", "flush", "fwd", "loss 0% delay 40ms", "rev", "delay 40ms")
    check(done.returncode == 0, done.stderr)
    check(80 <= best_rtt(a) < 90)
    got = answer(receiver)
    record = emulator.end()
    rate = stage(record, "fwd.rate")
    check(rate["gone"] and rate["dropped"]["flush"] == rate["in"] - rate["out"] and rate["dropped"]["flush"] > 20, rate)
    check(got == list(range(len(got))) and len(got) == 60 - rate["dropped"]["flush"], got, rate)
    names = [entry["stage"] for entry in record["fwd"]["stages"] if entry["stage"] != "fwd.drain"] # where the rate was
    check(names == ["fwd.loss", "fwd.delay", "fwd.rate"], record["fwd"]["stages"])
    flushed = events(folder + "/log.jsonl", "emulation:packet_dropped")
    changes = events(folder + "/log.jsonl", "emulation:path_changed")
    check([change["data"]["queue"] for change in changes] == ["keep", "keep", "flush"], changes)
    check({(drop["time_ns"], drop["data"]["cause"]) for drop in flushed} == {(changes[-1]["time_ns"], "flush")}, flushed)


def a_killed_emulator_leaves_nothing_and_starts_again_at_the_same_socket(a, b):
    path = scratch() + "/emu.sock"
    for moment in (0, 0.001, 0.01, 0.05, 0.2):
        command = [WAVETANK, "emu", "run", "--control", path, "--port", f"tap:wt0@{a.holder.pid}", "--port", f"tap:wt0@{b.holder.pid}"]
        process = start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moment)
        process.kill()
        process.wait(30)
        a.is_empty()
        b.is_empty()
    emulator = Emulator(a, b, "--link", "delay 5ms", "--control", path)
    check(10 <= best_rtt(a) < 14)
    done = run([WAVETANK, "emu", "run", "--control", path, "--port", f"tap:wt1@{a.holder.pid}", "--port", f"tap:wt1@{b.holder.pid}"])
    check(done.returncode == 3 and "another emulator listens there" in done.stderr, done.stderr)
    emulator.end()


def a_file_in_the_place_of_the_control_socket_is_kept(a, b):
    path = scratch() + "/precious"
    write(path, "three years of work\n")
    done = run([WAVETANK, "emu", "run", "--control", path, "--port", f"tap:wt1@{a.holder.pid}", "--port", f"tap:wt1@{b.holder.pid}"])
    check(done.returncode == 3 and "there is a file of that name" in done.stderr and len(done.stderr.splitlines()) == 1, done.returncode, done.stderr)
    with open(path, encoding="ascii") as file:
        check(file.read() == "three years of work\n", "the file is gone")


def a_socket_whose_emulator_was_killed_is_told_from_others_in_one_line_and_exit_4(a, b):
    folder = scratch()
    path = folder + "/emu.sock"
    emulator = Emulator(a, b, "--control", path, "--user", "root")  # of others a helper removes it
    emulator.process.kill()
    emulator.process.wait(30)
    write(folder + "/file", "")
    for words in (["show"], ["show", "--json"], ["events"], ["set", "fwd", "delay 1ms"]):
        for place, sentence in (("emu.sock", "was killed"), ("none", "no emulator listens there"), ("file", "not a control socket")):
            done = ask(words[0], "--control", folder + "/" + place, *words[1:])
            check(done.returncode == 4 and sentence in done.stderr and len(done.stderr.splitlines()) == 1 and not done.stdout, words, done)


def of_many_that_start_at_one_socket_one_gets_it_and_no_other_takes_it_away(a, b):
    path = scratch() + "/emu.sock"
    for _ in range(4):
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(path)
        many = [start([WAVETANK, "emu", "run", "--json", "--control", path, "--port", f"tap:wt{i}@{a.holder.pid}", "--port",
                       f"tap:wt{i}@{b.holder.pid}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for i in range(6)]
        until(lambda: sum(process.poll() is None for process in many) <= 1, "more than one of them lives")
        living = [process for process in many if process.poll() is None]
        check(len(living) == 1 and json.loads(ask("show", "--json", "--control", path).stdout)["record"] == "show", "nobody answers")
        for process in set(many) - set(living):
            err = process.communicate(timeout=30)[1]
            check(process.returncode == 3 and "another emulator listens there" in err and len(err.splitlines()) == 1, process.returncode, err)
        os.rename(path, path + ".away")
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(path)
        check(stop(living[0]) == 0 and os.path.exists(path), "it took away the socket of another")
        os.unlink(path)
        os.unlink(path + ".away")
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)  # as one that is about to make its socket; whoever never gives it back is not waited for
    began = time.monotonic()
    Emulator(a, b, "--control", path).end()
    check(time.monotonic() - began > 0.9, "it does not wait for others who make their sockets")
    os.close(folder)


def ports_that_vanish_are_waited_for(a, b):
    log = scratch() + "/log.jsonl"
    emulator = Emulator(a, b, "--link", "delay 5ms", "--wait-ports", "--log", log)
    check(10 <= best_rtt(a) < 14)

    def address():
        done = b.do("ip", "-json", "link", "show", "wt0")
        return done.returncode == 0 and json.loads(done.stdout)[0]["address"]

    before = address()
    b.must("ip", "link", "delete", "wt0")
    until(address, "the TAP is not made anew")
    until(lambda: address() == before, lambda: f"another address, which others do not know: {address()}")
    said = [emulator.process.stderr.readline() for _ in range(2)]
    port = f"wavetank emu run: port b (tap:wt0@/proc/{b.holder.pid}/ns/net) is "
    check(said == [port + "gone; it is waited for\n", port + "back\n"], said)
    b.must("sysctl", "-qw", "net.ipv6.conf.wt0.disable_ipv6=1")
    b.must("ip", "address", "add", B + "/24", "dev", "wt0")
    wait_for_answer(a)
    check(10 <= best_rtt(a) < 14)
    record = emulator.end()
    check("port-gone" in {fault["fault"] for fault in record["verdict"]["faults"]}, record["verdict"])
    check(len(events(log, "emulation:port_gone")) == len(events(log, "emulation:port_back")) == 1, "not in the log")


def a_veth_that_comes_back_is_used_again(a, b):
    middle = Side()
    emulator = Emulator(a, b, "--link", "delay 5ms", "--wait-ports", ports=[veth(middle, "va", a), veth(middle, "vb", b)])
    for side in (a, b):
        side.must("ip", "link", "set", "wt0", "up")
    wait_for_answer(a)
    check(10 <= best_rtt(a) < 15)
    middle.must("ip", "link", "delete", "vb")
    time.sleep(0.3)
    veth(middle, "vb", b)
    b.must("sysctl", "-qw", "net.ipv6.conf.wt0.disable_ipv6=1")
    b.must("ip", "address", "add", B + "/24", "dev", "wt0")
    b.must("ip", "link", "set", "wt0", "up")
    a.must("ip", "neighbour", "flush", "dev", "wt0")
    wait_for_answer(a)
    check(10 <= best_rtt(a) < 15)
    emulator.end()


def a_service_manager_is_told(a, b):
    folder = scratch()
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(folder + "/notify")
    told.settimeout(30)
    os.environ.update(NOTIFY_SOCKET=folder + "/notify", WATCHDOG_USEC="100000")
    try:
        _, emulator = from_file(a, b, "[link]\nboth = delay 1ms\n")
    finally:
        del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]
    words = [told.recv(100) for _ in range(4)]
    check(words[0] == b"READY=1" and words[1:] == 3 * [b"WATCHDOG=1"], words)
    before = time.monotonic_ns() // 1000
    emulator.process.send_signal(signal.SIGHUP)
    words = []
    while b"READY=1" not in words:
        words += [word for word in [told.recv(100)] if word != b"WATCHDOG=1"]
    check(len(words) == 2 and words[0].startswith(b"RELOADING=1\nMONOTONIC_USEC=") and words[1] == b"READY=1", words)
    check(before <= int(words[0].split(b"=")[2]) <= time.monotonic_ns() // 1000, words, before)
    emulator.end()
    last = b""
    while last != b"STOPPING=1":
        last = told.recv(100)


main(a_bad_file_is_named_with_line_and_word_and_starts_nothing, a_script_changes_both_directions_at_its_times,
     steps_of_the_clock_change_nothing, the_log_has_every_change_with_its_time_and_note, the_first_row_of_a_schedule_is_what_the_path_is_said_to_be_at_the_start,
     sighup_reads_the_file_again_or_changes_nothing, a_file_that_words_name_is_read_at_the_start_and_by_sighup_and_needed_no_more,
     who_may_not_read_a_file_any_more_is_told_who_it_is_now,
     who_sets_or_reloads_is_told_which_links_there_are_which_changed_and_where_the_file_is_wrong, a_scripted_change_that_cannot_be_made_makes_the_run_invalid,
     a_running_path_is_shown_changed_and_followed,
     a_stopped_emulator_is_given_up_after_10_s_and_does_nothing_of_it_later, nonsense_at_the_control_socket_changes_nothing_and_holds_nobody_up, stages_come_and_go_and_a_flush_empties_the_queue, a_killed_emulator_leaves_nothing_and_starts_again_at_the_same_socket,
     a_file_in_the_place_of_the_control_socket_is_kept, a_socket_whose_emulator_was_killed_is_told_from_others_in_one_line_and_exit_4,
     of_many_that_start_at_one_socket_one_gets_it_and_no_other_takes_it_away, ports_that_vanish_are_waited_for, a_veth_that_comes_back_is_used_again, a_service_manager_is_told)
