#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""wavetank shell: a command behind an emulated path, nested, with the machine outside reachable, and nothing left behind."""
import os
import re
import shutil
import socket
import subprocess

from e2e import Home, Skip, check, equal, finish, need_labs, test, until

HOME = Home()


def shell(*words, code=0):
    need_labs(HOME)
    return HOME.run("shell", *words, code=code)


def interfaces():
    return sorted(os.listdir("/sys/class/net"))


def least_rtt(text):
    found = re.search(r"rtt min/avg/max/mdev = ([0-9.]+)/", text)
    check(found, text)
    return float(found[1])


@test("the round trip of a command is that of the path, and of nested shells the sum")
def _():
    one = least_rtt(shell("delay 15ms", "--", "ping", "-c", "4", "-i", "0.2", "10.72.0.1")[0])
    check(30 <= one < 60, one)
    two = least_rtt(shell("delay 10ms", "--", HOME.program, "shell", "delay 20ms", "delay 5ms", "--", "ping", "-c", "4", "-i", "0.2", "10.72.0.1")[0])
    check(45 <= two < 90, two)


@test("what the path drops does not arrive: half of a hundred, each way by its own words")
def _():
    out, _ = shell("loss list 1-5", "delay 1ms", "--", "sh", "-c", "ping -c 10 -i 0.02 -W 1 10.72.0.1 || true")
    check("5 received" in out, out)


@test("the exit code is the command's; a bad word, a missing path and a missing command are told in one line")
def _():
    shell("delay 1ms", "--", "sh", "-c", "exit 7", code=7)
    _, err = shell("dely 5ms", "--", "true", code=2)
    check('did you mean "delay"' in err and err.count("\n") == 1, err)
    _, err = HOME.run("shell", code=2)
    equal(err.count("\n"), 1, "lines")
    _, err = HOME.run("shell", "delay 1ms", "delay 1ms", "true", code=2)
    check("--" in err and err.count("\n") == 1, err)
    shell("delay 1ms", "--", "no-such-command", code=127)


@test("nothing is left behind: no interface, no process, and forwarding as it was")
def _():
    def state():
        with open("/proc/sys/net/ipv4/ip_forward", encoding="ascii") as file:
            return interfaces(), file.read()

    before = state()
    shell("delay 1ms", "--", "true")
    equal(state(), before, "interfaces and forwarding")
    busy = subprocess.run(["pgrep", "-f", "emu run --quiet --fwd delay 1ms --rev delay 1ms"], stdout=subprocess.PIPE, text=True, check=False)
    equal(busy.stdout, "", "processes")


BEYOND = """
ip link set lo up
unshare -n sleep 60 & beyond=$!
until nsenter -t $beyond -n ip link set lo up && [ "$(readlink /proc/$beyond/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
ip link add out0 type veth peer name in0 netns $beyond
ip address add 10.99.0.1/24 dev out0 && ip link set out0 up
nsenter -t $beyond -n sh -c 'ip address add 10.99.0.2/24 dev in0; ip link set in0 up'
ip route add default via 10.99.0.2
ping -q -c 1 -W 5 10.99.0.2 >/dev/null
"$0" shell 'delay 15ms' -- ping -q -c 4 -i 0.2 10.99.0.2
"$0" shell 'delay 10ms' -- "$0" shell 'delay 20ms' 'delay 5ms' -- ping -q -c 4 -i 0.2 10.99.0.2
echo "tables: $(nft list tables)"
kill $beyond
"""


@test("beyond this machine packets go masqueraded, through nested shells too, and no rule is left")
def _():
    if os.geteuid() != 0 or not shutil.which("nft", path=HOME.environment["PATH"]):
        raise Skip("needs root and nft")
    need_labs(HOME)
    done = subprocess.run(["unshare", "-n", "sh", "-c", BEYOND, HOME.program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                          env=HOME.environment, cwd=HOME.folder, check=False)
    times = [float(least) for least in re.findall(r"rtt min/avg/max/mdev = ([0-9.]+)/", done.stdout)]
    equal(len(times), 2, f"answers from beyond\n{done.stdout}{done.stderr}") # the host there has no route to a shell: without NAT there are none
    check(30 <= times[0] < 60 and 45 <= times[1] < 90, times)
    check("tables: \n" in done.stdout, done.stdout)


@test("without the rights of root the outside is a namespace of its own, and that is said; shells nest, over TAP devices and without")
def _():
    if os.geteuid() != 0:
        raise Skip("needs root, to give its rights up")
    if subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "unshare", "-rn", "true"], check=False).returncode:
        raise Skip("no user namespaces")
    need_labs(HOME)
    for tun in (True, False):
        home = Home(65534, tun)
        out, err = home.run("shell", "delay 15ms", "--", "ping", "-c", "3", "-i", "0.2", "10.72.0.1")
        check("namespace of its own" in err, err)
        check(30 <= least_rtt(out) < 60, out)
        out, _ = home.run("shell", "delay 10ms", "--", home.program, "shell", "delay 20ms", "delay 5ms", "--", "ping", "-c", "4", "-i", "0.2", "10.72.0.1")
        check(45 <= least_rtt(out) < 90, out)


@test("root without /dev/net/tun has veth pairs in its place: bulk passes, nested too, and nothing is left behind")
def _():
    need_labs(HOME)
    before = interfaces()
    client = "import socket; c = socket.create_connection(('10.72.0.1', 7003), 20); c.sendall(bytes(3000000)); c.shutdown(1); c.recv(1)" # the path ends with the command
    hidden = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh", HOME.program, "shell"]
    with socket.create_server(("", 7003)) as server:
        server.settimeout(30)
        for words in (["delay 5ms", "--"], ["delay 5ms", "--", HOME.program, "shell", "delay 5ms", "--"]):
            with subprocess.Popen([*hidden, *words, "python3", "-c", client]) as shell_of_client:
                connection, count = server.accept()[0], 0
                connection.settimeout(30)
                while part := connection.recv(65536):
                    count += len(part)
                connection.close()
            equal((shell_of_client.returncode, count), (0, 3000000), "exit code and bytes")
    until(lambda: interfaces() == before, "the kernel has removed the pairs of the namespaces that are gone")


finish()
