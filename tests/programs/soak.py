#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Large transfers by unmodified programs over the engine, each way round with the kernel: digests, time, and the CPU time of the engines.

  soak.py WAVETANK [--bytes N] [--seed N] [--budget SECONDS] [--link WORDS] [--rounds N] [--only NAME...]

With rounds the yardstick comes first in each, and the ratios to it are printed in the end: other work on the machine moves both alike.

By hand: it takes minutes (docs/programs.md has its figures). The budget is that of all transfers together: none is begun after it. Root, TUN.
"""
import argparse
import hashlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

import programs
from programs import WAVETANK

HERTZ = os.sysconf("SC_CLK_TCK")


class Soak(programs.Lab):
    """The lab of the tests, without a test."""
    limit = 1800 # s, of one program
    spent = {} # CPU seconds per GB of both ends, by transfer

    def runTest(self):
        pass

    def cpu(self, host):
        """CPU seconds of a host's engine so far."""
        with open(f"/proc/{self.engines[host]}/stat", encoding="ascii") as file:
            field = file.read().rpartition(")")[2].split()
        return (int(field[11]) + int(field[12])) / HERTZ

    def prepare(self, options):
        self.options = options
        self.engines = {host: self.outer(self.daemon(host), self.call(host, "readlink", "/proc/self/ns/net", run=None).stdout.strip()) for host in "ab"}
        self.path = self.place + "/large"
        chunk, left = random.Random(options.seed), options.bytes
        digest = hashlib.sha256()
        with open(self.path, "wb") as file:
            while left:
                piece = chunk.randbytes(min(left, 1 << 20))
                file.write(piece)
                digest.update(piece)
                left -= len(piece)
        self.want = digest.hexdigest()
        with open(self.place + "/nginx.conf", "w", encoding="ascii") as file:
            file.write(f"worker_processes 1; daemon off; pid {self.place}/nginx.pid; error_log stderr;\nevents {{ worker_connections 100; }}\n"
                       f"http {{ access_log off; sendfile on; server {{ listen PORT; root {self.place}; }} }}\n")

    @staticmethod
    def outer(pid, network):
        """The daemon's number outside the lab's namespace of processes: who has the inner one as its last, in the host's network."""
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/status", encoding="ascii", errors="replace") as file:
                        numbers = next(line for line in file if line.startswith("NSpid")).split()[1:]
                    with open(f"/proc/{entry}/cmdline", encoding="ascii", errors="replace") as file:
                        words = file.read().split("\0")
                except (OSError, StopIteration):
                    continue
                if numbers[-1] == pid and words[1:2] == ["host"] and os.readlink(f"/proc/{entry}/ns/net") == network:
                    return int(entry)
        raise SystemExit("no engine daemon")

    def stream_digest(self, command, host, run):
        """Of what the command prints."""
        process = subprocess.Popen(self.words(host, *command, run=run), stdout=subprocess.PIPE)
        digest = hashlib.file_digest(process.stdout, "sha256") if hasattr(hashlib, "file_digest") else None
        return process.wait(), digest.hexdigest()

    def nginx(self, port, run):
        config = f"{self.place}/nginx{port}.conf"
        with open(self.place + "/nginx.conf", encoding="ascii") as file:
            text = file.read().replace("PORT", str(port)).replace("nginx.pid", f"nginx{port}.pid")
        with open(config, "w", encoding="ascii") as file:
            file.write(text)
        self.start("b", "nginx", "-c", config, run=run, port=port if run is not None else None)
        time.sleep(1)

    def fetched(self, server, client, *words):
        code, digest = self.stream_digest(["curl", "-sS", *words], "a", client)
        return code == 0 and digest == self.want

    def curl_nginx(self):
        self.nginx(8080, ())
        return self.fetched((), (), "http://b.engine:8080/large")

    def curl_nginx_of_kernel(self):
        self.nginx(8081, None)
        return self.fetched(None, ("--kernels",), "http://10.77.0.2:8081/large")

    def curl_of_kernel_nginx(self):
        self.nginx(8082, ())
        return self.fetched((), None, "--interface", "10.77.0.1", "http://b.engine:8082/large")

    def iperf3(self):
        self.start("b", "iperf3", "-s", "--forceflush", ready="Server listening")
        return self.call("a", "iperf3", "-c", "b.engine", "-n", str(self.options.bytes)).returncode == 0

    def ssh(self):
        for key in "host", "user":
            if os.path.exists(f"{self.place}/{key}"): # of an earlier round
                continue
            subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.place}/{key}"), check=True)
        shutil.copy(self.place + "/user.pub", self.place + "/authorized")
        os.makedirs("/run/sshd", exist_ok=True)
        self.start("b", "/usr/sbin/sshd", "-D", "-e", "-p", "2222", "-f", "/dev/null", "-h", self.place + "/host", "-o", "StrictModes=no", "-o",
                   f"AuthorizedKeysFile={self.place}/authorized", "-o", "PidFile=none", "-o", "UsePAM=no", "-o", "PermitRootLogin=yes", port=2222)
        code, digest = self.stream_digest(["ssh", "-p", "2222", "-i", self.place + "/user", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                                    "-o", "LogLevel=ERROR", "-F", "/dev/null", "root@b.engine", "cat " + self.path], "a", ())
        return code == 0 and digest == self.want

    def redis(self):
        """There and back, 16 MiB at a time."""
        self.start("b", "redis-server", "--port", "6379", "--protected-mode", "no", "--save", "", "--dir", self.place, ready="Ready to accept")
        script = ("import hashlib, socket, sys\ns = socket.create_connection(('10.77.0.102', 6379)); f = s.makefile('rb'); d = hashlib.sha256()\n"
                  "with open(sys.argv[1], 'rb') as file:\n while piece := file.read(16 << 20):\n"
                  "  s.sendall(b'*3\\r\\n$3\\r\\nSET\\r\\n$1\\r\\nk\\r\\n$%d\\r\\n' % len(piece) + piece + b'\\r\\n'); assert f.readline() == b'+OK\\r\\n'\n"
                  "  s.sendall(b'GET k\\r\\n'); n = int(f.readline()[1:]); d.update(f.read(n)); f.read(2)\nprint(d.hexdigest())")
        return self.call("a", programs.PYTHON, "-c", script, self.path).stdout.strip() == self.want

    def send_recv(self):
        """The yardstick: our own ends over the same path, without programs. Their CPU time is what wait4() says."""
        before = os.times()
        words = ["--tcp-port", "7000", "--json"]
        receiver = subprocess.Popen([*self.words("b", WAVETANK, "recv", "-1", *words, "--address", "10.77.0.106/24", run=None)], stdout=subprocess.DEVNULL)
        time.sleep(1)
        code = self.call("a", WAVETANK, "send", "-c", "10.77.0.106", "--address", "10.77.0.105/24", "-n", f"{self.options.bytes}B", *words, run=None).returncode
        receiver.wait()
        after = os.times()
        self.ours = after.children_user + after.children_system - before.children_user - before.children_system
        return code == 0

    def measure(self, name):
        cpu = {host: self.cpu(host) for host in "ab"}
        began = time.monotonic()
        ok = getattr(self, name)()
        seconds = time.monotonic() - began
        size = self.options.bytes / 1e9
        spent = {host: (self.cpu(host) - cpu[host]) / size for host in "ab"}
        text = (f"{self.ours / size:.2f} both ends" if name == "send_recv" else f"{spent['a']:.2f} at a, {spent['b']:.2f} at b")
        print(f"{name:22} {'equal' if ok else 'FAILED'}  {seconds:6.1f} s  {size * 8000 / seconds:6.0f} Mbit/s  CPU s per GB: {text}", flush=True)
        self.doCleanups()
        self.spent.setdefault(name, []).append(self.ours / size if name == "send_recv" else spent["a"] + spent["b"])
        return ok

    def ratios(self):
        """Of each transfer's engines to the yardstick, round by round: two gigabytes for redis, one end of ours where a kernel is the other."""
        for name, all_spent in self.spent.items():
            if name != "send_recv" and "kernel" not in name:
                ratio = sorted(a / b / (2 if name == "redis" else 1) for a, b in zip(all_spent, self.spent["send_recv"]))
                print(f"{name:22} {statistics.median(ratio):.2f} ({ratio[0]:.2f} to {ratio[-1]:.2f}) of send_recv")


NAMES = ["send_recv", "curl_nginx", "curl_nginx_of_kernel", "curl_of_kernel_nginx", "iperf3", "ssh", "redis"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wavetank")
    parser.add_argument("--bytes", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=900)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--link", default="loss 1%")
    parser.add_argument("--only", nargs="*", default=NAMES, choices=NAMES)
    options = parser.parse_args()
    Soak.link = options.link
    end = time.monotonic() + options.budget
    failed = 0
    try:
        Soak.setUpClass()
        soak = Soak()
        soak.prepare(options)
        if options.rounds > 1 and options.only[0] != "send_recv":
            options.only.insert(0, "send_recv")
        for name in options.only * options.rounds:
            if time.monotonic() > end:
                print(f"{name:22} not begun: the budget of {options.budget:.0f} s is used up")
                failed += 1
            else:
                failed += not soak.measure(name)
        if options.rounds > 1:
            soak.ratios()
    finally:
        Soak.doClassCleanups()
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
