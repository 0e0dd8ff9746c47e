#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Labs: they come up with and without root, carry kernel traffic, and leave nothing behind however they end."""
import json
import os
import re
import select
import shutil
import signal
import subprocess

from e2e import (Home, Skip, backends, check, end, equal, finish, iperf3, lab, members, need_labs, running, test, until, users_of,
                 wait_for)

ORDINARY = 64813  # no such user is needed: the kernel only sees the number
ROOT = os.geteuid() == 0
HOMES = [("as this user", Home())]
if ROOT:
    HOMES.append(("as an ordinary user where /dev/net/tun opens", Home(ORDINARY, tun=True)))
    HOMES.append(("as an ordinary user", Home(ORDINARY)))


def each_backend(function):
    for who, home in HOMES:
        for backend in ("tap", "packet"):
            function(who, home, backend)


def need(home, backend):
    if backend not in backends(home):
        raise Skip(f"backend {backend} does not work here")


@each_backend
def _(who, home, backend):
    @test(f"{who}, a {backend} lab comes up, runs commands and goes down without a trace")
    def _():
        need(home, backend)
        with lab(home, "demo", "--backend", backend, "--link", "delay 2ms | only (icmp) { delay 3ms }", "--seed", "7") as state:
            equal(state["backend"], backend, "backend")
            equal(state["fwd"], "delay 2ms | only (icmp) { delay 3ms }", "words with a filter")
            out, _ = home.run("lab", "exec", "demo:a", "ping", "-c", "1", "-W", "5", "b")
            check(float(re.search(r"time=([0-9.]+)", out)[1]) >= 10, f"the filter's delay: {out}")
            out, _ = home.run("lab", "exec", "demo:a", "sh", "-c", "echo $WAVETANK_LAB $WAVETANK_HOST $WAVETANK_ADDRESS")
            equal(out, "demo a 10.77.0.101/24\n", "environment")
            home.run("lab", "exec", "demo:b", "sh", "-c", "exit 42", code=42)
            home.run("lab", "exec", "demo:b", "sh", "-c", "kill -TERM $$", code=128 + signal.SIGTERM)
            out, _ = home.run("lab", "exec", "demo:a", "cat", "/proc/net/dev")
            check("wt0:" in out and "eth0:" not in out, out)
            home.run("lab", "up", "demo", code=2)
            out, _ = home.run("lab", "status", "--json")
            check('"name":"demo"' in out, out)
        home.run("lab", "status", "demo", code=2)
        equal(os.listdir(home.path("wavetank/labs")), [], "folder of labs")


@each_backend
def _(who, home, backend):
    @test(f"{who}, the emulator of a {backend} lab is changed, shown and watched by the lab's name")
    def _():
        need(home, backend)
        with lab(home, "demo", "--backend", backend, "--link", "delay 2ms"):
            home.run("emu", "set", "demo.fwd", "loss", "100%", "delay", "1ms", "demo.rev", "delay 3ms")
            watch = home.start("emu", "events", "demo")
            while not select.select([watch.stdout], [], [], 0)[0]: # it does not say that it listens, but by the first event
                home.run("lab", "exec", "demo:a", "ping", "-c", "1", "-W", "1", "b", code=1)
            out, _ = home.run("emu", "show", "demo")
            check("fwd  loss 100% delay 1ms" in out and "rev  delay 3ms" in out, out)
            for words, said in ((["demo.fwd", "deley", "1ms"], 'did you mean "delay"'), (["demo.fwd"], "words of its path"),
                                (["delay", "1ms"], "expected a target"), (["demo.fwd", "delay 1ms", "demo.both", "delay 1ms"], "given words twice"), (["demo.fwd", "delay 1ms", "rev", "delay 1ms"], "lab demo")):
                _, err = home.run("emu", "set", *words, code=2)
                check(said in err, err)
            equal(home.run("emu", "show", "demo")[0].count("fwd  loss 100% delay 1ms"), 1, "the path after refused words")
        check('"cause":"loss"' in end(watch)[1], "an event of the drop")
        _, err = home.run("emu", "show", "demo", code=2)
        check("no lab 'demo' is up" in err, err)


@each_backend
def _(who, home, backend):
    @test(f"{who}, kernel iperf3 runs through a {backend} lab at the rate of the link")
    def _():
        need(home, backend)
        if not shutil.which("iperf3"):
            raise Skip("no iperf3")
        with lab(home, "demo", "--backend", backend, "--link", "rate 20Mbit burst 20KB limit 1MB delay 5ms"):
            iperf3(home, "demo", 20e6, (14e6, 21e6), "-t", "2")


@each_backend
def _(who, home, backend):
    @test(f"{who}, a {backend} lab with offloads passes the kernels' big frames whole")
    def _():
        need(home, backend)
        home.run("lab", "up", "demo", "--backend", backend, "--link", "delay 1ms", "--offload")
        receiver = home.start("lab", "exec", "demo:b", home.program, "kernel", "recv")
        wait_for(receiver, "listening")
        home.run("lab", "exec", "demo:a", home.program, "kernel", "send", "-c", "b", "-n", "5MB")
        equal(end(receiver)[0], 0, "exit code of recv")
        out, _ = home.run("lab", "down", "demo", "--json", code=None)
        port = json.loads(out.splitlines()[-1])["ports"][0]
        check(port["whole"] and port["big"] > 10 and not port["dropped"], port)


@test("lab down lets what runs in the lab write what it has: SIGTERM first, and SIGKILL a second later for who ignores it")
def _():
    home = HOMES[0][1]
    need_labs(home)
    home.run("lab", "up", "demo", "--link", "delay 1ms")
    orderly = home.start("lab", "exec", "demo:a", "sh", "-c", "trap 'echo written; exit 7' TERM; echo on >&2; while :; do sleep 0.05; done")
    deaf = home.start("lab", "exec", "demo:b", "sh", "-c", "trap '' TERM; echo on >&2; while :; do sleep 0.05; done")
    server = home.start("lab", "exec", "demo:b", home.program, "recv", "--trace", "down.jsonl")
    for process in orderly, deaf:
        wait_for(process, "on")
    wait_for(server, "listening")
    home.run("lab", "exec", "demo:a", home.program, "send", "-c", "b", "-n", "100KB")
    home.run("lab", "down", "demo", code=None)
    code, out, _ = end(orderly)
    check(code == 7 and "written" in out, f"{code} {out}")
    equal(end(deaf)[0], 137, "who ignores SIGTERM")
    equal(end(server)[0], 143, "recv")
    with open(home.path("down.jsonl"), encoding="utf-8") as file:
        events = [json.loads(line) for line in file] # whole lines, to the end of the connection
    check(sum(event.get("event") == "transport:packet_received" for event in events) > 60, f"{len(events)} events")


@test("two labs stand side by side and do not see each other")
def _():
    home = HOMES[0][1]
    need_labs(home)
    with lab(home, "one", "--link", "delay 1ms") as one, lab(home, "two", "--link", "delay 1ms") as two:
        check(os.stat(f"/proc/{one['a'][0]}/ns/net").st_ino != os.stat(f"/proc/{two['a'][0]}/ns/net").st_ino, "namespaces differ")
        out, _ = home.run("lab", "status")
        check("one:" in out and "two:" in out, out)


VICTIMS = {"the keeper": "keeper", "the emulator": "emulator", "host a": "a", "host b": "b"}

for victim, key in VICTIMS.items():
    @test(f"kill -9 of {victim} leaves no process, no namespace and no state")
    def _(key=key):
        home = HOMES[-1][1]
        need_labs(home)
        home.run("lab", "up", "demo", "--link", "delay 1ms")
        state = home.lab_state("demo")
        empty = members(state["keeper"][0])
        sleeper = home.start("lab", "exec", "demo:a", "sleep", "1000")
        until(lambda: members(state["keeper"][0]) - empty, "sleep runs in the lab")
        pids = members(state["keeper"][0])
        spaces = {os.stat(f"/proc/{state[who][0]}/ns/net").st_ino for who in ("a", "b", "emulator")}
        spaces.discard(os.stat("/proc/self/ns/net").st_ino)
        os.kill(state[key][0], signal.SIGKILL)
        until(lambda: not any(map(running, pids)), "the lab's processes ended")
        equal(end(sleeper)[0], 3, "exit code of lab exec: its lab has ended by itself, and it says so")
        until(lambda: not users_of(spaces), "the namespaces ended")
        home.run("lab", "exec", "demo:a", "true", code=2)
        equal(os.listdir(home.path("wavetank/labs")), [], "state was cleaned")


@test("kill -9 of lab exec ends its command")
def _():
    home = HOMES[-1][1]
    need_labs(home)
    with lab(home, "demo", "--link", "delay 1ms") as state:
        before = members(state["keeper"][0])
        sleeper = home.start("lab", "exec", "demo:a", "sleep", "1000")
        until(lambda: members(state["keeper"][0]) - before, "sleep runs in the lab")
        command = (members(state["keeper"][0]) - before).pop()
        sleeper.kill()
        sleeper.wait()
        until(lambda: not running(command), "the command ended")


@test("kill -9 of lab up leaves a lab that is known, or nothing")
def _():
    home = HOMES[-1][1]
    need_labs(home)
    for delay in (0.005, 0.01, 0.02, 0.04):
        space = os.stat("/proc/self/ns/pid").st_ino
        up = home.start("lab", "up", "demo", "--link", "delay 1ms")
        try:
            up.wait(delay)
        except subprocess.TimeoutExpired:
            up.kill()
            up.wait()

        def strangers():
            found = set()
            for entry in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{entry}/environ", "rb") as file:
                        ours = home.folder.encode() in file.read()
                    if ours and os.stat(f"/proc/{entry}/ns/pid").st_ino != space and running(int(entry)):
                        found.add(int(entry))
                except OSError:
                    pass
            return found

        # Killed behind its last step, the lab is up and known; otherwise nothing of it may be.
        home.run("lab", "down", "demo", code=None)
        until(lambda: not strangers(), "what lab up had started ended")
        home.run("lab", "status")
        equal(os.listdir(home.path("wavetank/labs")), [], "state was cleaned")


@test("the verdict of a lab's emulator is shown by lab down, in its record, and by exit code 1 where it is not valid")
def _():
    home = HOMES[-1][1]
    need_labs(home)
    # no emulator leaves within 1 ns; and any leaves within a minute
    for late, code in (("1ns", 1), ("1min", 0)):
        for form in ((), ("--json",)):
            home.run("lab", "up", "demo", "--link", "delay 1ms", "--late", late, "--steal", "100%")
            home.run("lab", "exec", "demo:a", "ping", "-c", "5", "-i", "0.01", "-W", "5", "b")
            out, err = home.run("lab", "down", *form, "demo", code=code)
            equal("NOT VALID: late (" in err, bool(code), err)
            if form:
                equal(json.loads(out)["verdict"]["valid"], not code, "valid in the record")
            else:
                check(f"verdict: {'NOT VALID: late (' if code else 'valid'}" in out, out)


def root_home(why):
    """The home of labs that root makes; skips, saying why, for everybody else."""
    if not ROOT:
        raise Skip(why)
    home = HOMES[0][1]
    need_labs(home)
    return home


@test("lab up takes how its emulator runs, and a log, as emu run does")
def _():
    home = root_home("real-time priority takes root")
    with lab(home, "demo", "--link", "delay 1ms loss 100%", "--realtime", "--cpu", "0", "--release", "sleep", "--log", "demo.jsonl") as state:
        pid = state["emulator"][0]
        equal(os.sched_getscheduler(pid) & 0xff, os.SCHED_FIFO, "scheduler of the emulator")
        equal(os.sched_getaffinity(pid), {0}, "processors of the emulator")
        home.run("lab", "exec", "demo:a", "ping", "-c", "1", "-W", "1", "b", code=1)
        out, _ = home.run("emu", "show", "demo")
        check("release sleep" in out, out)
    with open(home.path("demo.jsonl"), encoding="utf-8") as file:
        check('"cause":"loss"' in file.read(), "the drop is in the log")
    for words, said in ((("--release", "soon"), "expected sleep, guard or spin"), (("--cpu", "9999"), "0 to 1023"), (("--cpu", "1023"), "cannot stay on processor 1023")):
        _, err = home.run("lab", "up", "demo", *words, code=None)
        check(said in err, err)


@test("a file says what a lab's path is and when it changes; the command line goes before it; status shows the path in force")
def _():
    home = HOMES[-1][1]
    need_labs(home)
    with open(home.path("lost.trace"), "w", encoding="utf-8") as file:
        file.write("0\n")
    with open(home.path("path.conf"), "w", encoding="utf-8") as file:
        file.write("[emulator]\nseed = 5\nlog = from-file.jsonl\n[port a]\n[port b]\ninterface = tap:nobody\n[link]\nfwd = delay 2ms loss trace lost.trace\n"
                   "[at 100ms]\nfwd = delay 40ms\n")
    with lab(home, "demo", "--file", "path.conf", "--rev", "delay 3ms") as state:
        equal(state["seed"], 5, "the file's seed")
        until(lambda: "a to b: delay 40ms\n  b to a: delay 3ms\n" in home.run("lab", "status", "demo")[0], "the path in force")
        home.run("emu", "set", "demo.rev.delay", "7ms")
        shown = json.loads(home.run("lab", "status", "demo", "--json")[0])
        equal((shown["fwd"], shown["rev"], shown["path_now"]), ("delay 40ms", "delay 7ms", True), "the path in force")
        out, _ = home.run("lab", "exec", "demo:a", "ping", "-c", "1", "-W", "5", "b")
        check(float(re.search(r"time=([0-9.]+)", out)[1]) >= 47, out)
    with open(home.path("from-file.jsonl"), encoding="utf-8") as file:
        check("emulation:path_changed" in file.read(), "the file's log")
    with open(home.path("three.conf"), "w", encoding="utf-8") as file:
        file.write("[port a]\ngateway = 10.0.1.1/24\n[port b]\ngateway = 10.0.2.1/24\n[router r]\n[link x]\nbetween = a r\n[link y]\nbetween = r b\n")
    with lab(home, "demo", "--file", "three.conf"):
        out, _ = home.run("lab", "exec", "demo:a", "ping", "-c", "1", "-W", "5", "-t", "8", "b")
        check("ttl=63" in out, f"the router between them: {out}")
        receiver = home.start("lab", "exec", "demo:b", home.program, "recv", "-1")
        wait_for(receiver, "listening on 10.0.2.102")
        out, _ = home.run("lab", "exec", "demo:a", home.program, "send", "-c", "b", "-n", "200KB")
        check("every byte verified" in out, out)
        equal(end(receiver)[0], 0, "exit code of recv")
        _, err = home.run("lab", "exec", "demo:c", "true", code=2)
        check("'demo:c' is no host" in err, err)
    _, err = home.run("lab", "up", "demo", "--file", "none.conf", code=2)
    check("none.conf: No such file" in err, err)


@test("names of files in words of lab up and emu set are of the caller's folder, and the message says which")
def _():
    home = HOMES[-1][1]
    need_labs(home)
    os.mkdir(home.path("other"))
    for place, text in (("one.trace", "1\n"), ("other/two.trace", "0\n")):
        with open(home.path(place), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(home.path(place), 0o644)
    os.chmod(home.folder, 0o755)
    os.chmod(home.path("other"), 0o755)
    with lab(home, "demo", "--fwd", "loss trace one.trace"):
        home.run("lab", "exec", "demo:a", "ping", "-c", "1", "-W", "1", "b", code=1)
        here = home.folder
        home.folder = os.path.join(here, "other")
        try:
            home.run("emu", "set", "demo.fwd", "loss", "trace", "two.trace")
            _, err = home.run("emu", "set", "demo.fwd", "loss", "trace", "one.trace", code=2)
            check(f"{here}/other/one.trace: cannot be read" in err, err)
        finally:
            home.folder = here
        home.run("lab", "exec", "demo:a", "ping", "-c", "1", "-W", "5", "b")
        for words in (["emu", "show"], ["emu", "events"], ["emu", "capture", "a", "-o", "x.pcapng"], ["emu", "set", "fwd", "loss 0%"]):
            _, err = home.run(*words, code=4)
            check("expected the name of a lab that is up: demo" in err, f"{words}: {err}")
    _, err = home.run("lab", "up", "demo", "--link", "loss trace none.trace", code=2)
    check(f"{home.folder}/none.trace: cannot be read (there is no such file)" in err, err)


@test("a lab works in a chroot, and lab exec stays in it")
def _():
    home = root_home("chroot takes root")
    root = home.path("root")
    script = """set -e
        mkdir "$2" && mount -t tmpfs none "$2"
        for name in bin dev etc lib lib64 proc root run sbin sys tmp usr; do
            [ ! -e "/$name" ] || { mkdir "$2/$name"; mount --rbind "/$name" "$2/$name"; }
        done
        mkdir "$2/built" && mount --bind "$(dirname "$1")" "$2/built"
        mount -t tmpfs none "$2/tmp"
        mount -t tmpfs none "$2/run"
        touch "$2/in-the-chroot"
        cd "$2"
        exec chroot . /bin/sh -ec '
            w=$1
            XDG_RUNTIME_DIR= "$w" lab up inside --link "delay 1ms" --quiet
            code=0
            XDG_RUNTIME_DIR= "$w" lab exec inside:a /bin/sh -c "test -e /in-the-chroot && ping -c 1 -W 5 b && grep -q a.engine /etc/hosts" || code=$?
            XDG_RUNTIME_DIR= "$w" lab down inside --quiet || [ $? -eq 1 ]
            exit $code' sh /built/wavetank"""
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", os.path.abspath(home.program), root], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL)
    equal(done.returncode, 0, f"the chroot\n{done.stdout}{done.stderr}")


@test("lab commands inside a lab are refused")
def _():
    home = HOMES[0][1]
    need_labs(home)
    with lab(home, "demo", "--link", "delay 1ms"):
        _, err = home.run("lab", "exec", "demo:a", home.program, "lab", "down", "demo", code=2)
        check("inside lab 'demo'" in err, err)


@test("a lab's capture is a file tshark reads without one malformed packet")
def _():
    home = HOMES[-1][1]
    need_labs(home)
    if not shutil.which("tshark"):
        raise Skip("no tshark")
    with lab(home, "demo", "--link", "delay 1ms loss 2%", "--capture", "lab.pcapng"):
        receiver = home.start("lab", "exec", "demo:b", home.program, "recv", "-1")
        wait_for(receiver, "listening")
        home.run("lab", "exec", "demo:a", home.program, "send", "-c", "b", "-n", "500KB")
        equal(end(receiver)[0], 0, "exit code of recv")
    shown = subprocess.run(["tshark", "-r", home.path("lab.pcapng"), "-o", "tcp.check_checksum:TRUE", "-Y",
                            "_ws.malformed || tcp.checksum.status == 0"], capture_output=True, text=True, timeout=60, check=True)
    equal(shown.stdout, "", "malformed packets")
    shown = subprocess.run(["tshark", "-r", home.path("lab-drops.pcapng"), "-Y", "frame.comment contains \"loss\""],
                           capture_output=True, text=True, timeout=60, check=True)
    check(shown.stdout, "dropped packets are in the capture with their cause")


@test("a capture that could not be written to its end is told by lab down in one line, with exit code 3")
def _():
    home = HOMES[-1][1]
    need_labs(home)
    for pause in (0, 2): # the emulator is ended by lab down; it has noticed by itself
        home.run("lab", "up", "full", "--link", "delay 1ms", "--capture", "/dev/full")
        keeper = home.lab_state("full")["keeper"][0]
        if pause:
            until(lambda pid=keeper: not running(pid), "the lab ended by itself")
        _, err = home.run("lab", "down", "full", "--quiet", code=3)
        equal(len(err.splitlines()), 1, f"lines: {err}")
        check("/dev/full" in err and "No space left on device" in err, err)
        home.run("lab", "down", "full", code=2)


@test("a lab whose emulator was killed is said to have ended, once, with its capture, and exit code 4 of those who ask the emulator")
def _():
    home = HOMES[-1][1]
    need_labs(home)
    for words in (("show", "killed"), ("set", "killed.fwd", "delay", "2ms"), ("events", "killed")):
        home.run("lab", "up", "killed", "--link", "delay 1ms", "--capture", "killed.pcapng")
        state = home.lab_state("killed")
        os.kill(state["emulator"][0], signal.SIGKILL)
        until(lambda pid=state["keeper"][0]: not running(pid), "the lab ended by itself")
        _, err = home.run("emu", *words, code=4)
        check(len(err.splitlines()) == 1 and "lab killed has ended by itself" in err and "killed.pcapng" in err, err)
        home.run("emu", "show", "killed", code=2)


def on_small_disk(home, script, size="64k"):
    """Runs the script with $1 the program and $2 a folder of so many bytes; what it prints."""
    place = home.path("disk")
    os.makedirs(place, exist_ok=True)
    head = f'set -e; mount -t tmpfs -o size={size} none "$2"; '
    return subprocess.run(["unshare", "-m", "sh", "-c", head + script, "sh", home.program, place], env=home.environment, capture_output=True,
                          text=True, timeout=60, check=False)


@test("a log that fills its disk ends the lab: lab exec says so in one line that names the file, with exit code 3, and lab down, too")
def _():
    home = root_home("mounting a small file system needs root")
    done = on_small_disk(home, """
        $1 lab up small --link 'delay 1ms loss 30%' --log "$2/x.jsonl" --quiet
        code=0; $1 lab exec small:a ping -c 5000 -i 0.002 -q b >/dev/null 2>"$2.err" || code=$?
        echo "$code $(cat "$2.err")"
        code=0; $1 lab down small 2>&1 || code=$?
        echo "= $code"
        tail -c 1 "$2/x.jsonl" | od -An -tx1""")
    lines = done.stdout.splitlines()
    check(lines[0].startswith("3 wavetank lab exec: lab small has ended by itself") and "x.jsonl: No space left on device" in lines[0], done)
    check("x.jsonl: No space left on device" in lines[1] and lines[2:] == ["= 3", " 0a"], done)


@test("files for which there is no room at the start are refused: exit code 3, one line with the file's name, and nothing is left")
def _():
    home = root_home("mounting a small file system needs root")
    done = on_small_disk(home, """
        head -c 65536 /dev/zero >"$2/fill"
        for kind in capture log; do
            code=0; $1 lab up small --link 'delay 1ms' --$kind "$2/x" 2>&1 || code=$?; echo "= $code $(ls "$2")"
        done
        $1 lab up small --link 'delay 1ms' --quiet
        for option in --capture --trace --logfile; do
            code=0; $1 lab exec small:a $1 send -c b $option "$2/x" 2>&1 || code=$?; echo "= $code $(ls "$2")"
        done
        for option in --capture --trace --logfile --output; do
            code=0; $1 lab exec small:a $1 recv -1 $option "$2/x" 2>&1 || code=$?; echo "= $code $(ls "$2")"
        done
        for option in --capture --trace --log; do
            code=0; $1 sim -n 100KB --link 'delay 1ms' $option "$2/x" 2>&1 || code=$?; echo "= $code $(ls "$2")"
        done
        $1 lab down small --quiet >/dev/null 2>&1 || true""")
    lines = done.stdout.splitlines()
    equal(lines[1::2], ["= 3 fill"] * 12, f"codes and files\n{done.stdout}{done.stderr}")
    check(all("/x" in line and "No space left on device" in line for line in lines[::2]), done.stdout)


@test("on a full disk a capture ends with a whole packet, and lab down says that it is cut")
def _():
    home = root_home("mounting a small file system needs root")
    script = """set -e
        mount -t tmpfs -o size=64k none "$2"
        $1 lab up small --link 'delay 1ms' --capture "$2/x.pcapng" --quiet
        # 3: the emulator found the disk full meanwhile, and the lab ended with all that ran in it
        $1 lab exec small:a ping -c 300 -i 0.002 -s 1400 -q b >&2 || [ $? -eq 3 ]
        code=0
        $1 lab down small || code=$?
        cp "$2/x.pcapng" "$3"
        exit $code"""
    place = home.path("small")
    os.mkdir(place)
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", home.program, place, home.path("cut.pcapng")], env=home.environment,
                          capture_output=True, text=True, timeout=60, check=False)
    equal(done.returncode, 3, f"exit code\n{done.stderr}")
    check("No space left on device" in done.stderr, done.stderr)
    check(0 < os.path.getsize(home.path("cut.pcapng")) <= 65536, "size of the capture")
    if shutil.which("tshark"):
        shown = subprocess.run(["tshark", "-r", home.path("cut.pcapng")], capture_output=True, text=True, timeout=60, check=False)
        equal(shown.returncode, 0, f"exit code of tshark: {shown.stderr}")
        check(len(shown.stdout.splitlines()) > 10 and "cut short" not in shown.stderr, shown.stderr)


finish()
