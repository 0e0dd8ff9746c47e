# SPDX-License-Identifier: BSD-2-Clause
import fcntl
import itertools
import pwd
import socket

from lab import *

F_SETPIPE_SZ = 1031


def fails(code, sentence, *words):
    done = run([WAVETANK, "emu", "run", *words])
    check(done.returncode == code, words, "exit", done.returncode, done.stderr)
    check(len(done.stderr.splitlines()) == 1 and sentence in done.stderr, words, done.stderr)
    check(done.stdout == "", done.stdout)


def wrong_words_are_one_line_and_exit_2(a, b):
    ports = ["--port", f"tap:wt0@{a.holder.pid}", "--port", f"tap:wt0@{b.holder.pid}"]
    fails(2, 'did you mean "delay"?', *ports, "--fwd", "delai 15ms")
    fails(2, "has no unit", *ports, "--rev", "delay 15")
    fails(2, "burst is missing", *ports, "--link", "rate 10Mbit limit 64KB")
    fails(2, "two ports are needed", "--port", "tap:wt0")
    fails(2, "both ports are", *ports[:2], *ports[:2])
    fails(2, "is not a port", "--port", "wt0", "--port", "wt1")
    fails(2, "expected one of gather, single", *ports, "--writes", "x")
    fails(2, "is not a whole number", *ports, "--seed", "x")
    fails(2, "unexpected word", *ports, "delay", "15ms")
    check(a.interfaces() == {"lo"}, a.interfaces())


def what_the_machine_refuses_is_one_line_and_exit_3(a, b):
    port = ["--port", f"tap:wt0@{a.holder.pid}"]
    fails(3, "no network namespace", *port, "--port", "tap:wt0@/nowhere")
    fails(3, "no interface nothing", *port, "--port", "packet:nothing")
    fails(3, "No such file or directory", *port, "--port", f"tap:wt0@{b.holder.pid}", "--capture", "/nowhere/x.pcapng")
    check(a.interfaces() == {"lo"}, "left behind:", a.interfaces())
    emulator = Emulator(a, b)
    fails(3, "in use by another process", *port, "--port", "tap:wt9")
    emulator.end()


def what_one_emulator_writes_no_other_does(a, b):
    others = ["--port", f"tap:wt9@{a.holder.pid}", "--port", f"tap:wt9@{b.holder.pid}"]
    folder = scratch()
    written = {"--log": folder + "/l", "--capture": folder + "/c"}
    emulator = Emulator(a, b, *itertools.chain(*written.items()))
    before = {path: os.path.getsize(path) for path in written.values()}
    for path in written.values():
        for option in written:
            fails(3, "is writing it", *others, option, path)
    check(before[folder + "/c"] > 0 and all(os.path.getsize(path) >= size for path, size in before.items()), "emptied", before)
    emulator.process.kill()
    emulator.process.wait(10)
    Emulator(a, b, *itertools.chain(*written.items())).end()
    both = ("--log", "/dev/null", "--capture", "/dev/null")
    emulator = Emulator(a, b, *both)
    check(run([WAVETANK, "emu", "run", "-t", "50ms", *both, *others], timeout=10).returncode == 0, "/dev/null is everybody's")
    emulator.end()


def ctrl_c_and_kill_leave_nothing(a, b):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        emulator = Emulator(a, b, "--link", "delay 15ms")
        check("wt0" in a.interfaces(), a.interfaces())
        if number == signal.SIGKILL:
            emulator.process.kill()
            emulator.process.wait(30)
        else:
            emulator.end(number)
        a.is_empty()
        b.is_empty()


def killed_under_traffic_it_leaves_nothing_and_starts_again_at_once(a, b):
    for writes in ("gather", "single"):
        for _ in range(3):
            emulator = Emulator(a, b, "--writes", writes, "--fwd", "delay 5ms")
            answer(a.python(UDP_SEND, B, 2000, 0, 100))
            emulator.process.kill()
            emulator.process.wait(30)
            a.is_empty()
            b.is_empty()


def it_ends_by_itself_after_its_time(a, b):
    for _ in range(5):  # the host may hold it back, but not each time
        emulator = Emulator(a, b, "-t", "300ms", addresses=False)
        out, _ = emulator.process.communicate(timeout=30)
        record = json.loads(out.splitlines()[-1])
        check(emulator.process.returncode == 0 and record["ended_by"] == "time", record)
        check(record["ran_ns"] >= 0.3e9, record["ran_ns"])
        if record["ran_ns"] < 0.5e9:
            return
    check(False, "late:", record["ran_ns"])


def a_full_disk_ends_it_with_one_line_and_exit_3(a, b):
    emulator = Emulator(a, b, "--link", "loss 50%", "--log", "/dev/full")
    for _ in range(100):
        a.do("ip", "neighbour", "flush", "dev", "wt0")
        a.python(UDP_SEND, B, 200, 0, 100, stderr=subprocess.DEVNULL).wait(30)  # fails when its route goes
        if emulator.process.poll() is not None:
            break
        time.sleep(0.1)
    out, err = emulator.process.communicate(timeout=30)
    check(emulator.process.returncode == 3, emulator.process.returncode, err)
    check("No space left on device" in err and len([l for l in err.splitlines() if l.startswith("wavetank emu run:")]) == 1, err)
    record = json.loads(out.splitlines()[-1])
    check(record["ended_by"] == "write-error" and record["audit_holds"], record)


def whole(folder):
    """The capture ends with a block, the log with a line."""
    for name, end in (("c", None), ("l", b"\n")):
        with open(folder + "/" + name, "rb") as file:
            data = file.read()
        check(not end or data[-1:] in (end, b""), name, "ends within a line")
        if not end and data:
            length = int.from_bytes(data[-4:], "little")
            check(int.from_bytes(data[-length + 4:][:4], "little") == length, name, "ends within a block")


def on_a_disk_that_fills_everything_written_is_whole_and_one_line_says_so(a, b):
    folder = scratch()
    check(run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", folder]).returncode == 0, "no small disk")
    try:
        for name, option in (("c", "--capture"), ("l", "--log")):
            for other in ("c", "l"):
                with open(folder + "/" + other, "w", encoding="ascii"):
                    pass
            emulator = Emulator(a, b, "--fwd", "loss 50%", option, folder + "/" + name)
            for _ in range(10):  # a queue overflows that is not read
                a.python(UDP_SEND, B, 3000, 0, 600, stderr=subprocess.DEVNULL).wait(30)
                if emulator.process.poll() is not None:
                    break
            out, err = emulator.process.communicate(timeout=30)
            check(emulator.process.returncode == 3 and "No space left on device" in err, emulator.process.returncode, err)
            check(len([line for line in err.splitlines() if line.startswith("wavetank emu run:")]) == 1, err)
            check(json.loads(out.splitlines()[-1])["ended_by"] == "write-error", out)
            check(os.path.getsize(folder + "/" + name) > 100000, "little is there")
            whole(folder)
        with open(folder + "/l", "wb") as file:
            try:
                file.write(bytes(1 << 20))
                file.flush()
            except OSError:
                pass
        with open(folder + "/record", "wb") as record:
            process = start([WAVETANK, "emu", "run", "-t", "100ms", "--json", "--port", f"tap:wt0@{a.holder.pid}", "--port", f"tap:wt0@{b.holder.pid}"],
                            stdout=record, stderr=subprocess.PIPE, text=True)
            err = process.communicate(timeout=30)[1]
        check(process.returncode == 3 and err == "wavetank emu run: standard output: No space left on device\n", process.returncode, err)
    finally:
        run(["umount", "-l", folder])


def the_record_for_people_of_a_run_that_a_full_disk_ended_says_that_it_was_cut_short(a, b):
    ports = ["--port", f"tap:wt0@{a.holder.pid}", "--port", f"tap:wt0@{b.holder.pid}"]
    done = run([WAVETANK, "emu", "run", "-t", "20s", "--capture", "/dev/full", *ports])
    check(done.returncode == 3 and "No space left on device" in done.stderr, done)
    check(", but cut short at " in done.stdout and "could not be written (No space left on device)" in done.stdout, done.stdout)


def a_hundred_signals_at_once_end_it_once_with_a_complete_record(a, b):
    for numbers in ([signal.SIGTERM], [signal.SIGINT], [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]):
        folder = scratch()
        emulator = Emulator(a, b, "--fwd", "loss 50% delay 1ms", "--capture", folder + "/c", "--log", folder + "/l", "--control", folder + "/s")
        answer(a.python(UDP_SEND, B, 2000, 0, 600))
        # the TAP holds 500 for an emulator that has no processor yet
        until(lambda: emulator.shown()["fwd"]["offered"] >= 400, "nothing comes in")
        for i in range(100):
            emulator.process.send_signal(numbers[i % len(numbers)])
            time.sleep(0.0002)
        record = emulator.end()
        check(record["ended_by"] == "signal" and record["fwd"]["offered"] >= 400, record)
        check(not os.path.exists(folder + "/s"), "the socket stays")
        whole(folder)


def a_hundred_hangups_in_a_second_cost_no_answer(a, b):
    folder = scratch()

    def write(words):
        with open(folder + "/new", "w", encoding="ascii") as out:
            out.write(f"[port a]\ninterface = tap:wt0@{a.holder.pid}\n[port b]\ninterface = tap:wt0@{b.holder.pid}\n[link]\nboth = {words}\n")
        os.rename(folder + "/new", folder + "/path.conf")

    write("delay 1ms")
    emulator = Emulator(a, b, "-f", folder + "/path.conf", "--control", folder + "/s", ports=())
    fcntl.fcntl(emulator.process.stderr, F_SETPIPE_SZ, 4096)  # nobody reads it: it fills, and nothing waits for that
    pings = a.python(PING, B, 80, 0.005)
    for i in range(100):
        write("delai" if i % 4 else f"delay {1 + i % 3}ms")
        emulator.process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    check(len(answer(a.python(PING, B, 10, 0))) == 10, "it waits for whoever should read its standard error")
    check("read again: " in emulator.process.stderr.readline(), "not a word")  # a page is full with one line
    write("delay 3ms")
    emulator.process.send_signal(signal.SIGHUP)
    check(len(answer(pings)) == 80, "answers are missing")
    until(lambda: emulator.shown()["fwd"]["path"] == "delay 3ms", "the last file is not in force")
    emulator.end()


def without_a_reader_or_without_standard_output_it_runs_ends_and_says_so(a, b):
    ports = ["--port", f"tap:wt0@{a.holder.pid}", "--port", f"tap:wt0@{b.holder.pid}"]
    emulator = Emulator(a, b)
    emulator.process.stdout.close()
    emulator.process.terminate()
    err = emulator.process.stderr.read()
    check(emulator.process.wait(30) == 3 and err == "wavetank emu run: standard output: Broken pipe\n", err)
    emulator = Emulator(a, b, "--control", scratch() + "/s")
    emulator.process.stderr.close()
    check(stop(emulator.process) == 0, "without standard error it does not end well")
    folder = scratch()
    process = start(["sh", "-c", '"$@" | :', "sh", WAVETANK, "emu", "run", "--json", "--control", folder + "/s", *ports], stderr=subprocess.PIPE,
                    text=True)
    err = process.communicate(timeout=30)[1]
    check(err == "wavetank emu run: standard output: Broken pipe\n" and os.listdir(folder) == [], err, os.listdir(folder))
    log = folder + "/l"
    process = start(["sh", "-c", 'exec "$@" >&-', "sh", WAVETANK, "emu", "run", "-t", "300ms", "--fwd", "loss 100%", "--log", log, *ports],
                    stderr=subprocess.PIPE, text=True)
    err = process.communicate(timeout=30)[1]
    check(process.returncode == 3 and "standard output: Bad file descriptor" in err, process.returncode, err)
    with open(log, encoding="ascii") as lines:
        check(all(json.loads(line)["event"] for line in lines), "something else was written into the log")


def the_record_for_people_says_how_late_it_woke_up_only_if_it_did(a, b):
    ports = ["--port", f"tap:wt0@{a.holder.pid}", "--port", f"tap:wt0@{b.holder.pid}"]
    for ran, woke in (("1ms", False), ("500ms", True)):
        done = run([WAVETANK, "emu", "run", "-t", ran, *ports])
        check(done.returncode == 0 and "lateness of 0" not in done.stdout and ("lateness of" in done.stdout or not woke), done.stdout)


def the_record_for_people_says_by_what_bounds_and_as_whom(a, b):
    ports = ["--port", f"tap:wt0@{a.holder.pid}", "--port", f"tap:wt0@{b.holder.pid}"]
    for words, bound, who in ((("--late", "500ns"), "500ns", "65534 (nobody)"), (("--late", "1s", "--user", "daemon"), "1s", "1 (daemon)"),
                              (("--user", "12346", "--seccomp"), "1ms", "12346\n")):
        done = run([WAVETANK, "emu", "run", "-t", "10ms", *words, *ports])
        check(f"leave within {bound}, " in done.stdout and f", as user {who}" in done.stdout, done)


def listeners_that_read_nothing_are_told_later_what_they_missed_and_hold_nobody_up(a, b):
    path = scratch() + "/s"
    emulator = Emulator(a, b, "--fwd", "loss 100%", "--rev", "delay 1ms", "--control", path)
    sleeper = socket.socket(socket.AF_UNIX)
    sleeper.connect(path)
    sleeper.sendall(b"events\n")
    for _ in range(3):
        answer(a.python(UDP_SEND, B, 20000, 0.00001, 100))
    for _ in range(20):
        if emulator.shown()["fwd"]["dropped"] > 10000:
            break
        answer(a.python(UDP_SEND, B, 20000, 0.00001, 100))  # a queue overflows that is not read
    check(emulator.shown()["fwd"]["dropped"] > 10000, "held up")
    sender = a.python(UDP_SEND, B, 200, 0.01, 100)
    sleeper.settimeout(30)
    told = sleeper.makefile()
    while '"emulation:events_lost"' not in (line := told.readline()):
        check(line, "it is not told")
    answer(sender)
    emulator.end()


def ports_that_vanish_again_and_again_come_back_and_a_port_may_be_down_or_renamed(a, b):
    emulator = Emulator(a, b, "--wait-ports", "--link", "delay 1ms")
    for i in range(20):
        (a, b)[i % 2].do("ip", "link", "delete", "wt0")
        time.sleep(0.04 * (i % 4))
    until(lambda: "wt0" in a.interfaces() & b.interfaces(), "not back")
    for side, address in ((a, A), (b, B)):
        side.must("sysctl", "-qw", "net.ipv6.conf.wt0.disable_ipv6=1")
        side.must("ip", "address", "add", address + "/24", "dev", "wt0")
    wait_for_answer(a)
    check(len(answer(a.python(PING, B, 5, 0.01))) == 5, "not back")
    for change in ("down", "up", "down", "name other"):
        a.must("ip", "link", "set", "wt0", *change.split())
        time.sleep(0.15)
    a.must("ip", "link", "set", "other", "up")
    wait_for_answer(a)
    check(len(answer(a.python(PING, B, 5, 0.01))) == 5, "renamed, and lost")
    faults = {fault["fault"] for fault in emulator.end()["verdict"]["faults"]}
    check("port-gone" in faults, faults)


def an_interface_that_goes_away_is_named(a, b):
    emulator = Emulator(a, b)
    b.must("ip", "link", "delete", "wt0")
    out, err = emulator.process.communicate(timeout=30)
    check(emulator.process.returncode == 3 and f"tap:wt0@/proc/{b.holder.pid}/ns/net is gone" in err, emulator.process.returncode, err)
    check(json.loads(out.splitlines()[-1])["ended_by"] == "port-gone", out)


def a_veth_that_is_deleted_is_missed_however_soon_the_emulator_wakes(a, b):
    for how in ("guard", "spin"):
        middle = Side()
        emulator = Emulator(a, b, "--link", "delay 5ms", "--release", how, ports=[veth(middle, "va", a), veth(middle, "vb", b)])
        middle.must("ip", "link", "set", "va", "down")  # a deletion begins so, and that is all a socket is told
        time.sleep(0.3)
        check(emulator.process.poll() is None, how, "an interface that is down is not gone")
        middle.must("ip", "link", "delete", "va")
        out, err = emulator.process.communicate(timeout=30)
        check(emulator.process.returncode == 3 and "packet:va@" in err and "is gone" in err, how, emulator.process.returncode, err)
        check(json.loads(out.splitlines()[-1])["ended_by"] == "port-gone", out)
        b.do("ip", "link", "delete", "wt0")
        middle.close()


STARTER = """
import os, subprocess, sys
read, write = os.pipe()
emulator = subprocess.Popen([*sys.argv[1:], "--die-with-parent", "--ready-fd", str(write)], pass_fds=[write], stdout=2)
os.close(write)
print(emulator.pid if os.read(read, 6) else 0, flush=True)
sys.stdin.read()
"""


def who_is_to_end_with_its_parent_does_whoever_it_has_become(a, b):
    for words in ((), ("--user", "root")):
        command = [sys.executable, "-c", STARTER, WAVETANK, "emu", "run", "--link", "delay 1ms", *words]
        for side in (a, b):
            command += ["--port", f"tap:wt0@{side.holder.pid}"]
        parent = start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        pid = int(parent.stdout.readline())
        check(pid and (status(pid)["Uid"].split()[0] == "0") == bool(words), pid)
        parent.kill()
        parent.wait()
        until = time.monotonic() + 20
        while a.interfaces() != {"lo"} or b.interfaces() != {"lo"}:
            check(time.monotonic() < until, "it lives")
            time.sleep(0.01)


def status(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return {key: value.strip() for key, value in (line.split(":", 1) for line in file)}


def it_keeps_no_privilege_it_does_not_need(a, b):
    path = scratch() + "/s"
    nobody, sudo = pwd.getpwnam("nobody"), {"SUDO_UID": "12345", "SUDO_GID": "23456"}
    os.chmod(os.path.dirname(path), 0o700)  # nobody may remove nothing there, and the socket goes all the same
    for words, given, uid, gid in (((), {}, nobody.pw_uid, nobody.pw_gid), ((), sudo, 12345, 23456), (("--user", "daemon"), sudo, 1, 1),
                                   (("--user", "1"), {}, 1, 1), (("--user", "12346"), sudo, 12346, 12346),
                                   (("--user", "root"), {}, 0, 0)):
        os.environ.update(given)
        try:
            emulator = Emulator(a, b, *words, "--control", path)
        finally:
            for name in given:
                del os.environ[name]
        fields = status(emulator.process.pid)
        check(fields["Uid"].split() == 4 * [str(uid)] and fields["Gid"].split() == 4 * [str(gid)] and (not uid or not fields["Groups"]), fields)
        check(int(fields["CapEff"], 16) == 0 and int(fields["CapPrm"], 16) == 0, fields["CapEff"])
        check(fields["NoNewPrivs"] == "1", fields["NoNewPrivs"])
        record = emulator.end()
        check(record["uid"] == uid and not os.path.exists(path), record["uid"], path)
        emulator = Emulator(a, b, *words, "--control", path)
        emulator.process.kill()
        emulator.process.communicate()
        until = time.monotonic() + 10
        while uid and os.path.exists(path):  # a helper removes it
            check(time.monotonic() < until, "the socket is left")
            time.sleep(0.01)
    for words, sentence in ((("--user", "nobody-at-all"), "there is no user"), (("--user", "4294967295"), "there is no user"), (("--user", "daemon"), "only root can become")):
        under = () if sentence == "there is no user" else ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
        done = run([*under, WAVETANK, "emu", "run", "-n", "--link", "delay 1ms", *words])
        check(done.returncode == 2 and len(done.stderr.splitlines()) == 1 and sentence in done.stderr, done.returncode, done.stderr)


def one_that_spins_before_all_others_has_a_session_of_its_own_and_ends_as_told(a, b):
    try:
        with open("/proc/sys/kernel/sched_autogroup_enabled", encoding="ascii") as file:
            by_session = file.read().strip() == "1"
    except OSError:
        by_session = False
    if not by_session:
        print("# the kernel does not share processors among sessions here: nothing to see")
        return

    def emulators(caller):
        with open(f"/proc/{caller}/task/{caller}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]

    # killed where it was called, the emulator ends in order, too
    for number, code in ((signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGKILL, -signal.SIGKILL)):
        emulator = Emulator(a, b, "--link", "delay 1ms", "--release", "spin", "--realtime", addresses=False)
        child, = emulators(emulator.process.pid)
        check(os.getsid(child) == child != os.getsid(0), "the emulator is of the caller's session")
        with open(f"/proc/{child}/autogroup", encoding="ascii") as file:
            check("nice -20" in file.read(), "its session waits for others")
        emulator.process.send_signal(number)
        out, _ = emulator.process.communicate(timeout=30)
        check(emulator.process.returncode == code, number, emulator.process.returncode)
        until(lambda: not os.path.exists(f"/proc/{child}"), "the emulator outlived who was called")
        check('"record":"end"' in out, out)
    done = run([WAVETANK, "emu", "run", "--port", f"tap:wt0@{a.holder.pid}", "--port", "packet:none", "--release", "spin", "--realtime"])
    check(done.returncode == 3 and len(done.stderr.splitlines()) == 1 and "no interface none" in done.stderr, done)


main(one_that_spins_before_all_others_has_a_session_of_its_own_and_ends_as_told, wrong_words_are_one_line_and_exit_2, what_the_machine_refuses_is_one_line_and_exit_3, what_one_emulator_writes_no_other_does, ctrl_c_and_kill_leave_nothing,
     killed_under_traffic_it_leaves_nothing_and_starts_again_at_once, it_ends_by_itself_after_its_time, a_full_disk_ends_it_with_one_line_and_exit_3,
     on_a_disk_that_fills_everything_written_is_whole_and_one_line_says_so,
     the_record_for_people_of_a_run_that_a_full_disk_ended_says_that_it_was_cut_short, a_hundred_signals_at_once_end_it_once_with_a_complete_record,
     a_hundred_hangups_in_a_second_cost_no_answer, without_a_reader_or_without_standard_output_it_runs_ends_and_says_so,
     the_record_for_people_says_how_late_it_woke_up_only_if_it_did, the_record_for_people_says_by_what_bounds_and_as_whom,
     listeners_that_read_nothing_are_told_later_what_they_missed_and_hold_nobody_up,
     ports_that_vanish_again_and_again_come_back_and_a_port_may_be_down_or_renamed, an_interface_that_goes_away_is_named,
     a_veth_that_is_deleted_is_missed_however_soon_the_emulator_wakes,
     who_is_to_end_with_its_parent_does_whoever_it_has_become, it_keeps_no_privilege_it_does_not_need)
