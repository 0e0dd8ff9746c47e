#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completions: what the shells offer is what the command tables say.

  complete.py WAVETANK BUILD
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

WAVETANK, BUILD = map(os.path.abspath, sys.argv[1:3])
FOLDER = os.path.join(BUILD, "tools/packaging")


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


def options(command):
    return set(re.findall(r"^  (?:-\w, |    )(--[a-z0-9-]+)", run(WAVETANK, *command.split(), "--help"), re.M))


def bash(*words):
    """What bash offers for the last word."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wavetank; printf "%s\\n" "${COMPREPLY[@]}"')
    return set(run("bash", "-c", script, "bash", FOLDER + "/wavetank", *words).split("\n")) - {""}


class Completions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = run(WAVETANK, "help", "--commands").split("\n")[:-1]

    def test_bash_offers_commands_verbs_and_options(self):
        self.assertEqual(bash("wavetank", ""), {name.split()[0] for name in self.commands} | {"--help", "--version"})
        self.assertEqual(bash("wavetank", "la"), {"lab"})
        self.assertEqual(bash("wavetank", "lab", ""), {name.split()[1] for name in self.commands if name.startswith("lab ")})
        for name in self.commands:
            with self.subTest(command=name):
                self.assertEqual(bash("wavetank", *name.split(), "--"), options(name))

    def test_bash_offers_files_elsewhere(self):
        os.chdir(os.path.dirname(os.path.abspath(__file__)))
        self.assertEqual(bash("wavetank", "sim", "-f", "complete"), {"complete.py"})

    def test_zsh_reads_its_file_and_it_names_every_option(self):
        subprocess.run(["zsh", "-n", FOLDER + "/_wavetank"], check=True)
        with open(FOLDER + "/_wavetank", encoding="utf-8") as file:
            text = file.read()
        for name in self.commands:
            line = next(line for line in text.split("\n") if line.startswith("\t" + name.replace(" ", "\\ ") + ("*)" if " " in name else "\\ *)")))
            self.assertEqual(set(re.findall(r"'(--[a-z0-9-]+):", line)), options(name), name)

    def test_fish_offers_the_same(self):
        for words, wanted in (("", {name.split()[0] for name in self.commands}),
                              ("lab ", {name.split()[1] for name in self.commands if name.startswith("lab ")}),
                              ("lab up --", options("lab up")), ("send --", options("send"))):
            script = f"source {FOLDER}/wavetank.fish; complete -C 'wavetank {words}'"
            with tempfile.TemporaryDirectory() as home:
                offered = run("fish", "--no-config", "-c", script, env=dict(os.environ, HOME=home, XDG_DATA_DIRS=home))
            self.assertEqual({line.split("\t")[0] for line in offered.split("\n") if line}, wanted, words)


unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
