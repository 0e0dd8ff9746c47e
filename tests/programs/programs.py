#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Unmodified programs over the engine: `lab up --programs`, `wavetank run`. Root, TUN.

  programs.py WAVETANK
"""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

WAVETANK = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
# docs/programs.md, "What differs"
DIFFERENT = {"urgent_data": "!ENOTSUP", "low_water_mark": ["POLLIN"], "receiving_after_shut_rd": 0,
             "nobody_has_the_address": "!ETIMEDOUT", "its_own_address_called": "!ENETUNREACH",
             "options_of_ip": [[[None, value] for value in (16, 33, 2, 1)] + [[0, 64, 2, 0]] +
                              [[None, 0], ["!ENOPROTOOPT", 64], [None, 2], ["!ENOPROTOOPT", 0]], 0, None],
             "options_that_an_engine_has_not": [None] + ["!ENOPROTOOPT"] * 4}


class Lab(unittest.TestCase):
    link = "delay 1ms loss 1%"
    limit = 240 # s, of one program

    @classmethod
    def setUpClass(cls):
        cls.name = f"prog{os.getpid()}"
        cls.place = tempfile.mkdtemp(prefix="wt-programs-")
        cls.addClassCleanup(shutil.rmtree, cls.place)
        os.chmod(cls.place, 0o755) # workers of nginx are another user
        subprocess.run([WAVETANK, "lab", "up", cls.name, "--programs", "--quiet", "--late", "1h", "--steal", "100%", "--link", cls.link], check=True)
        cls.addClassCleanup(subprocess.run, [WAVETANK, "lab", "down", "--quiet", cls.name], check=False, stdout=subprocess.DEVNULL)
        with open(cls.place + "/file", "wb") as file:
            file.write(random.Random(1).randbytes(3000000))
        cls.digest = cls.sha(cls.place + "/file")

    @staticmethod
    def sha(path):
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def words(self, host, *words, run=()):
        return [WAVETANK, "lab", "exec", f"{self.name}:{host}", *([WAVETANK, "run", *run, "--"] if run is not None else []), *words]

    def call(self, host, *words, run=(), **more):
        return subprocess.run(self.words(host, *words, run=run), capture_output=True, text=True, timeout=self.limit, check=False, **more)

    def start(self, host, *words, run=(), ready=None, port=None, **more):
        """A server; ready: a word of its output, port: answers there when it is up."""
        server = subprocess.Popen(self.words(host, *words, run=run), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)

        def stop():
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
            server.stdout.close()

        self.addCleanup(stop)
        if ready:
            self.says(server, ready)
        if port:
            probe = (f"import socket, time\nfor _ in range(100):\n try: socket.create_connection(('10.77.0.102', {port})).close(); break\n"
                     " except OSError: time.sleep(0.1)\nelse: raise SystemExit(1)")
            self.assertEqual(self.call("a", PYTHON, "-c", probe).returncode, 0, "nobody listens")
        return server

    def says(self, server, word):
        while word not in (line := server.stdout.readline()):
            self.assertTrue(line, "the server ended")

    def daemon(self, host):
        """Its pid: what says wavetank host in the host's network namespace."""
        text = self.call(host, "sh", "-c", "for i in /proc/[0-9]*; do tr '\\0' ' ' < $i/cmdline | grep -q '^wavetank host ' && "
                         "[ $(readlink $i/ns/net) = $(readlink /proc/self/ns/net) ] && echo ${i#/proc/}; done", run=None).stdout
        self.assertRegex(text, r"^\d+\n$")
        return text.strip()

    def descriptors(self, host):
        return len(self.call(host, "ls", f"/proc/{self.daemon(host)}/fd", run=None).stdout.split())


class Programs(Lab):
    def test_curl_fetches_from_python_over_a_lossy_path(self):
        self.start("b", PYTHON, "-u", "-m", "http.server", "-d", self.place, "8000", ready="Serving")
        for run in ((), ("--cc", "real", "--rcc", "real")):
            result = self.call("a", "curl", "-sS", "-o", self.place + "/got", "-w", "%{http_code} %{local_ip} %{remote_ip}", "http://b.engine:8000/file", run=run)
            self.assertEqual((result.returncode, result.stdout), (0, "200 10.77.0.101 10.77.0.102"), result.stderr)
            self.assertEqual(self.sha(self.place + "/got"), self.digest)

    def test_exit_codes_of_curl_are_those_of_the_kernel(self):
        self.assertEqual(self.call("a", "curl", "-sS", "http://b.engine:1/").returncode, 7)
        self.assertEqual(self.call("a", "curl", "-sS", "--connect-timeout", "0.5", "http://10.77.0.108:1/").returncode, 28)

    def test_what_is_not_preloaded_does_not_use_the_kernel_silently(self):
        result = self.call("a", PYTHON, "-c", "import socket; socket.create_connection(('10.77.0.102', 80))", run=None)
        self.assertIn("Permission denied", result.stderr)

    def test_an_icmp_error_ends_a_connect_as_over_the_kernel(self):
        """Told by the other host's packet filter; and by nobody: a next hop that does not answer ARP (labs know their engines' without)."""
        rules = "add table ip t; add chain ip t i { type filter hook input priority 0; };" + "".join(
            f"add rule ip t i tcp dport {port} reject with icmp type {word};"
            for port, word in ((9, "host-unreachable"), (10, "net-unreachable"), (11, "admin-prohibited"), (12, "port-unreachable")))
        self.assertEqual(self.call("b", "nft", rules, run=None).returncode, 0)
        self.addCleanup(self.call, "b", "nft", "delete table ip t", run=None)
        script = ("import errno, socket, sys, time\nbegan = time.monotonic()\nfor where in sys.argv[1:]:\n address, port = where.split(':')\n"
                  " try: socket.create_connection((address, int(port)), 30)\n except OSError as e: print(errno.errorcode.get(e.errno, e))\n"
                  "print(time.monotonic() - began < 20)")
        places = *(f"10.77.0.2:{port}" for port in (9, 10, 11, 12)), "10.77.0.50:9"
        wanted = "EHOSTUNREACH\nENETUNREACH\nEHOSTUNREACH\nECONNREFUSED\nEHOSTUNREACH\nTrue\n"
        for run in None, ("--engines", "10.77.0.2 10.77.0.50"):
            with self.subTest(run=run):
                self.assertEqual(self.call("a", PYTHON, "-c", script, *places, run=run).stdout, wanted)

    def test_an_engine_and_a_kernel(self):
        """Both mixtures: a server of the kernel answers an engine, a client of the kernel that says so reaches an engine."""
        self.start("b", PYTHON, "-u", "-m", "http.server", "-b", "10.77.0.2", "-d", self.place, "8001", run=None, ready="Serving")
        result = self.call("a", "curl", "-sS", "-o", self.place + "/got1", "-w", "%{local_ip}", "http://10.77.0.2:8001/file", run=("--kernels",))
        self.assertEqual((result.returncode, result.stdout), (0, "10.77.0.101"), result.stderr)
        self.assertEqual(self.sha(self.place + "/got1"), self.digest)
        self.start("b", PYTHON, "-u", "-m", "http.server", "-d", self.place, "8002", ready="Serving")
        result = self.call("a", "curl", "-sS", "--interface", "10.77.0.1", "-o", self.place + "/got2", "http://b.engine:8002/file", run=None)
        self.assertEqual((result.returncode, self.sha(self.place + "/got2")), (0, self.digest), result.stderr)

    def test_iperf3_in_its_ways_with_modules_by_name(self):
        server = self.start("b", "iperf3", "-s", "--forceflush", ready="Server listening")
        for words in (["-C", "real"], ["-R"], ["-P", "3"], ["--bidir"], ["-C", "cubic", "-R", "-P", "2"]):
            with self.subTest(words=words):
                result = self.call("a", "iperf3", "-c", "b.engine", "-n", "6M", "--json", *words)
                self.assertEqual(result.returncode, 0, result.stdout[-600:] + result.stderr)
                end = json.loads(result.stdout)["end"]
                self.assertIn("sum_received", end, result.stdout[-600:] + result.stderr)
                # iperf3 counts what it has written and then closes: 512 KiB of the engine and the pairs of each stream may be on their way
                streams = int(words[words.index("-P") + 1]) if "-P" in words else 1
                self.assertGreaterEqual(end["sum_received"]["bytes"], end["sum_sent"]["bytes"] - streams * 800000)
                # -n ends a run when one direction has so many
                self.assertGreaterEqual(max(part["bytes"] for name, part in end.items() if name.startswith("sum_")), 6000000)
                self.assertGreater(end["sum_sent"]["retransmits"], 0) # by TCP_INFO: 1 % of some 2000 segments is lost
                if "-C" in words:
                    self.assertEqual(end["sender_tcp_congestion"], words[1])
                self.says(server, "Server listening") # a client ends when it has written its last byte; where that is lost, the server is busy until it comes again
        result = self.call("a", "iperf3", "-c", "b.engine", "-n", "1M", "-C", "nosuch")
        self.assertNotEqual(result.returncode, 0)

    def test_nginx_with_workers_and_a_thousand_connections(self):
        with open(self.place + "/nginx.conf", "w", encoding="ascii") as file:
            file.write(f"worker_processes 2; daemon off; pid {self.place}/nginx.pid; error_log stderr; worker_rlimit_nofile 4096;\n"
                       "events { worker_connections 2000; }\n"
                       f"http {{ access_log off; sendfile on; tcp_nopush on; server {{ listen 8080 backlog=1024; root {self.place}; }} }}\n")
        self.start("b", "nginx", "-c", self.place + "/nginx.conf", port=8080)
        result = self.call("a", "curl", "-sS", "-o", self.place + "/got3", "http://b.engine:8080/file")
        self.assertEqual((result.returncode, self.sha(self.place + "/got3")), (0, self.digest), result.stderr)
        script = ("import resource, socket\nresource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))\nall = []\n"
                  "for _ in range(1000): all.append(socket.create_connection(('10.77.0.102', 8080), 60))\n"
                  "for s in all: s.sendall(b'GET /nginx.conf HTTP/1.0\\r\\n\\r\\n')\n"
                  "print(sum(b'200 OK' in s.recv(4096) for s in all))")
        result = self.call("a", PYTHON, "-c", script)
        self.assertEqual(result.stdout, "1000\n", result.stderr)

    def test_ssh_runs_a_command_and_passes_its_exit_code(self):
        run = lambda *words: subprocess.run(words, check=True, capture_output=True)
        for key in "host", "user":
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.place}/{key}")
        shutil.copy(self.place + "/user.pub", self.place + "/authorized")
        os.makedirs("/run/sshd", exist_ok=True)
        self.start("b", "/usr/sbin/sshd", "-D", "-e", "-p", "2222", "-f", "/dev/null", "-h", self.place + "/host", "-o", "StrictModes=no", "-o",
                   f"AuthorizedKeysFile={self.place}/authorized", "-o", "PidFile=none", "-o", "UsePAM=no", "-o", "PermitRootLogin=yes", port=2222)
        words = ["ssh", "-p", "2222", "-i", self.place + "/user", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                 "-o", "LogLevel=ERROR", "-F", "/dev/null", "root@b.engine"]
        result = self.call("a", *words, "cat; exit 5", input="x" * 100000)
        self.assertEqual((result.returncode, len(result.stdout)), (5, 100000), result.stderr)
        result = self.call("a", *words, "echo $SSH_CONNECTION")
        self.assertRegex(result.stdout, r"^10\.77\.0\.101 \d+ 10\.77\.0\.102 2222\n$")

    def test_sshd_writes_the_same_log_of_a_peer_that_leaves_before_it_says_who_it_is(self):
        """Its child before authentication lives in a sandbox, where the library may ask nobody."""
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.place + "/left"], check=True, capture_output=True)
        os.makedirs("/run/sshd", exist_ok=True)
        leave = ("import socket, sys\ns = socket.create_connection((sys.argv[1], int(sys.argv[2])))\ns.recv(100)\n"
                 "s.sendall(b'SSH-2.0-leaves\\r\\n')\ns.recv(100)\ns.shutdown(1)\nwhile s.recv(1000): pass")
        logs = []
        for run, address, port in (((), "10.77.0.102", "2223"), (None, "10.77.0.2", "2224")):
            log = f"{self.place}/log{port}"
            daemon = self.start("b", "/usr/sbin/sshd", "-D", "-E", log, "-p", port, "-f", "/dev/null", "-h", self.place + "/left", "-o", "PidFile=none", "-o",
                                "UsePAM=no", run=run)
            for _ in range(50):
                if os.path.exists(log) and "listening" in pathlib.Path(log).read_text(encoding="ascii"):
                    break
                time.sleep(0.1)
            with open(log, "w", encoding="ascii"): # what the probe for readiness has left
                pass
            self.assertEqual(self.call("a", PYTHON, "-c", leave, address, port, run=run).returncode, 0)
            time.sleep(0.5)
            daemon.terminate()
            daemon.wait()
            with open(log, encoding="ascii") as file:
                logs.append(re.sub(r"10\.77\.0\.\d+ port \d+", "PEER", file.read().replace("\0", "")))
        self.assertIn("PEER", logs[0])
        self.assertEqual(logs[0], logs[1])

    def test_a_program_that_calls_no_engine_makes_the_calls_it_made_before(self):
        """But for what identifies a descriptor: its names, its kind."""
        self.start("b", PYTHON, "-u", "-m", "http.server", "-b", "10.77.0.2", "-d", self.place, "8007", run=None, ready="Serving")
        script = ("import os, select, socket\nos.getpgid(0)\ns = socket.socket(); s.setblocking(False); e = select.epoll(); s.connect_ex(('10.77.0.2', 8007))\n"
                  "e.register(s, select.EPOLLOUT)\nwhile not e.poll(1): pass\ns.setblocking(True); s.sendall(b'GET /checked HTTP/1.0\\r\\n\\r\\n')\n"
                  "s.settimeout(20)\nwhile s.recv(65536, socket.MSG_WAITALL): pass\ns.close(); f = open('/etc/hostname'); f.read(); f.close()\n"
                  "a, b = socket.socketpair(); a.send(b'1'); b.recv(1); l = socket.socket(socket.AF_UNIX); l.bind('\\0' + str(os.getpid())); l.listen(); os.getpgid(0)")
        made = []
        for run in None, ():
            log = self.place + "/calls"
            result = self.call("a", "strace", "-o", log, PYTHON, "-c", script, run=run)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(log, encoding="ascii") as file:
                lines = [line.split("(")[0] for line in file]
            first, last = (i for i, name in enumerate(lines) if name == "getpgid")
            # How often it polls depends on how the answer comes in.
            seldom = ("getsockname", "getpeername", "getsockopt", "newfstatat", "recvfrom", "epoll_wait", "poll")
            made.append([name for name in lines[first:last] if name not in seldom])
        self.assertGreater(len(made[0]), 20)
        self.assertEqual(*made)

    def test_redis_with_fifty_clients_and_pipelines(self):
        self.start("b", "redis-server", "--port", "6379", "--protected-mode", "no", "--save", "", "--dir", self.place, ready="Ready to accept")
        self.assertEqual(self.call("a", "redis-cli", "-h", "b.engine", "set", "k", "v").stdout, "OK\n")
        result = self.call("a", "redis-benchmark", "-h", "b.engine", "-q", "-n", "5000", "-c", "50", "-P", "16", "-t", "set,get")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(re.findall(r"requests per second", result.stdout)), 2, result.stdout)
        self.assertEqual(self.call("a", "redis-cli", "-h", "b.engine", "get", "k").stdout, "v\n")

    def test_socks_for_who_cannot_be_preloaded(self):
        self.start("b", PYTHON, "-u", "-m", "http.server", "-d", self.place, "8003", ready="Serving")
        daemon = self.start("a", WAVETANK, "host", "--address", "10.77.0.103/24", "--socks", "1080", run=None, ready="")
        self.assertIn("runs here already", daemon.stdout.readline()) # one per network namespace: the control socket says so
        name = self.name + "s"
        subprocess.run([WAVETANK, "lab", "up", name, "--quiet", "--late", "1h", "--steal", "100%", "--link", self.link], check=True)
        self.addCleanup(subprocess.run, [WAVETANK, "lab", "down", "--quiet", name], check=False)
        gate = subprocess.Popen([WAVETANK, "lab", "exec", name + ":a", WAVETANK, "host", "--socks", "1080"], stderr=subprocess.PIPE, text=True)
        behind = subprocess.Popen([WAVETANK, "lab", "exec", name + ":b", WAVETANK, "host", "--serve", "80:8004"], stderr=subprocess.PIPE, text=True)
        server = subprocess.Popen([WAVETANK, "lab", "exec", name + ":b", PYTHON, "-u", "-m", "http.server", "-b", "127.0.0.1", "-d", self.place, "8004"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for process in gate, behind, server:
            self.addCleanup(lambda process=process: (process.terminate(), process.communicate()))
        gate.stderr.readline()
        behind.stderr.readline()
        server.stdout.readline()

        def fetch(url, *words):
            return subprocess.run([WAVETANK, "lab", "exec", name + ":a", "curl", "-sS", "-o", self.place + "/got4", *words, "-x", "socks5h://127.0.0.1:1080", url],
                                  capture_output=True, text=True, check=False, timeout=120)

        result = fetch("http://b/file")
        self.assertEqual((result.returncode, self.sha(self.place + "/got4")), (0, self.digest), result.stderr)
        self.assertEqual(fetch("http://b:81/").returncode, 97) # curl: the proxy refused; RFC 1928: code 5
        self.assertIn("(5)", fetch("http://b:81/").stderr)

    def test_a_redirected_connection_of_who_knows_of_nothing(self):
        """The gateway behind a rule of the packet filter: the program is not preloaded, and asks no proxy."""
        name = self.name + "r"
        subprocess.run([WAVETANK, "lab", "up", name, "--quiet", "--late", "1h", "--steal", "100%", "--link", self.link], check=True)
        self.addCleanup(subprocess.run, [WAVETANK, "lab", "down", "--quiet", name], check=False)
        there = lambda host, *words, **more: subprocess.Popen([WAVETANK, "lab", "exec", f"{name}:{host}", *words], text=True, **more)
        gate = there("a", WAVETANK, "host", "--redirect", "1081", stderr=subprocess.PIPE)
        behind = there("b", WAVETANK, "host", "--serve", "80:8005", stderr=subprocess.PIPE)
        server = there("b", PYTHON, "-u", "-m", "http.server", "-b", "127.0.0.1", "-d", self.place, "8005", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for process in gate, behind, server:
            self.addCleanup(lambda process=process: (process.terminate(), process.communicate()))
        for line in gate.stderr, behind.stderr, server.stdout:
            line.readline()
        rules = ("add table ip t; add chain ip t o { type nat hook output priority -100; }; add rule ip t o ip daddr 10.77.0.102 meta l4proto tcp redirect to :1081")
        self.assertEqual(there("a", "nft", rules).wait(), 0)

        def fetch(url):
            got = there("a", "curl", "-sS", "-o", self.place + "/got5", url, stderr=subprocess.PIPE)
            return got.communicate(timeout=120)[1], got.returncode

        text, code = fetch("http://10.77.0.102/file")
        self.assertEqual((code, self.sha(self.place + "/got5")), (0, self.digest), text)
        # docs/programs.md: connect() succeeds early, and a refusal is a reset: 56. Where it arrives before curl has looked at its socket: 7.
        self.assertIn(fetch("http://10.77.0.102:81/")[1], (7, 56))

    def test_wrong_words_are_one_line(self):
        for words, code in ((["run", "--cc", "nosuch", "--", "true"], 2), (["run", "--", "nosuchprogram"], 127), (["run"], 2), (["run", "--what"], 2),
                            (["host", "--socks", "0"], 2), (["host", "word"], 2), (["run", "--cc", "/tmp/x.so", "--", "true"], 2)):
            with self.subTest(words=words):
                result = self.call("a", WAVETANK, *words, run=None)
                self.assertEqual((result.returncode, result.stderr.count("\n"), result.stdout), (code, 1, ""), result.stderr)
        for name, owner, mode, word in (("static", 0, 0o755, "statically linked"), ("setuid", 1, 0o4755, "setuid"), ("setgid", 1, 0o2755, "setgid")):
            path = f"{self.place}/{name}"
            subprocess.run(["cc", *(["-static"] if name == "static" else []), "-x", "c", "-", "-o", path], input="int main(void) { return 0; }", text=True, check=True)
            os.chown(path, owner, owner)
            os.chmod(path, mode)
            result = self.call("a", WAVETANK, "run", "--", path, run=None)
            self.assertEqual((result.returncode, result.stderr.count("\n"), word in result.stderr), (2, 1, True), result.stderr)
        result = subprocess.run([WAVETANK, "run", "--engines", "10.0.0.1", "--", "true"], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (3, 1), result.stderr)
        self.assertIn("no engine daemon runs here", result.stderr)


class Cases(Lab):
    # Longer than a busy machine needs for two calls. No loss: a reset that is lost is not sent again, and a program that only reads waits for
    # ever then, over the kernel too.
    link = "delay 10ms"

    def checked(self):
        """A program that reads by the checked names: until the end or an error, which it prints."""
        source = """#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char bytes[512];
	int fd = atoi(argv[1]), total = 0;
	size_t most = (size_t)argc * 100; /* not known to the compiler */
	ssize_t n;

	do
		n = argv[2][2] == 'a' ? read(fd, bytes, most) : argv[2][4] ? recvfrom(fd, bytes, most, 0, NULL, NULL) : recv(fd, bytes, most, 0);
	while (n > 0 && (total += n));
	printf("%d %s", total, n ? strerrorname_np(errno) : "end");
	return 0;
}
"""
        path = self.place + "/checked"
        subprocess.run(["cc", "-D_GNU_SOURCE", "-O2", "-D_FORTIFY_SOURCE=2", "-x", "c", "-o", path, "-"], input=source, text=True, check=True)
        names = subprocess.run(["nm", "-D", path], capture_output=True, text=True, check=True).stdout
        for name in "__read_chk", "__recv_chk", "__recvfrom_chk":
            self.assertIn(name, names)
        return path

    def test_a_last_word_before_a_reset_leaves_though_the_daemon_saw_both_at_once(self):
        """The daemon is stopped while the program writes and closes: with bytes unread, then with linger 0."""
        script = ("import os, signal, socket, struct, sys\nl = socket.socket(); l.setsockopt(1, 2, 1); l.bind(('0.0.0.0', 6016)); l.listen(); print('ready', flush=True)\n"
                  "for linger in 0, 1:\n s = l.accept()[0]; s.recv(1, socket.MSG_PEEK)\n if linger: s.recv(100); s.setsockopt(1, 13, struct.pack('ii', 1, 0))\n"
                  " os.kill(int(sys.argv[1]), signal.SIGSTOP); s.sendall(b'busy'); s.close(); os.kill(int(sys.argv[1]), signal.SIGCONT)")
        self.start("b", PYTHON, "-c", script, self.daemon("b"), ready="ready")
        ask = ("import socket\nfor _ in range(2):\n s = socket.create_connection(('10.77.0.102', 6016)); s.sendall(b'hello'); print(s.recv(10))\n"
               " try: print(s.recv(10))\n except ConnectionResetError: print('reset')")
        self.assertEqual(self.call("a", PYTHON, "-c", ask).stdout, "b'busy'\nreset\n" * 2)

    def test_the_cases_differ_from_the_kernel_only_as_documented(self):
        self.start("b", PYTHON, HERE + "/cases.py", "serve", "6000", run=None, ready="ready")
        self.start("b", PYTHON, HERE + "/cases.py", "serve", "6010", ready="ready")
        more = dict(os.environ, CHECKED=self.checked())
        kernel = self.call("a", PYTHON, HERE + "/cases.py", "ask", "10.77.0.2", "6000", run=None, env=dict(more, NOBODY="10.77.0.50"))
        engine = self.call("a", PYTHON, HERE + "/cases.py", "ask", "10.77.0.102", "6010", env=dict(more, NOBODY="10.77.0.108"))
        kernel, engine = (dict(map(json.loads, result.stdout.splitlines())) for result in (kernel, engine))
        self.assertGreaterEqual(len(kernel), 127)
        self.assertEqual(set(kernel), set(engine))
        for name, wanted in kernel.items():
            with self.subTest(case=name):
                self.assertEqual(engine[name], DIFFERENT.get(name, wanted))
        for name in DIFFERENT: # each of them is a difference, or it does not stand in the list
            self.assertNotEqual(kernel[name], engine[name])


class Sockets(Lab):
    def test_no_descriptor_is_left_after_ten_thousand_connections(self):
        self.start("b", PYTHON, HERE + "/cases.py", "serve", "6011", ready="ready")
        script = ("import socket, threading\ndef go():\n for i in range(500):\n  s = socket.create_connection(('10.77.0.102', 6011))\n"
                  "  s.sendall(b'C' if i % 2 else b'E')\n  if i % 2: s.recv(1)\n  s.close()\n  done.append(i)\n"
                  "done = []; all = [threading.Thread(target=go) for _ in range(20)]\nfor t in all: t.start()\nfor t in all: t.join()\nprint(len(done))")
        before = self.descriptors("a"), self.descriptors("b")
        result = self.call("a", PYTHON, "-c", script)
        self.assertEqual(result.stdout, "10000\n", result.stderr)
        for _ in range(100):
            after = self.descriptors("a"), self.descriptors("b")
            if after[0] <= before[0] and after[1] <= before[1] + 2:
                break
            time.sleep(0.2)
        self.assertLessEqual(after[0], before[0])
        self.assertLessEqual(after[1], before[1] + 2)

    def test_a_killed_program_leaves_nothing_even_if_its_peer_does_not_read(self):
        self.start("b", PYTHON, HERE + "/cases.py", "serve", "6012", ready="ready")
        before = self.descriptors("a")
        script = "import socket, os\ns = socket.create_connection(('10.77.0.102', 6012)); s.sendall(b'Q'); s.setblocking(False)\n" \
                 "try:\n while True: s.send(b'x' * 65536)\nexcept BlockingIOError: os.kill(os.getpid(), 9)"
        self.assertNotEqual(self.call("a", PYTHON, "-c", script).returncode, 0)
        for _ in range(100):
            if self.descriptors("a") <= before:
                break
            time.sleep(0.2)
        self.assertLessEqual(self.descriptors("a"), before)

    def test_who_accepts_late_finds_all_that_have_called(self):
        """A queue that is full is no reset: the daemon tries again."""
        script = ("import socket, time\nl = socket.socket(); l.setsockopt(1, 2, 1); l.bind(('0.0.0.0', 6015)); l.listen(1); print('ready', flush=True); time.sleep(2)\n"
                  "for _ in range(20):\n s = l.accept()[0]; s.sendall(s.recv(10)); s.close()")
        self.start("b", PYTHON, "-c", script, ready="ready")
        ask = ("import socket, threading\ngot = []\ndef go(i):\n s = socket.create_connection(('10.77.0.102', 6015), 60); s.sendall(b'%d' % i); got.append(int(s.recv(10)))\n"
               "all = [threading.Thread(target=go, args=(i,)) for i in range(20)]\nfor t in all: t.start()\nfor t in all: t.join()\nprint(sorted(got) == list(range(20)))")
        self.assertEqual(self.call("a", PYTHON, "-c", ask).stdout, "True\n")

    def test_a_stopped_program_holds_up_no_other_and_goes_on_later(self):
        self.start("b", PYTHON, "-u", "-m", "http.server", "-d", self.place, "8006", ready="Serving")
        script = ("import hashlib, socket\ns = socket.create_connection(('10.77.0.102', 8006)); s.sendall(b'GET /file HTTP/1.0\\r\\n\\r\\n')\n"
                  "f = s.makefile('rb')\nwhile f.readline().strip(): pass\nd = hashlib.sha256(f.read(1000)); print(__import__('os').getpid(), flush=True)\n"
                  "input()\nd.update(f.read()); print(d.hexdigest())")
        stopped = subprocess.Popen(self.words("a", PYTHON, "-c", script), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (stopped.kill(), stopped.communicate()))
        pid = stopped.stdout.readline().strip()
        self.assertEqual(self.call("a", "kill", "-STOP", pid, run=None).returncode, 0)
        for _ in range(2):
            result = self.call("a", "curl", "-sS", "-o", self.place + "/got6", "http://b.engine:8006/file")
            self.assertEqual((result.returncode, self.sha(self.place + "/got6")), (0, self.digest), result.stderr)
        self.assertEqual(self.call("a", "kill", "-CONT", pid, run=None).returncode, 0)
        self.assertEqual(stopped.communicate("\n", timeout=120)[0].strip(), self.digest)

    def test_without_a_free_descriptor_it_is_emfile_and_with_one_it_goes_on(self):
        self.start("b", PYTHON, HERE + "/cases.py", "serve", "6014", ready="ready")
        script = ("import errno, resource, socket\nresource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))\nall = []\n"
                  "for _ in range(2):\n try:\n  while True: all.append(socket.create_connection(('10.77.0.102', 6014)))\n"
                  " except OSError as e: print(errno.errorcode[e.errno])\n"
                  " for s in all[-5:]: s.close()\n del all[-5:]\n"
                  "s = socket.create_connection(('10.77.0.102', 6014)); s.sendall(b'C'); print(s.recv(1) is not None, len(all))")
        before = self.descriptors("a")
        result = self.call("a", PYTHON, "-c", script)
        words = result.stdout.split()
        self.assertEqual(words[:3], ["EMFILE", "EMFILE", "True"], result.stdout + result.stderr)
        self.assertGreater(int(words[3]), 10)
        for _ in range(100):
            if self.descriptors("a") <= before:
                break
            time.sleep(0.2)
        self.assertLessEqual(self.descriptors("a"), before)

    def test_the_control_socket_survives_anything(self):
        size, magic = question()
        script = """
import array, os, random, socket
r = random.Random(7)
for i in range(3000):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(b"\\0wavetank/host")
    data = bytearray(r.randbytes(r.choice([0, 1, 40, %d, %d, 2000])))
    if len(data) > 8 and i %% 3:
        data[:8] = (%d).to_bytes(4, "little") + r.randrange(9).to_bytes(4, "little")
    if i %% 5 == 0:
        data[8:16] = bytes(8)
    fds = [socket.socketpair()[0].fileno(), os.open("/dev/null", 0)][: r.randrange(3)]
    try: s.sendmsg([bytes(data)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else [])
    except OSError: pass
    s.close()
    for fd in fds[1:]: os.close(fd)
print("sent")
""" % (size, size, magic)
        before = self.daemon("a")
        self.assertEqual(self.call("a", PYTHON, "-c", script, run=None).stdout, "sent\n")
        self.assertEqual(self.daemon("a"), before)
        self.assertEqual(self.call("a", "curl", "-sS", "http://b.engine:1/").returncode, 7)


class Death(Lab):
    def test_a_killed_daemon_is_no_end_of_file(self):
        self.start("b", PYTHON, HERE + "/cases.py", "serve", "6013", ready="ready")
        script = ("import socket, errno, sys\ns = socket.create_connection(('10.77.0.102', 6013)); s.sendall(b'Ex')\ns.recv(1); print('on', flush=True)\n"
                  "try: print(s.recv(1))\nexcept OSError as e: print(errno.errorcode[e.errno])\n"
                  "try: print(s.recv(1))\nexcept OSError as e: print(errno.errorcode[e.errno])\n"
                  "try: socket.create_connection(('10.77.0.102', 6013))\nexcept OSError as e: print(errno.errorcode[e.errno])")
        for word in "KILL", "TERM":
            with self.subTest(signal=word):
                if word == "TERM":
                    subprocess.run([WAVETANK, "lab", "down", "--quiet", self.name], check=False, stdout=subprocess.DEVNULL)
                    subprocess.run([WAVETANK, "lab", "up", self.name, "--programs", "--quiet", "--late", "1h", "--steal", "100%"], check=True)
                    self.start("b", PYTHON, HERE + "/cases.py", "serve", "6013", ready="ready")
                program = subprocess.Popen(self.words("a", PYTHON, "-c", script), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(program.stdout.readline(), "on\n")
                self.call("a", "kill", "-" + word, self.daemon("a"), run=None)
                self.assertEqual(program.communicate(timeout=60)[0], "ECONNRESET\nb''\nENETDOWN\n")


def question():
    """The size of struct wt_host_question and its magic number, by the compiler."""
    source = ('#include <stdio.h>\n#include "tools/common/preload_protocol.h"\n'
              'int main(void) { printf("%zu %u", sizeof(struct wt_host_question), WT_HOST_MAGIC); return 0; }\n')
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["cc", "-I", os.path.join(HERE, "../.."), "-x", "c", "-", "-o", place + "/ask"], input=source, text=True, check=True)
        return map(int, subprocess.run([place + "/ask"], capture_output=True, text=True, check=True).stdout.split())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
