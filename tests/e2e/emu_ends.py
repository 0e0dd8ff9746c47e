# SPDX-License-Identifier: BSD-2-Clause
from emu_lab import *


def fails(code, sentence, *words):
    done = run([WAVETANK, "emu", "run", *words], timeout=10)
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
    fails(2, "none of gather, single", *ports, "--writes", "x")
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


def ctrl_c_and_kill_leave_nothing(a, b):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        emulator = Emulator(a, b, "--link", "delay 15ms")
        check("wt0" in a.interfaces(), a.interfaces())
        if number == signal.SIGKILL:
            emulator.process.kill()
            emulator.process.wait(10)
        else:
            emulator.end(number)
        check(a.interfaces() == {"lo"} and b.interfaces() == {"lo"}, "left behind:", a.interfaces(), b.interfaces())


def killed_under_traffic_it_leaves_nothing_and_starts_again_at_once(a, b):
    for writes in ("gather", "single"):
        for _ in range(3):
            emulator = Emulator(a, b, "--writes", writes, "--fwd", "delay 5ms")
            answer(a.python(UDP_SEND, B, 2000, 0, 100))
            emulator.process.kill()
            emulator.process.wait(10)
            check(a.interfaces() == {"lo"} and b.interfaces() == {"lo"}, "left behind:", a.interfaces(), b.interfaces())


def it_ends_by_itself_after_its_time(a, b):
    emulator = Emulator(a, b, "-t", "300ms")
    out, _ = emulator.process.communicate(timeout=5)
    record = json.loads(out.splitlines()[-1])
    check(emulator.process.returncode == 0 and record["ended_by"] == "time", record)
    check(0.29e9 < record["ran_ns"] < 1e9, record["ran_ns"])


def a_full_disk_ends_it_with_one_line_and_exit_3(a, b):
    emulator = Emulator(a, b, "--link", "loss 50%", "--log", "/dev/full")
    for _ in range(100):
        a.do("ip", "neighbour", "flush", "dev", "wt0")
        a.python(UDP_SEND, B, 200, 0, 100, stderr=subprocess.DEVNULL).wait(10)  # fails when its route goes
        if emulator.process.poll() is not None:
            break
        time.sleep(0.1)
    out, err = emulator.process.communicate(timeout=5)
    check(emulator.process.returncode == 3, emulator.process.returncode, err)
    check("No space left on device" in err and len([l for l in err.splitlines() if l.startswith("wavetank emu run:")]) == 1, err)
    record = json.loads(out.splitlines()[-1])
    check(record["ended_by"] == "write-error" and record["audit_holds"], record)


def an_interface_that_goes_away_is_named(a, b):
    emulator = Emulator(a, b)
    b.must("ip", "link", "delete", "wt0")
    out, err = emulator.process.communicate(timeout=10)
    check(emulator.process.returncode == 3 and f"tap:wt0@/proc/{b.holder.pid}/ns/net is gone" in err, emulator.process.returncode, err)
    check(json.loads(out.splitlines()[-1])["ended_by"] == "port-gone", out)


def it_keeps_no_privilege_it_does_not_need(a, b):
    emulator = Emulator(a, b)
    with open(f"/proc/{emulator.process.pid}/status", encoding="ascii") as status:
        fields = {key: value.strip() for key, value in (line.split(":", 1) for line in status)}
    check(int(fields["CapEff"], 16) == 0 and int(fields["CapPrm"], 16) == 0, fields["CapEff"])
    check(fields["NoNewPrivs"] == "1", fields["NoNewPrivs"])
    emulator.end()


main(wrong_words_are_one_line_and_exit_2, what_the_machine_refuses_is_one_line_and_exit_3, ctrl_c_and_kill_leave_nothing,
     killed_under_traffic_it_leaves_nothing_and_starts_again_at_once, it_ends_by_itself_after_its_time, a_full_disk_ends_it_with_one_line_and_exit_3, an_interface_that_goes_away_is_named,
     it_keeps_no_privilege_it_does_not_need)
