#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/tutorial.md and docs/lab-sheet.md to the letter: their commands run, and every line of output that the tutorial quotes is printed, its numbers
within 5 %.

  tutorial.py SOURCE BUILD
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
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def alike(quoted, printed):
    """Equal words, and numbers within 5 %: a page for beginners is no table of digests."""
    if NUMBER.sub("#", quoted) != NUMBER.sub("#", printed):
        return False
    return all(abs(float(a) - float(b)) <= 0.05 * abs(float(a)) + 0.5 for a, b in zip(NUMBER.findall(quoted), NUMBER.findall(printed)))


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
                    self.assertTrue(any(alike(line, other) for other in printed.split("\n")), f"{page} quotes what is not printed: {line}\n{printed}")
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

    def test_the_lab_sheet(self):
        printed, _, commands = self.follow("lab-sheet.md")
        self.assertGreaterEqual(commands, 17)
        rate = [float(value) for value in re.findall(r"^complete: 5MiB in [\d.]+ s: ([\d.]+) KB/s", printed, re.M)][:3]
        self.assertAlmostEqual(rate[0], 32.768 / 0.1 , delta=0.15 * 327) # a window of 32 KiB per round trip of 100 ms
        self.assertGreater(rate[1], 1.7 * rate[0])
        self.assertLess(rate[2], 2 * rate[1])


unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
