#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`import wavetank` against the program's own words: a sweep loaded with pandas, the example script, journals, refusals.

  results.py WAVETANK SOURCE
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import unittest

WAVETANK, SOURCE = map(os.path.abspath, sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCE, "tools/python"))
sys.dont_write_bytecode = True
import wavetank # noqa: E402


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="wt-results-")
        cls.addClassCleanup(cls.place.cleanup)
        os.chdir(cls.place.name)
        cls.output = subprocess.run([WAVETANK, "sweep", "run", SOURCE + "/tools/data/sweeps/loss.ini"], check=True,
                                    capture_output=True, text=True).stdout
        subprocess.run([WAVETANK, "sim", "--link", "rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%", "-n", "1MiB", "--trace", "t.jsonl"],
                       check=True, capture_output=True)

    def test_a_row_per_run_with_axes_and_units(self):
        runs = wavetank.load("loss")
        self.assertEqual(len(runs), text("results/loss/runs.jsonl").count('"record":"run"'))
        self.assertLessEqual({"loss", "variant", "seed", "outcome", "goodput_kBps", "dropped_frames"}, set(runs.columns))
        self.assertEqual(set(runs["variant"]), {"tahoe", "newreno", "real"})
        self.assertTrue(runs.equals(wavetank.load("results/loss")) and runs.equals(wavetank.load("results/loss/runs.jsonl")))

    def test_means_are_those_that_the_command_prints(self):
        means = wavetank.load("loss").groupby(["loss", "variant"])["goodput_kBps"].mean()
        printed = 0
        for line in self.output.split("\n"):
            words = line.split()
            if len(words) > 4 and words[0].startswith("loss=") and words[1].startswith("variant="):
                mean = means[(words[0][5:], words[1][8:])]
                self.assertAlmostEqual(mean / float(words[3]), 1, delta=0.003, msg=line)
                printed += 1
        self.assertEqual(printed, 12)

    def test_a_row_per_flow(self):
        flows = wavetank.flows("loss")
        with open("results/loss/runs.jsonl", encoding="utf-8") as file:
            wanted = [flow["sender"]["srtt_s"] for line in file if '"record":"run"' in line
                      for flow in json.loads(line)["flow"].values()]
        self.assertEqual(list(flows["sender.srtt_s"]), wanted)
        self.assertEqual(set(flows["flow"]), {"tcp1"})

    def test_a_journal(self):
        sent = wavetank.journal("t.jsonl", "packet_sent")
        self.assertTrue(len(sent) > 700 and (sent["event"] == "transport:packet_sent").all())
        self.assertEqual(sent[sent["host"] == "a"]["len_bytes"].sum() >= 1 << 20, True)
        self.assertEqual(len(wavetank.journal("t.jsonl")), text("t.jsonl").count("\n"))

    def test_the_example_prints_medians_of_the_runs_and_draws(self):
        result = subprocess.run([sys.executable, SOURCE + "/docs/examples/loss.py", "loss", "x.svg"], check=True, capture_output=True, text=True,
                                env=dict(os.environ, PYTHONPATH=SOURCE + "/tools/python", PYTHONDONTWRITEBYTECODE="1"))
        value = statistics.median(run["metrics"]["goodput_kBps"] for run in wavetank.records("loss", "run")
                                  if run["axes"] == {"loss": "5%", "variant": "tahoe"})
        self.assertIn(f"{value:.1f}", result.stdout)
        self.assertIn("real against newreno", result.stdout)
        self.assertIn("<svg", text("x.svg")[:2000])

    def test_what_is_not_there_and_what_is_no_json(self):
        with self.assertRaisesRegex(FileNotFoundError, "nowhere: no results folder and no file"):
            wavetank.load("nowhere")
        with open("bad.jsonl", "w", encoding="ascii") as file:
            file.write('{"record":"run"}\nbroken\n')
        with self.assertRaisesRegex(ValueError, "bad.jsonl:2: no JSON object"):
            wavetank.load("bad.jsonl")


unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
