# SPDX-License-Identifier: BSD-2-Clause
"""What `wavetank bench` runs: loads between a kernel and our engine in namespaces of their own, the kernel's TCP at both ends in turn with
it, and virtual time, wired and on the air, in turn with ns-2. Called by tools/bench/bench.c: PROGRAM FOLDER ROUNDS SIZE NUMBER CALLS QUIET [KIND...]"""
import collections
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import air_speed  # noqa: E402
import ns2_speed  # noqa: E402
import picture  # noqa: E402
import wire  # noqa: E402

KINDS = ("bulk", "ask", "open", "idle", "active", "sim", "chain", "air")
VIRTUAL = {"sim", "chain", "air"}  # beside ns-2; the others are beside the kernel
# stack, port, offloads. The first of the kernel's is what others are compared with.
STACKS = [("wavetank", "tap", False), ("wavetank", "tap", True), ("wavetank", "packet", False), ("wavetank", "packet", True),
          ("kernel", "veth", False), ("kernel", "veth", True)]
# kind: [(figure, its name for people, more is better)]
FIGURES = {
    "bulk": [("Gbps", "Gbit/s", True), ("cpu_s_per_GB", "CPU s per GB", False)],
    "ask": [("p50_us", "p50, us", False), ("p99_us", "p99, us", False)],
    "open": [("connections_per_s", "connections/s", True), ("cpu_us_per_connection", "CPU us each, both ends", False)],
    "idle": [("resident_B_per_connection", "resident bytes each", False)],
    "active": [("resident_B_per_connection", "most resident bytes each", False), ("requests_per_s", "requests/s", True)],
    "sim": [("segments_per_cpu_s", "data packets per CPU s", True)],
    "chain": [("segments_per_cpu_s", "data packets per CPU s", True)],
    "air": [("cpu_s", "CPU s", False)],
}


class Bench:
    def __init__(self, program, folder, rounds, size, number, calls, quiet):
        self.program, self.folder, self.rounds, self.size, self.number = program, folder, int(rounds), int(size), int(number)
        self.calls, self.quiet = bool(calls), bool(quiet)
        self.rows = []
        os.makedirs(folder, exist_ok=True)
        self.file = open(os.path.join(folder, "bench.jsonl"), "w", encoding="utf-8")
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        json.dump({"schema": "wavetank.bench.1", "version": version, "kernel": platform.release(), "processors": os.cpu_count(),
                   "rounds": self.rounds, "size_bytes": self.size, "number": self.number}, self.file)
        self.file.write("\n")

    def add(self, **row):
        self.rows.append(row)
        json.dump(row, self.file)
        self.file.write("\n")
        self.file.flush()
        if not self.quiet:
            print("  ".join(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()), file=sys.stderr, flush=True)

    # ---- one run ----

    def peer(self, stack, port, offload, prefix=()):
        """The server, whose devices wire.remove() takes away."""
        if stack == "kernel":
            return wire.Kernel(self.program, offload)
        (wire.make_tap if port == "tap" else wire.make_pair)()
        words = ("--offload",) if offload else ()
        return wire.Engine(self.program, *words, port="tap:wt0" if port == "tap" else "packet:wt1", prefix=prefix)

    def load(self, what, count):
        done = subprocess.run([self.program, "kernel", "load", what, "-c", wire.OURS, "-n", str(count)], capture_output=True, text=True,
                              timeout=600, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return json.loads(done.stdout)

    def run(self, stack, what, count):
        """(what the client says, processor seconds of the server)"""
        try:
            with self.peer(*stack) as server:
                before = server.cpu_s()
                said = self.load(what, count)
                cpu = server.cpu_s() - before
                server.end()
            return said, server.usage.ru_utime + server.usage.ru_stime if server.usage else cpu
        finally:
            wire.remove()

    def count_calls(self, stack, what, count):
        """System calls of a run, from start to end."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "calls")
            try:
                with self.peer(*stack, prefix=("strace", "-f", "-c", "-o", path)):
                    self.load(what, count)
            finally:
                wire.remove()
            with open(path, encoding="utf-8") as file:
                return int(re.search(r"^\S+\s+\S+\s+(?:\d+\s+)?(\d+)\s+(?:\d+\s+)?total$", file.read(), re.M).group(1))

    # ---- kinds ----

    def bulk(self):
        for number in range(self.rounds):
            for stack in STACKS:
                size = self.size * (10 if stack[2] else 1)
                for way, what in (("sends", "pull"), ("receives", "push")):
                    said, cpu = self.run(stack, what, size)
                    self.add(what="bulk", stack=stack[0], port=stack[1], offload=stack[2], way=way, round=number,
                             Gbps=size * 8 / said["seconds"] / 1e9, cpu_s_per_GB=cpu * 1e9 / size, client_cpu_s_per_GB=said["cpu_s"] * 1e9 / size)
        for stack in STACKS[:4] if self.calls and shutil.which("strace") else []:
            for way, what in (("sends", "pull"), ("receives", "push")):
                few, many = (self.count_calls(stack, what, megabytes * 1000000) for megabytes in (20, 120))
                self.add(what="calls", stack=stack[0], port=stack[1], offload=stack[2], way=way, calls_per_MB=(many - few) / 100)

    def ask(self):
        for number in range(self.rounds):
            for stack in STACKS[::2]:
                said, cpu = self.run(stack, "ask", self.number)
                self.add(what="ask", stack=stack[0], port=stack[1], offload=stack[2], way="64 bytes", round=number, p50_us=said["p50_us"],
                         p99_us=said["p99_us"], cpu_us_per_request=(cpu + said["cpu_s"]) * 1e6 / self.number)

    def open(self):
        for number in range(self.rounds):
            for stack in STACKS[::2]:
                said, cpu = self.run(stack, "open", self.number)
                self.add(what="open", stack=stack[0], port=stack[1], offload=stack[2], way="one by one", round=number,
                         connections_per_s=self.number / said["seconds"], p50_us=said["p50_us"],
                         cpu_us_per_connection=(cpu + said["cpu_s"]) * 1e6 / self.number)

    def hold(self, load):
        """Many connections to our engine alone: what a kernel holds is not its process's. (resident bytes more in the end, at most; what the client says)"""
        try:
            with self.peer(*STACKS[0]) as server:
                self.load("ask", 1)
                before = server.resident()
                with subprocess.Popen([self.program, "kernel", "load", load, "-c", wire.OURS, "-n", str(self.number)], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True) as client:
                    said = client.stdout.readline()
                    held, most = server.resident() - before, server.most_resident() - before
                    client.stdin.close()
                    client.wait()
                if client.returncode:
                    raise RuntimeError("not all connections were opened, or one ended")
            return held, most, json.loads(said)
        finally:
            wire.remove()

    def idle(self):
        for number in range(self.rounds):
            held, _, _ = self.hold("idle")
            self.add(what="idle", stack="wavetank", port="tap", offload=False, way=str(self.number), round=number,
                     resident_B_per_connection=held / self.number)

    def active(self):
        for number in range(self.rounds):
            _, most, said = self.hold("active")
            self.add(what="active", stack="wavetank", port="tap", offload=False, way=str(self.number), round=number,
                     resident_B_per_connection=most / self.number, requests_per_s=11 * self.number / said["seconds"])

    def sim(self):
        there = shutil.which("ns")
        for number in range(self.rounds):
            for rate in (10, 100, 1000):
                for flows in (1, 100):
                    name = f"{rate} Mbit/s, {flows}"
                    runs = [("wavetank", ns2_speed.wavetank(self.program, rate, flows))] + ([("ns-2", ns2_speed.ns2(rate, flows))] if there else [])
                    for stack, (segments, cpu, memory) in runs:
                        self.add(what="sim", stack=stack, port="memory", offload=False, way=name, round=number,
                                 segments_per_cpu_s=segments / cpu, resident_MB=memory)

    def chain(self):
        group = "rate 100Mbit burst 0B limit 1MB loss 0.01% delay 1ms"
        for number in range(self.rounds):
            for groups in (1, 2, 5): # of three stages; a path has at most sixteen
                text, cpu, memory = ns2_speed.measured([self.program, "sim", "--link", " | ".join([group] * groups), "-t", "20s", "--json"])
                segments = json.loads(text)["flows"][0]["sender"]["sent_segs"]
                self.add(what="chain", stack="wavetank", port="memory", offload=False, way="1 group" if groups == 1 else f"{groups} groups", round=number,
                         segments_per_cpu_s=segments / cpu, resident_MB=memory)

    def air(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(self.rounds):
                for name, theirs, ours in air_speed.cases(folder, self.program):
                    for stack, command in [("wavetank", ours)] + ([("ns-2", theirs)] if shutil.which("ns") else []):
                        self.add(what="air", stack=stack, port="memory", offload=False, way=name, round=number, cpu_s=air_speed.cpu(command))

    # ---- the table ----

    def table(self):
        """[(kind, way, stack, {figure: (median, least, most)}, {figure: (ratio, least, most)})]; ratios are of equal rounds to the reference's."""
        groups = collections.OrderedDict()
        for row in self.rows:
            if "round" in row:
                groups.setdefault((row["what"], row["way"], row["stack"], row["port"], row["offload"]), []).append(row)
        lines = []
        for (what, way, stack, port, offload), rows in groups.items():
            other = groups.get((what, way, *(("ns-2", "memory", False) if what in VIRTUAL else ("kernel", "veth", offload))))
            values, ratios = {}, {}
            for figure, _, _ in FIGURES[what]:
                values[figure] = spread([row[figure] for row in rows])
                if other and stack == "wavetank":
                    ratios[figure] = spread([a[figure] / b[figure] for a, b in zip(rows, other) if b[figure]] or [0])
            lines.append((what, way, f"{stack} {port}" + (" offloads" if offload else ""), values, ratios))
        return lines

    def text(self):
        lines = []
        for what, way, stack, values, ratios in self.table():
            for figure, name, _ in FIGURES[what]:
                ratio = "   %6.2f times (%.2f to %.2f)" % ratios[figure] if figure in ratios else ""
                lines.append("%-5s %-15s %-26s %-24s %10.4g (%.4g to %.4g)%s" % (what, way, stack, name, *values[figure], ratio))
        for row in self.rows:
            if "calls_per_MB" in row:
                lines.append("calls %-15s %-26s %-24s %10.4g" % (
                    row["way"], f"{row['stack']} {row['port']}" + (" offloads" if row["offload"] else ""), "system calls per MB", row["calls_per_MB"]))
        return "\n".join(lines) + "\n"

    def finish(self):
        self.file.close()
        text = self.text()
        with open(os.path.join(self.folder, "bench.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(self.folder, "bench.svg"), "w", encoding="utf-8") as file:
            file.write(picture.draw(self.table(), FIGURES))
        print(text, end="")
        print("ratios: to the kernel over veth (offloads alike), or to ns-2, round by round; least and most in brackets")


def spread(values):
    return statistics.median(values), min(values), max(values)


def fail(code, text):
    if wire.CALLED: # what failed did so because its processes were ended
        sys.exit(128 + wire.CALLED[0])
    print(f"wavetank bench: {text}", file=sys.stderr)
    sys.exit(code)


def main():
    kinds = sys.argv[8:] or list(KINDS)
    try:
        if set(kinds) - VIRTUAL:
            wire.enter_namespace()
        wire.listen()
        if set(kinds) - VIRTUAL:
            wire.make_tap()
            wire.remove()
    except wire.NotHere as why:
        fail(3, f"{why}; bench sim, chain and air need neither")
    try:
        bench = Bench(*sys.argv[1:8])
    except OSError as why:
        fail(3, f"cannot write the folder {sys.argv[2]}: {'a file of that name is there' if isinstance(why, FileExistsError) else why.strerror}")
    try:
        for kind in KINDS:
            if kind in kinds:
                getattr(bench, kind)()
    except (RuntimeError, subprocess.SubprocessError, OSError) as why:
        fail(4, f"{why}")
    bench.finish()


if __name__ == "__main__":
    main()
