#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the same programs do per second over the kernel's TCP and over an engine, in turn, over one path without loss.

  rates.py WAVETANK [--rounds N]

By hand, for it wants the machine for itself: the median of each and their ratio, beside what docs/programs.md asks for. Root, TUN.
"""
import argparse
import re
import shutil
import statistics
import subprocess
import sys
import time

import programs
from programs import PYTHON, WAVETANK

ECHO = "import socket, threading\nl = socket.socket(); l.setsockopt(1, 2, 1); l.bind(('0.0.0.0', PORT)); l.listen(64); print('ready', flush=True)\n" \
       "def go(s):\n s.setsockopt(6, 1, 1)\n while d := s.recv(65536): s.sendall(d)\n" \
       "while True: threading.Thread(target=go, args=(l.accept()[0],), daemon=True).start()"
TRIP = "import socket, statistics, time\ns = socket.create_connection(('HOST', PORT)); s.setsockopt(6, 1, 1); t = []\n" \
       "for _ in range(1000):\n b = time.perf_counter(); s.sendall(b'x'); s.recv(1); t.append(time.perf_counter() - b)\nprint(statistics.median(t) * 1e6)"
CALL = "import socket, statistics, time\nt = []\n" \
       "for _ in range(300):\n b = time.perf_counter(); s = socket.create_connection(('HOST', PORT)); s.sendall(b'x'); s.recv(1); s.close()\n" \
       " t.append(time.perf_counter() - b)\nprint(statistics.median(t) * 1e6)"
STATE = """#include <arpa/inet.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[2])), .sin_addr.s_addr = inet_addr(argv[1])};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct timespec a, b;

	if (argc != 3 || connect(fd, (struct sockaddr *)&in, sizeof(in)) < 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < 200000; i++) {
		struct tcp_info info;
		socklen_t len = sizeof(info);

		if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
			return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%f", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 200000e3);
	return 0;
}
"""


class Rates(programs.Lab):
    """The lab of the tests, without a test."""
    link = "delay 100us"

    def runTest(self):
        pass

    def number(self, pattern, *words, run=()):
        result = self.call("a", *words, run=run)
        found = re.search(pattern, result.stdout)
        if result.returncode or not found:
            raise SystemExit(f"{words[0]}: {result.stdout[-300:]}{result.stderr[-300:]}")
        return float(found.group(1))

    def script(self, text, host, port, run):
        return self.number(r"([\d.]+)", PYTHON, "-c", text.replace("HOST", host).replace("PORT", str(port)), run=run)

    def prepare(self):
        for port, run in ((7100, None), (7200, ())):
            self.start("b", PYTHON, "-c", ECHO.replace("PORT", str(port)), run=run, ready="ready")
            self.start("b", "redis-server", "--port", str(port + 1), "--protected-mode", "no", "--save", "", "--dir", self.place, run=run, ready="Ready to accept")
            config = f"{self.place}/nginx{port}.conf"
            with open(config, "w", encoding="ascii") as file:
                file.write(f"worker_processes 2; daemon off; pid {self.place}/nginx{port}.pid; error_log stderr;\nevents {{ worker_connections 200; }}\n"
                           f"http {{ access_log off; server {{ listen {port + 2}; root {self.place}; }} }}\n")
            self.start("b", "nginx", "-c", config, run=run)
        with open(self.place + "/page", "wb") as file:
            file.write(b"p" * 600)
        subprocess.run(["cc", "-O2", "-x", "c", "-", "-o", self.place + "/state"], input=STATE, text=True, check=True)
        time.sleep(1)

    def measures(self):
        """Name, what is asked for, how it is measured."""
        kinds = [("round trip of 1 byte, us", "the kernel's + 200", lambda h, p, r: self.script(TRIP, h, p, r)),
                 ("connect, exchange, close, us", "1.5 of the kernel's", lambda h, p, r: self.script(CALL, h, p, r)),
                 ("TCP_INFO, us", "1", lambda h, p, r: self.number(r"([\d.]+)", self.place + "/state", h, str(p), run=r)),
                 ("redis GET, 50 clients, /s", "0.7 of the kernel's", lambda h, p, r: self.number(
                     r"GET: ([\d.]+)", "redis-benchmark", "-h", h, "-p", str(p + 1), "-q", "-n", "20000", "-c", "50", "-t", "get", run=r))]
        if shutil.which("wrk"):
            kinds.append(("nginx by wrk, 20 connections, /s", "0.6 of the kernel's", lambda h, p, r: self.number(
                r"Requests/sec: +([\d.]+)", "wrk", "-t", "1", "-c", "20", "-d", "3", f"http://{h}:{p + 2}/page", run=r)))
        else:
            print("nginx: not measured, wrk is not installed")
        return kinds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wavetank")
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    try:
        Rates.setUpClass()
        rates = Rates()
        rates.prepare()
        for name, asked, measure in rates.measures():
            pairs = [(measure("10.77.0.2", 7100, None), measure("10.77.0.102", 7200, ())) for _ in range(rounds)]
            kernel, engine = (statistics.median(values) for values in zip(*pairs))
            ratio = sorted(b / a for a, b in pairs)
            print(f"{name:34} kernel {kernel:10.1f}  engine {engine:10.1f}  ratio {statistics.median(ratio):.2f} ({ratio[0]:.2f} to {ratio[-1]:.2f})  asked: {asked}",
                  flush=True)
        rates.doCleanups()
    finally:
        Rates.doClassCleanups()


if __name__ == "__main__":
    assert WAVETANK
    sys.exit(main())
