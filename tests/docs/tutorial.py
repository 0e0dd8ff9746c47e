#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/tutorial.md and docs/lab-sheet.md to the letter: their commands run, every line of output that the tutorial quotes is printed, number by
number, and its pictures are those that the commands make.

  tutorial.py SOURCE BUILD      WT_PICTURES=1 replaces docs/pictures by what the commands make now
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = map(os.path.abspath, sys.argv[1:3])
BLOCK = re.compile(r"^```(\S*) ?(\S*)\n(.*?)^```$", re.S | re.M)


class Pages(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="wt-tutorial-")
        self.addCleanup(shutil.rmtree, self.top)
        tree = os.path.join(self.top, "installed")
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--tags", "devel,runtime"], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, DESTDIR=tree))
        found = {os.path.basename(top): top for top, _, _ in os.walk(tree)}
        self.environment = dict(os.environ, PKG_CONFIG_PATH=found["pkgconfig"], PKG_CONFIG_SYSROOT_DIR=tree,
                                PATH=os.environ["PATH"] + ":" + os.path.join(BUILD, "tools"), PYTHONPATH=SOURCE + "/tools/python",
                                PYTHONDONTWRITEBYTECODE="1")
        self.place = os.path.join(self.top, "empty")
        os.mkdir(self.place)

    def run_block(self, words, text):
        result = subprocess.run(words, input=text, cwd=self.place, env=self.environment, text=True, capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, text + result.stdout[-2000:] + result.stderr[-2000:])
        return result.stdout

    def follow(self, page):
        with open(os.path.join(SOURCE, "docs", page), encoding="utf-8") as file:
            text = file.read()
        printed, quoted, commands = "", 0, 0
        for language, name, block in BLOCK.findall(text):
            if name:
                with open(os.path.join(self.place, name), "w", encoding="utf-8") as file:
                    file.write(block)
            elif language == "text" and "|" not in block:
                for line in block.rstrip("\n").split("\n"):
                    self.assertIn(line, printed.split("\n"), f"{page} quotes what is not printed: {line}\n{printed}")
                    quoted += 1
            elif language == "python":
                self.run_block(["/usr/bin/python3", "-"], block)
            elif not language:
                printed += self.run_block(["sh", "-eu"], block)
                commands += block.count("wavetank ")
        return printed, quoted, commands

    def test_the_tutorial(self):
        printed, quoted, commands = self.follow("tutorial.md")
        self.assertGreaterEqual((quoted, commands), (6, 9))
        self.assertIn("every byte verified", printed.rstrip().split("\n\n")[-1])
        self.pictures("tutorial.md")

    def test_a_module_from_a_clone_that_is_not_installed(self):
        with open(os.path.join(SOURCE, "docs", "tutorial.md"), encoding="utf-8") as file:
            block = next(block for _, _, block in BLOCK.findall(file.read()) if "cc new" in block)
        del self.environment["PKG_CONFIG_SYSROOT_DIR"]
        self.environment["PKG_CONFIG_PATH"] = os.path.join(BUILD, "meson-uninstalled")
        self.assertIn("every byte verified", self.run_block(["sh", "-eu"], block))

    def pictures(self, page):
        """Equal to the last byte where matplotlib is Debian 12's, which drew those in docs/pictures."""
        with open(os.path.join(SOURCE, "docs", page), encoding="utf-8") as file:
            names = re.findall(r"^!\[[^]]+\]\(pictures/([\w.-]+)\)$", file.read(), re.M)
        self.assertEqual(sorted(names), sorted(os.listdir(SOURCE + "/docs/pictures")))
        version = subprocess.run(["/usr/bin/python3", "-c", "import matplotlib; print(matplotlib.__version__)"], capture_output=True, text=True,
                                 check=True).stdout.strip()
        for name in names:
            made = [os.path.join(top, name) for top, _, found in os.walk(self.place) if name in found]
            self.assertEqual(len(made), 1, name)
            kept = os.path.join(SOURCE, "docs/pictures", name)
            if os.environ.get("WT_PICTURES"):
                shutil.copy(made[0], kept)
            with open(made[0], encoding="utf-8") as a, open(kept, encoding="utf-8") as b:
                self.assertTrue(a.read() == b.read() or version != "3.6.3", f"docs/pictures/{name} is not what the commands make; WT_PICTURES=1 replaces it")

    def test_the_lab_sheet(self):
        printed, _, commands = self.follow("lab-sheet.md")
        self.assertGreaterEqual(commands, 17)
        rate = [float(value) for value in re.findall(r"^complete: 5.24 MB in [\d.]+ s: ([\d.]+) KB/s", printed, re.M)][:3]
        self.assertAlmostEqual(rate[0], 32.768 / 0.1 , delta=0.15 * 327) # a window of 32 KiB per round trip of 100 ms
        self.assertGreater(rate[1], 1.7 * rate[0])
        self.assertLess(rate[2], 2 * rate[1])


unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
