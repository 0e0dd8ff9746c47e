#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Follows docs/adding-a-congestion-module.md to the letter: each block of commands, in a copy of the source tree or beside an installation.

  page.py SOURCE BUILD
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = map(os.path.abspath, sys.argv[1:3])
TREE = ["README.md", "meson.build", "meson_options.txt", "LICENSE", "stack", "cc", "emu", "tools", "tests", "docs"]


def block(heading):
    """The first block of commands below the heading."""
    with open(os.path.join(SOURCE, "docs/adding-a-congestion-module.md"), encoding="utf-8") as file:
        section = file.read().split("\n## " + heading + "\n")[1].split("\n## ")[0]
    return re.search(r"^```sh\n(.*?)^```$", section, re.M | re.S)[1]


class Page(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="wt-page-")
        self.addCleanup(shutil.rmtree, self.top)

    def follow(self, heading, folder, environment):
        result = subprocess.run(["sh", "-eux"], input=block(heading), cwd=folder, env=dict(os.environ, **environment), text=True,
                                capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout[-3000:] + result.stderr[-3000:])
        return result.stdout

    def test_a_module_in_the_tree(self):
        for name in TREE:
            path = os.path.join(SOURCE, name)
            (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, os.path.join(self.top, name))
        subprocess.run(["meson", "setup", "-Done_piece=false", "build"], cwd=self.top, check=True, stdout=subprocess.DEVNULL)
        text = self.follow("A complete module", self.top, {})
        self.assertIn("sender steps (-C steps)", text)
        self.assertIn("every byte verified", text)
        self.assertNotIn("BROKEN", text)

    def test_a_module_outside_the_tree(self):
        tree = os.path.join(self.top, "installed")
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--tags", "devel,runtime"], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, DESTDIR=tree))
        found = {os.path.basename(top): top for top, _, _ in os.walk(tree)}
        text = self.follow("A module outside the tree", self.top, {
            "PKG_CONFIG_PATH": found["pkgconfig"], "PKG_CONFIG_SYSROOT_DIR": tree, "PATH": found["bin"] + ":" + os.environ["PATH"]})
        self.assertIn("sender mine (-C ./build/mine.so)", text)
        self.assertIn("every byte verified", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
