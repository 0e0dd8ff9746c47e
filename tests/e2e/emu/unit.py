# SPDX-License-Identifier: BSD-2-Clause
"""The unit file under the real systemd, in a machine of its own: started, reloaded, watched, started again and stopped as shipped."""
from machine import *

UNIT = os.path.join(os.path.dirname(os.path.abspath(WAVETANK)), "systemd", "wavetank-emu@.service")
NAME = "wavetank-emu@demo"
CONFIG = "/etc/wavetank/demo.conf"
CAPABILITIES = sum(1 << bit for bit in (6, 7, 12, 13, 21, 23))  # SETGID, SETUID, NET_ADMIN, NET_RAW, SYS_ADMIN, SYS_NICE
LEFT, RIGHT = "10.9.0.1/24", "10.9.0.2/24"


def boot():
    with open(UNIT, encoding="ascii") as file:
        program = next(line for line in file if line.startswith("ExecStart=")).split("=", 1)[1].split()[0]
    return Machine(program, UNIT)


def config(machine, ports, words):
    awake = "[emulator]\nawake = yes\n" if os.path.exists("/dev/cpu_dma_latency") else ""
    machine.write(CONFIG, f"{awake}[port a]\ninterface = {ports[0]}\n[port b]\ninterface = {ports[1]}\n[link]\nboth = {words}\n")


def settle(side, address):
    side.must("sysctl", "-qw", "net.ipv6.conf.wt0.disable_ipv6=1")
    side.must("ip", "address", "add", address, "dev", "wt0")
    side.must("ip", "link", "set", "wt0", "up")


def best_rtt(a):
    """In ms; 0 if there is no answer."""
    return min(answer(a.python(PING, B, 10, 0.005)), default=0) * 1000


def status(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return dict(line.rstrip("\n").split(":\t") for line in file if ":\t" in line)


def last_record(machine):
    records = [json.loads(line) for line in machine.journal("-u", NAME).splitlines() if line.startswith("{")]
    check(records and records[-1]["record"] == "end", records, machine.journal())
    check(records[-1]["audit_holds"] and records[-1]["ended_by"] == "signal", records[-1])
    return records[-1]


def stop_it(machine):
    """The record of the run; the unit leaves no process, no socket, no failure."""
    machine.must_all("systemctl", "stop", NAME)
    check(machine.show(NAME, "Result") == "success" and machine.show(NAME, "ControlGroup") == "", machine.journal())
    check(os.listdir(machine.root + "/run/wavetank") == [], "the socket stays")
    return last_record(machine)


def between_two_namespaces_it_starts_is_read_again_and_stops_with_a_complete_record(a, b):
    with boot() as machine:
        ports = machine.joined("va", a), machine.joined("vb", b)
        settle(a, LEFT)
        settle(b, RIGHT)
        config(machine, ports, "delay 5ms")
        machine.must_all("systemctl", "start", NAME)
        check(machine.show(NAME, "ActiveState") == "active" and 10 <= best_rtt(a) < 20, machine.journal())
        config(machine, ports, "delay 15ms")
        machine.must_all("systemctl", "reload", NAME)
        until(lambda: best_rtt(a) >= 30, "the new words are not in force")
        config(machine, ports, "delai 1ms")
        done = machine.do_all("systemctl", "reload", NAME)
        check(done.returncode != 0 and 'did you mean "delay"?' in machine.journal("-u", NAME), done, machine.journal())
        shown = json.loads(machine.must_all("wavetank", "emu", "show", "--json"))
        check(machine.show(NAME, "ActiveState") == "active" and shown["fwd"]["path"] == "delay 15ms", shown["fwd"])
        check(stop_it(machine)["fwd"]["delivered"] >= 20, machine.journal())
        check(machine.place not in open("/proc/self/mountinfo", encoding="utf-8").read(), "a mount of it is seen outside")
        machine.close()
        for side in (a, b):
            until(lambda: side.interfaces() == {"lo"}, lambda: str(side.interfaces()))


def in_its_sandbox_it_makes_taps_in_named_namespaces_and_little_else_is_open_to_it(a, b):
    emulator = Emulator(a, b)
    usual = [port["writes"] for port in emulator.end()["ports"]]
    with boot() as machine:
        for name in ("left", "right"):
            machine.must_all("ip", "netns", "add", name)
        config(machine, ("tap:wt0@left", "tap:wt0@right"), "only (icmp) { loss 0% } delay 5ms")
        # what runs before it runs in its sandbox
        machine.drop_in(NAME, "ExecStartPre=/bin/sh -c 'ls /home; head -c 1 /dev/forbidden; mkdir /sys/fs/cgroup/x; chown 1 /run; hostname x; true'")
        machine.must_all("systemctl", "start", NAME)
        told = machine.journal("-u", NAME).translate(str.maketrans("‘’", "''"))
        for refused in ("'/home': Permission denied", "'/dev/forbidden' for reading: Operation not permitted",
                        "'/sys/fs/cgroup/x': Read-only file system", "'/run': Operation not permitted", "must be root to change the host name"):
            check(refused in told, "not refused:", refused, told)
        facts = status(machine.process(NAME))
        check(int(facts["CapBnd"], 16) & ~CAPABILITIES == 0, facts["CapBnd"])
        check(int(facts["CapPrm"], 16) == 0 and facts["NoNewPrivs"] == "1" and facts["Seccomp"] == "2" and facts["Uid"].split()[0] != "0", facts)
        for name, address in (("left", LEFT), ("right", RIGHT)):
            machine.must_all("ip", "-n", name, "address", "add", address, "dev", "wt0")
        rtts = json.loads(machine.must_all("ip", "netns", "exec", "left", sys.executable, "-c", PING, B, "10", "0.005"))
        check(len(rtts) == 10 and 0.01 <= min(rtts) < 0.02, rtts)
        check([port["writes"] for port in stop_it(machine)["ports"]] == usual, "its writes are others than outside", usual)
        for name in ("left", "right"):
            check("wt0" not in machine.must_all("ip", "-n", name, "link"), "the TAP stays")


def it_steers_in_its_own_namespace_as_in_named_ones_and_says_where_it_cannot(a, b):
    if os.cpu_count() < 2:
        return
    with boot() as machine:
        machine.must_all("ip", "netns", "add", "right")
        machine.write(CONFIG, "[emulator]\ncpu = 0\nsteer = yes\n[port a]\ninterface = tap:wt0\n[port b]\ninterface = tap:wt0@right\n")
        machine.must_all("systemctl", "start", NAME)
        receivers = "/sys/class/net/wt0/queues/rx-0/rps_cpus"
        here = machine.must_all("cat", receivers)
        there = machine.must_all("ip", "netns", "exec", "right", "cat", receivers)
        check(here == there and int(here.replace(",", ""), 16) & 3 == 2, here, there)
        stop_it(machine)
        machine.must_all("mount", "-o", "remount,ro", "/sys")
        check(machine.do_all("systemctl", "start", NAME).returncode != 0, "it steers by a /sys that is read-only")
        check("cannot steer what wt0 receives to other processors: Read-only file system (all of /sys is, as in a container" in
              machine.journal("-u", NAME), machine.journal("-u", NAME))
        machine.write(CONFIG, "[emulator]\ncpu = 0\nsteer = yes\n[port a]\ninterface = tap:wt1@right\n[port b]\ninterface = tap:wt0@right\n")
        machine.must_all("systemctl", "reset-failed", NAME)
        machine.must_all("systemctl", "start", NAME)
        stop_it(machine)


def hung_killed_or_without_its_interface_it_is_started_again_but_not_with_wrong_words(a, b):
    with boot() as machine:
        ports = machine.joined("va", a), machine.joined("vb", b)
        settle(a, LEFT)
        settle(b, RIGHT)
        config(machine, ports, "delay 5ms")
        machine.drop_in(NAME, "WatchdogSec=2", "LimitCORE=0")
        machine.must_all("systemctl", "start", NAME)

        def again(times, what):
            until(lambda: int(machine.show(NAME, "NRestarts")) >= times and machine.show(NAME, "ActiveState") == "active",
                  lambda: what + " and not started again:\n" + machine.journal())
            check(10 <= best_rtt(a), what, machine.journal())

        os.kill(machine.process(NAME), signal.SIGSTOP)
        again(1, "hung")
        check("Watchdog timeout" in machine.journal(), machine.journal())
        os.kill(machine.process(NAME), signal.SIGKILL)
        again(2, "killed")
        machine.must("ip", "link", "delete", "vb")
        machine.joined("vb", b)
        settle(b, RIGHT)
        a.must("ip", "neighbour", "flush", "dev", "wt0")
        again(3, "without its interface")
        config(machine, ports, "delai 5ms")
        check(machine.do_all("systemctl", "restart", NAME).returncode != 0, "wrong words, and it starts")
        check(machine.show(NAME, "ActiveState") == "failed" and machine.show(NAME, "NRestarts") == "0", machine.journal())


main(between_two_namespaces_it_starts_is_read_again_and_stops_with_a_complete_record,
     in_its_sandbox_it_makes_taps_in_named_namespaces_and_little_else_is_open_to_it,
     it_steers_in_its_own_namespace_as_in_named_ones_and_says_where_it_cannot, hung_killed_or_without_its_interface_it_is_started_again_but_not_with_wrong_words)
