#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""libwavetank as others see it: what `meson install` installs, and nothing else. Headers alone, the export list, the soname, the examples as C
and as C++, shared and static, under sanitizers, and on a TAP device (root).

  embedding.py SOURCE BUILD
"""
import filecmp
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = map(os.path.abspath, sys.argv[1:3])
WARN = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
EXAMPLES = ["lossy", "tap", "fuzz"]


def run(*words, **more):
    result = subprocess.run(words, check=False, capture_output=True, text=True, **more)
    if result.returncode:
        raise AssertionError(f"{words}: exit code {result.returncode}: {result.stderr}")
    return result.stdout


def build_option(name):
    with open(os.path.join(BUILD, "meson-info/intro-buildoptions.json"), encoding="utf-8") as file:
        return next(option["value"] for option in json.load(file) if option["name"] == name)


def compilers():
    """The build's own C compiler; a build with sanitizers needs what it was built with."""
    with open(os.path.join(BUILD, "meson-info/intro-targets.json"), encoding="utf-8") as file:
        words = next(group["compiler"] for target in json.load(file) if target["name"] == "wt_library" for group in target["target_sources"])
    clang = any(os.path.basename(word).startswith("clang") for word in words)
    return ("clang", "clang++") if clang and build_option("b_sanitize") not in ("none", []) else ("gcc", "g++")


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="wt-embedding-")
        cls.addClassCleanup(shutil.rmtree, cls.top)
        cls.tree = os.path.join(cls.top, "installed")
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--tags", "devel,runtime"], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, DESTDIR=cls.tree))
        pc = next(top for top, _, names in os.walk(cls.tree) if "wavetank.pc" in names)
        cls.lib = os.path.dirname(pc)
        os.environ.update(PKG_CONFIG_PATH=pc, PKG_CONFIG_SYSROOT_DIR=cls.tree, LD_LIBRARY_PATH=cls.lib)
        cls.include = run("pkg-config", "--variable=includedir", "wavetank").strip()
        cls.include = os.path.join(cls.tree, cls.include.lstrip("/")) if not cls.include.startswith(cls.tree) else cls.include
        cls.examples = next(top for top, _, names in os.walk(cls.tree) if "lossy.c" in names)
        sanitize = build_option("b_sanitize")
        sanitize = sanitize if isinstance(sanitize, str) else ",".join(sanitize)
        cls.own = ["-fsanitize=" + sanitize] if sanitize not in ("none", "") else []
        cls.cc, cls.cxx = compilers()
        os.chdir(cls.top)

    def compile(self, source, output, language, *extra, static=False):
        compiler = [self.cc, "-x", "c", "-std=c11"] if language == "c" else [self.cxx, "-x", "c++", "-std=c++17"]
        words = run("pkg-config", "--cflags", "--libs", *(["--static"] if static else []), "wavetank").split()
        if static:
            words = [os.path.join(self.lib, "libwavetank.a") if word == "-lwavetank" else word for word in words]
        subprocess.run([*compiler, "-g", *WARN, *self.own, *extra, source, "-x", "none", *words, "-o", output], check=True)
        return os.path.join(self.top, output)

    # ---- what is installed

    def test_each_header_compiles_alone_as_c11_and_as_cpp17(self):
        headers = sorted(os.path.basename(path) for path in glob.glob(self.include + "/wavetank/*.h"))
        self.assertEqual(headers, sorted("types.h frame.h node.h graph.h virtual.h real.h host.h path.h capture.h world.h cc.h version.h".split()))
        for header in headers:
            for command in ["gcc", "-x", "c", "-std=c11"], ["g++", "-x", "c++", "-std=c++17"]:
                with self.subTest(header=header, compiler=command[0]):
                    subprocess.run([*command, *WARN, "-I" + self.include, "-fsyntax-only", "-"], check=True, text=True,
                                   input=f"#include <wavetank/{header}>\n#include <wavetank/{header}>\n")

    def test_all_headers_together_with_those_of_modules(self):
        text = "".join(f"#include <wavetank/{os.path.basename(path)}>\n" for path in glob.glob(self.include + "/wavetank/*.h"))
        flags = run("pkg-config", "--cflags", "wavetank", "wavetank-module").split()
        for order in text + "#include <cc/module.h>\n", "#include <cc/module.h>\n" + text:
            for command in ["gcc", "-x", "c", "-std=c11"], ["g++", "-x", "c++", "-std=c++17"]:
                subprocess.run([*command, *WARN, "-Wno-unused-parameter", "-Wno-missing-field-initializers", *flags, "-fsyntax-only", "-"],
                               check=True, text=True, input=order)

    def declared(self):
        text = "".join(pathlib.Path(path).read_text(encoding="utf-8") for path in glob.glob(self.include + "/wavetank/*.h"))
        return set(re.findall(r"^WT_API[^;]*?\b(wt_lib_\w+)\(", text, re.M))

    def test_the_shared_library_exports_the_declared_functions_and_nothing_else(self):
        names = {line.split()[-1] for line in run("nm", "-D", "--defined-only", self.lib + "/libwavetank.so").splitlines()}
        self.assertEqual({name.split("@")[0] for name in names} - {"WAVETANK_0"}, self.declared())
        self.assertTrue(all(name == "WAVETANK_0" or name.endswith("@@WAVETANK_0") for name in names), names)
        with open(os.path.join(SOURCE, "stack/library/wavetank.map"), encoding="utf-8") as file:
            self.assertEqual(set(re.findall(r"^\t\t(wt_lib_\w+);$", file.read(), re.M)), self.declared())

    def test_the_static_library_too(self):
        names = {line.split()[-1] for line in run("nm", "-g", "--defined-only", self.lib + "/libwavetank.a").splitlines() if line[:1].isalnum()
                 and len(line.split()) == 3}
        self.assertEqual(names, self.declared())

    def test_the_soname_has_the_abi_number(self):
        dynamic = run("readelf", "-d", self.lib + "/libwavetank.so")
        abi = run("pkg-config", "--variable=abi", "wavetank").strip()
        self.assertIn(f"soname: [libwavetank.so.{abi}]", dynamic)
        self.assertTrue(os.path.realpath(self.lib + "/libwavetank.so").endswith(f"/libwavetank.so.{abi}.1.0"))
        with open(self.include + "/wavetank/version.h", encoding="utf-8") as file:
            self.assertIn(f"#define WT_LIB_ABI {abi} ", file.read())

    # ---- examples

    def build(self, name, *extra, **more):
        return self.compile(os.path.join(self.examples, name + ".c"), name + "-" + hashlib.md5(repr((extra, more)).encode()).hexdigest()[:8], *extra, **more)

    def variants(self, name):
        yield self.build(name, "c")
        yield self.build(name, "c++")
        yield self.build(name, "c", static=True)
        if not self.own:
            yield self.build(name, "c", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
            yield self.build(name, "c++", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", static=True)

    def test_two_hosts_over_a_lossy_path(self):
        outputs = [run(program) for program in self.variants("lossy")]
        self.assertRegex(outputs[0], r"^1000000 bytes, 0 wrong, [1-9]\d* frames lost, \d\.\d{6} s\n$")
        self.assertEqual(len(set(outputs)), 1, outputs)

    def test_the_lossy_path_takes_the_time_that_its_rate_needs(self):
        """Arithmetic: each frame has 14 + 20 + 32 bytes of headers, and the last one also waits for the delay."""
        seconds = float(run(self.build("lossy", "c")).split()[-2])
        frames = -(-1000000 // 1448)
        self.assertGreater(seconds, (1000000 + frames * 66) * 8 / 10e6 + 0.015)
        self.assertLess(seconds, 10)

    def test_captures_of_equal_runs_are_equal(self):
        program = self.build("lossy", "c")
        for name in "one", "two":
            run(program, name + ".pcapng")
        for tail in ".pcapng", "-drops.pcapng":
            self.assertTrue(filecmp.cmp("one" + tail, "two" + tail, shallow=False))
        text = run("tshark", "-r", "one.pcapng", "-T", "fields", "-e", "tcp.len", "-Y", "ip.src==10.0.0.1")
        self.assertGreaterEqual(sum(map(int, text.split())), 1000000)

    def test_a_file_that_cannot_be_written_is_one_line(self):
        result = subprocess.run([self.build("lossy", "c"), "/nonexistent/x.pcapng"], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result)

    def test_the_fuzz_harness_runs_inputs_again(self):
        for i in range(40):
            with open(f"input{i}", "wb") as file:
                file.write(bytes((i * 37 + k * k + k // 7) % 256 for k in range(i * 150)))
        for program in self.variants("fuzz"):
            self.assertEqual(run(program, *(f"input{i}" for i in range(40))), "40 inputs\n")

    def test_the_fuzz_harness_finds_a_parser_that_trusts_segments(self):
        """The mechanism broken on purpose: a parser that begins anew with each read."""
        with open(os.path.join(self.examples, "fuzz.c"), encoding="utf-8") as file:
            text = file.read().replace("parse(&run->server, data, (size_t)n);", "run->server.left = 0, parse(&run->server, data, (size_t)n);")
        with open("wrong.c", "w", encoding="utf-8") as file:
            file.write(text)
        with open("input", "wb") as file:
            file.write(bytes([255, 0, 0, 0]) + bytes(range(100, 200)) * 30)
        result = subprocess.run([self.compile("wrong.c", "wrong", "c"), "input"], capture_output=True, text=True, check=False)
        self.assertIn("the parser saw another stream", result.stderr)
        self.assertEqual(result.returncode, -6)

    def test_all_other_parts(self):
        source, world = (os.path.join(SOURCE, "tests/embedding", name) for name in ("parts.c", "world.conf"))
        flags = run("pkg-config", "--cflags", "wavetank-module").split() + ["-Wno-missing-field-initializers", "-Wno-unused-parameter"]
        sanitize = [] if self.own else ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        for name, language, extra, static in ("c", "c", [], False), ("cc", "c++", sanitize, False), ("static", "c", sanitize, True):
            program = self.compile(source, "parts-" + name, language, *flags, *extra, static=static)
            self.assertEqual(run(program, world), "parts: ok\n")

    # ---- on a device

    def test_an_engine_on_a_tap_in_a_poll_loop_of_its_own(self):
        for program in self.build("tap", "c"), self.build("tap", "c++", *([] if self.own else ["-fsanitize=address,undefined"])):
            with self.subTest(program=program):
                text = run("unshare", "-mn", sys.executable, os.path.abspath(__file__), "--tap", program)
                self.assertEqual(text, "1 connections\n1000000 bytes back, equal\n0 connections\n0\n")

    def test_a_device_that_cannot_be_had_is_one_line(self):
        result = subprocess.run([self.build("tap", "c"), "a/b", "10.9.0.2/24", "7"], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result)


def on_tap(program):
    """In a network namespace of its own: the kernel's TCP talks to the example's echo."""
    os.chdir("/")
    run("mount", "-t", "tmpfs", "none", "/dev/net")
    run("mknod", "/dev/net/tun", "c", "10", "200")
    server = subprocess.Popen([program, "tap0", "10.9.0.2/24", "7"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "ready\n"
    run("ip", "link", "set", "lo", "up")
    run("ip", "address", "add", "10.9.0.1/24", "dev", "tap0")
    data = bytes(i * i % 251 for i in range(1000000))
    with socket.create_connection(("10.9.0.2", 7), timeout=60) as peer:
        peer.sendall(b"x")
        assert peer.recv(1) == b"x"
        server.stdin.write("\n")
        server.stdin.flush()
        print(server.stdout.readline().strip())
        child = os.fork()
        if not child:
            peer.sendall(data)
            peer.shutdown(socket.SHUT_WR)
            os._exit(0)
        back = bytearray()
        while len(back) < len(data):
            back += peer.recv(65536) or sys.exit("the stream ended early")
        print(len(back), "bytes back,", "equal" if back == data else "not equal")
        os.waitpid(child, 0)
        assert peer.recv(1) == b""
    for _ in range(1000): # the last ACK of the kernel is under way
        server.stdin.write("\n")
        server.stdin.flush()
        last = server.stdout.readline().strip()
        if last == "0 connections":
            break
    print(last)
    server.stdin.close()
    print(server.wait(60))


if sys.argv[1] == "--tap":
    on_tap(sys.argv[2])
else:
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
