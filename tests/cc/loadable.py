#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Modules built outside the tree, against what `meson install` installs: headers, library, wavetank-module.pc; templates; refusals.

  loadable.py WAVETANK SOURCE BUILD
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

WAVETANK, SOURCE, BUILD = map(os.path.abspath, sys.argv[1:4])
WARN = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused-parameter", "-Wno-missing-field-initializers"]
LINK = "rate 10Mbit burst 0B limit 64KB delay 15ms"


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="wt-loadable-")
        cls.addClassCleanup(shutil.rmtree, cls.top)
        tree = os.path.join(cls.top, "installed")
        os.environ["DESTDIR"] = tree
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--tags", "devel,runtime"], check=True, stdout=subprocess.DEVNULL)
        del os.environ["DESTDIR"]
        pc = next(os.path.join(top, "pkgconfig") for top, folders, _ in os.walk(tree) if "pkgconfig" in folders)
        program = next(top for top, _, names in os.walk(tree) if "wavetank" in names and os.path.basename(top) == "bin")
        os.environ.update(PKG_CONFIG_PATH=pc, PKG_CONFIG_SYSROOT_DIR=tree, PATH=program + ":" + os.environ["PATH"])
        cls.cflags, cls.libs = cls.package("--cflags"), cls.package("--libs")
        cls.include = os.path.join(cls.cflags[0][2:])
        os.chdir(cls.top)

    @staticmethod
    def package(*words):
        return subprocess.run(["pkg-config", *words, "wavetank-module"], check=True, capture_output=True, text=True).stdout.split()

    def compile(self, name, text, extra=()):
        with open(name + ".c", "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run(["cc", "-std=c11", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden", *WARN, *self.cflags, *extra,
                        name + ".c", "-o", name + ".so", *self.libs], check=True)
        return "./" + name + ".so"

    def example(self):
        with open(os.path.join(SOURCE, "tests/cc/example_module.c"), encoding="ascii") as file:
            text = file.read()
        return text.replace('"cc/cc.h"', '"cc/module.h"').replace("const struct wt_sender_ops wt", "static const struct wt_sender_ops wt") + \
            "WT_CC_LOADABLE(&wt_sender_steps, NULL, NULL);\n"

    def run_sim(self, *words):
        return subprocess.run([WAVETANK, "sim", "--link", LINK, *words], capture_output=True, text=True, check=False)

    def refused(self, words, *lines):
        result = self.run_sim(*words)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for line in lines:
            self.assertIn(line, result.stderr)

    def test_headers_compile_alone_as_c11_and_as_cpp17(self):
        headers = [os.path.relpath(os.path.join(top, name), self.include) for folder in ("cc", "stack")
                   for top, _, names in os.walk(os.path.join(self.include, folder)) for name in names if name.endswith(".h")]
        self.assertGreaterEqual(len(headers), 7)
        for header in headers:
            for command in ["cc", "-x", "c", "-std=c11"], ["c++", "-x", "c++", "-std=c++17"]:
                with self.subTest(header=header, language=command[2]):
                    subprocess.run([*command, "-Wall", "-Wextra", "-pedantic", "-Werror", *self.cflags, "-fsyntax-only", "-"], check=True,
                                   input=f'#include "{header}"\n', text=True)

    def test_a_module_in_cpp_is_loaded(self):
        with open("plus.cc", "w", encoding="ascii") as file:
            file.write('#include "cc/module.h"\nstatic wt_receiver_ops ops() { wt_receiver_ops o{}; o.name = "plus"; o.text = "C++"; return o; }\n'
                       'static const wt_receiver_ops plus = ops();\nWT_CC_LOADABLE(nullptr, nullptr, &plus);\n')
        subprocess.run(["c++", "-std=c++17", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-pedantic", "-Werror",
                        *self.cflags, "plus.cc", "-o", "plus.so"], check=True)
        result = self.run_sim("--rcc", "./plus.so")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("plus: ", result.stdout)

    def test_a_file_is_the_module_that_the_tree_would_have_and_results_name_its_hash(self):
        path = self.compile("steps", self.example())
        result = json.loads(self.run_sim("-C", path + ":add=2,keep=80%", "--json").stdout)
        with open(path, "rb") as file:
            self.assertEqual(result["a"]["sender"]["sha256"], hashlib.sha256(file.read()).hexdigest())
        self.assertEqual(result["a"]["sender"]["name"], "steps")
        self.assertEqual(result["a"]["sender"]["add"], "2")
        self.assertTrue(result["ok"])
        self.assertIn("file ./steps.so SHA-256 " + result["a"]["sender"]["sha256"], self.run_sim("-C", path).stdout)
        built_in = json.loads(self.run_sim("-C", "newreno", "--json").stdout)
        self.assertNotIn("sha256", built_in["a"]["sender"])
        self.assertNotEqual(result["flows"][0]["connection_time_s"], built_in["flows"][0]["connection_time_s"])

    def test_a_sweep_knows_another_build_as_another_run(self):
        ids = []
        for share in "0.5", "0.9":
            self.compile("swept", self.example().replace(".keep = 0.5", ".keep = " + share))
            with open("swept.ini", "w", encoding="ascii") as file:
                file.write(f"[sweep]\nname = swept\nbackend = sim\nrepeats = 1\n[run]\nlink = {LINK}\nsize = 100KB\nsender = ./swept.so\n")
            subprocess.run([WAVETANK, "sweep", "run", "--quiet", "-o", "out" + share, "swept.ini"], check=True, stdout=subprocess.DEVNULL)
            records = [os.path.join(top, name) for top, _, names in os.walk("out" + share) for name in names if name.endswith(".jsonl")]
            found = set()
            for path in records:
                with open(path, encoding="ascii") as file:
                    found |= {json.loads(line).get("id") for line in file}
            ids.append(found - {None})
            self.assertEqual(len(ids[-1]), 1, records)
        self.assertNotEqual(*ids)

    def test_wrong_parameters(self):
        path = self.compile("steps", self.example())
        self.refused(["-C", path + ":gain=1"], "steps", "gain")
        self.refused(["-C", path + ":add=1000"], "add")
        self.refused(["--recovery", path], "it has no recovery module")
        self.refused(["--rcc", path], "it has no receiver module")

    def test_what_is_no_module_file(self):
        self.refused(["-C", "./missing.so"], "./missing.so: No such file")
        self.refused(["-C", "./"], "Is a directory")
        with open("words.so", "w", encoding="ascii") as file:
            file.write("no library\n")
        self.refused(["-C", "words.so"], "words.so is not a module file: ")
        with open(self.compile("steps", self.example()), "rb") as whole:
            data = whole.read()
        for size in 100, 3000, len(data) // 2: # of the headers, and of what they say
            with open("cut.so", "wb") as file:
                file.write(data[:size])
            self.refused(["-C", "cut.so"], "cut.so is not a module file: ")
        self.refused(["-C", self.compile("empty", "extern int empty;\nint empty = 1;\n")], "exports no wt_cc_loadable")
        self.refused(["-C", self.compile("nobody", '#include "cc/module.h"\nWT_CC_LOADABLE(NULL, NULL, NULL);\n')], "names no module")
        self.refused(["-C", self.compile("lost", '#include "cc/module.h"\nextern const struct wt_sender_ops nowhere;\n'
                                                 "WT_CC_LOADABLE(&nowhere, NULL, NULL);\n", ["-Wl,-z,undefs"])], "undefined symbol: nowhere")

    def test_another_abi(self):
        text = self.example().replace("WT_CC_LOADABLE", "#undef WT_CC_ABI\n#define WT_CC_ABI 77\nWT_CC_LOADABLE")
        self.refused(["-C", self.compile("abi", text)], "built for ABI 77", "has ABI " + self.package("--variable=abi")[0])

    def test_another_size_of_a_struct(self):
        folder = os.path.join(self.top, "other")
        shutil.copytree(self.include, folder)
        header = os.path.join(folder, "cc/cc.h")
        with open(header, encoding="ascii") as file:
            text = file.read()
        with open(header, "w", encoding="ascii") as file:
            file.write(re.sub(r"(struct wt_ack \{\n)", r"\1\tuint64_t more;\n", text))
        path = self.compile("sizes", self.example(), ["-I" + folder, *("-isystem" + flag[2:] for flag in self.cflags)])
        self.refused(["-C", path], "struct wt_ack has")

    def test_a_module_that_breaks_the_contract_is_refused_before_anything_starts(self):
        faults = {"zero": ("window: ", "out->cwnd = 0; return;"), "ender": ("a hook ended the process with 3", "exit(3);"),
                  "crasher": ("a hook crashed: ", "abort();"), "looper": ("a hook did not return", "for (;;) *(volatile int *)&s->mss = 0;")}
        for name, (words, code) in faults.items():
            text = "#include <stdlib.h>\n" + self.example().replace("	s->counted += ack->acked;", "	" + code, 1)
            with self.subTest(name):
                path = self.compile(name, text)
                self.refused(["-C", path, "--capture", "started.pcapng"], path, "breaks the contract", words)
                self.assertFalse(os.path.exists("started.pcapng"))
                if name != "looper":
                    check = subprocess.run([WAVETANK, "cc", "check", path], capture_output=True, text=True, check=False)
                    self.assertEqual(check.returncode, 1)
                    self.assertIn("BROKEN", check.stdout)

    def test_templates_build_and_keep_the_contract_as_they_come(self):
        for side, option in ("sender", "-C"), ("recovery", "--recovery"), ("receiver", "--rcc"):
            with self.subTest(side):
                name = "new_" + side
                subprocess.run([WAVETANK, "cc", "new", name, "--side", side, "--quiet"], check=True)
                build = os.path.join(name, "build")
                setup = ["meson", "setup", "--fatal-meson-warnings", "-Dwerror=true", build, name]
                for command in setup, ["ninja", "-C", build], ["meson", "test", "-C", build]:
                    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                result = self.run_sim(option, f"./{build}/{name}.so")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(name, result.stdout)
                shown = subprocess.run([WAVETANK, "cc", "show", f"./{build}/{name}.so"], capture_output=True, text=True, check=True)
                self.assertIn(f"{name} ({option} ./{build}/{name}.so)", shown.stdout) # by its name alone it is not found
                again = subprocess.run([WAVETANK, "cc", "new", name, "--side", side], capture_output=True, text=True, check=False)
                self.assertEqual((again.returncode, again.stderr), (2, f"wavetank cc new: {name}: File exists\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
