#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The plain tools of every machine as peers, their TCP being the kernel's: nc, curl, iperf3."""
import json
import shutil
import time

from e2e import Home, Skip, check, end, equal, finish, iperf3, lab, need_labs, test, until, wait_for

HOME = Home()
ROUGH = "delay 2ms loss 0.5% duplicate 0.5% reorder 1% delay 3ms"
SIZE = 5 << 20


def need(tool):
    need_labs(HOME)
    if not shutil.which(tool):
        raise Skip(f"no {tool}")


def inside(where, *words):
    return HOME.start("lab", "exec", f"peers:{where}", *words)


def payload():
    line = bytes(range(33, 126)) + b"\n"
    content = b"".join(i.to_bytes(4, "big").hex().encode() + line for i in range(SIZE // (len(line) + 8) + 1))[:SIZE]
    with open(HOME.path("payload"), "wb") as file:
        file.write(content)
    return content


def content_of(name):
    with open(HOME.path(name), "rb") as file:
        return file.read()


def receiver(name):
    process = inside("b", HOME.program, "recv", "-1", "--raw", "-p", "9000", "-o", HOME.path(name))
    wait_for(process, "listening")
    return process


def listening(where, port):
    """Until the kernel of that host listens on the port."""
    until(lambda: f":{port} " in HOME.run("lab", "exec", f"peers:{where}", "ss", "-Hltn", code=None)[0] + " ", "the peer listens")


@test("nc sends 5 MiB to the engine through loss, duplication and reordering, byte for byte")
def _():
    need("nc")
    content = payload()
    with lab(HOME, "peers", "--link", ROUGH, "--seed", "1"):
        peer = receiver("got")
        HOME.run("lab", "exec", "peers:a", "sh", "-c", f"nc -N b.engine 9000 < {HOME.path('payload')}")
        equal(end(peer)[0], 0, "exit code of recv")
    check(content_of("got") == content, "bytes")


@test("the engine sends 5 MiB to nc through loss, duplication and reordering, byte for byte")
def _():
    need("nc")
    content = payload()
    with lab(HOME, "peers", "--link", ROUGH, "--seed", "2"):
        peer = inside("b", "sh", "-c", f"nc -l -N 9000 > {HOME.path('got')}")
        listening("b", 9000)
        HOME.run("lab", "exec", "peers:a", HOME.program, "send", "--raw", "-c", "b.kernel", "-p", "9000", "-F", HOME.path("payload"))
        equal(end(peer)[0], 0, "exit code of nc")
    check(content_of("got") == content, "bytes")


@test("curl uploads 5 MiB to the engine through loss, duplication and reordering, byte for byte")
def _():
    need("curl")
    content = payload()
    with lab(HOME, "peers", "--link", ROUGH, "--seed", "3"):
        peer = receiver("got")
        # nobody answers the request: curl is told to give up some seconds after all is sent, and closes
        curl = inside("a", "curl", "-sS", "--max-time", "5", "-H", "Expect:", "-T", HOME.path("payload"), "http://b.engine:9000/up")
        equal(end(curl)[0], 28, "exit code of curl: waited in vain for an answer")
        equal(end(peer)[0], 0, "exit code of recv")
    head, _, body = content_of("got").partition(b"\r\n\r\n")
    check(head.startswith(b"PUT /up HTTP/1.1\r\n"), f"request {head[:60]!r}")
    check(body == content, f"{len(body)} bytes of body")


@test("iperf3 between the kernels of a lab gets the rate of the path, less the headers, and no more")
def _():
    need("iperf3")
    with lab(HOME, "peers", "--link", "rate 20Mbit burst 20KB limit 1MB delay 5ms"):
        iperf3(HOME, "peers", 20e6, (17e6, 19.4e6), "-C", "reno", "-t", "4")


@test("under iperf3 a filter comes, is changed, moves and goes by the lab's name: not one segment is lost or overtaken")
def _():
    need("iperf3")
    rate = "rate 20Mbit burst 0B limit 16MB"
    paths = (f"{rate} | only (udp) {{ loss 100% }} | delay 5ms", f"{rate} | only (icmp) {{ loss 100% }} | delay 5ms",
             f"only (tcp dst port 5201) {{ delay 3ms }} | {rate} | only (icmp) {{ loss 100% }} | delay 5ms",
             f"delay 5ms | only (tcp dst portrange 5200-5202) {{ delay 3ms }} | {rate}", f"{rate} delay 5ms")
    with lab(HOME, "peers", "--link", f"{rate} delay 5ms"):
        server = inside("b", "iperf3", "-s", "-1")
        listening("b", 5201)
        client = inside("a", "iperf3", "-c", "b", "-C", "reno", "-t", "4", "-J")
        shown = []
        for words in paths:
            time.sleep(0.6)
            HOME.run("emu", "set", "peers.fwd", words)
            before = HOME.run("emu", "show", "peers", "--json")[0]
            for bad, said in ((f"only (tcp prot 80) {{ loss 1% }} | {rate}", "pcap-filter"), (f"{rate} | only (tcp) {{ delay 1 }}", "has no unit"),
                              (f"only (tcp) {{ handoff every 1s for 1ms }} | {rate}", "in both directions at once"),
                              (f"only (tcp) {{ loss 1% | {rate}", "only (EXPRESSION) { WORDS }")):
                _, err = HOME.run("emu", "set", "peers.fwd", bad, code=2)
                check(said in err, err)
            shown.append(json.loads(before)["fwd"])
            equal(json.loads(HOME.run("emu", "show", "peers", "--json")[0])["fwd"]["path"], shown[-1]["path"], "the path after refused words")
        out = json.loads(end(client)[1])
        record = json.loads(HOME.run("emu", "show", "peers", "--json")[0])
        end(server)
        # not what was sent again: a busy host makes a timer run out though nothing was lost
        names, values = [line.split() for line in HOME.run("lab", "exec", "peers:b", "cat", "/proc/net/netstat")[0].splitlines() if line.startswith("TcpExt:")]
        overtaken = int(values[names.index("TCPOFOQueue")])
    stages = {stage["stage"]: stage for stage in record["fwd"]["stages"]}
    check([one["path"].count("only") for one in shown] == [1, 1, 2, 1, 0], shown)
    check(out["end"]["sum_received"]["bytes"] > SIZE, "too little to see anything")
    equal(overtaken, 0, "segments that came out of order")
    check("gone" not in stages["fwd.rate"] and stages["fwd.rate"]["in"] > 5000, f"the rate there was: {stages}")
    check(stages["fwd.filter"]["gone"] and stages["fwd.filter"]["in"] > 1000, stages)
    check(not any(stage["dropped"] for stage in stages.values()), stages)


finish()
