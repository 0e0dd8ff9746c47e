#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""wavetank cc trace, compare and bench, by what other commands and arithmetic say of the same runs.

  commands.py WAVETANK
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

WAVETANK = os.path.abspath(sys.argv[1])
LINK = "rate 10Mbit burst 0B limit 64KB delay 15ms"
PAYLOAD = 1448 / 1514 # of a full frame with timestamps


def wavetank(*words, code=0):
    result = subprocess.run([WAVETANK, *words], capture_output=True, text=True, check=False)
    assert result.returncode == code, (words, result)
    return result


def lines(*words):
    return [json.loads(line) for line in wavetank(*words).stdout.splitlines()]


class Trace(unittest.TestCase):
    def test_a_scenario_is_what_sim_makes_of_the_same_words(self):
        """The journal of sim, read here, beside the program's own summary."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace")
            settings = ["mss=1000B", "timestamps=off", "initial_window=2", "slow_start_limit=1", "ack_every=1", "rcv_buffer=60000B", "snd_buffer=1MiB",
                        "window_scaling=off"]
            wavetank("sim", "--fwd", "rate 10Mbit burst 0B limit 52700B delay 15ms | loss list 201,1001,3001", "--rev",
                     "rate 10Mbit burst 0B limit 1MB delay 15ms", "-t", "20s", "--trace", path, "--quiet", "-C", "cubic",
                     *(word for setting in settings for word in ("-S", setting)))
            with open(path, encoding="ascii") as file:
                events = [event for event in map(json.loads, file) if event.get("host") == "a" and event["time_ns"] <= 20e9]
        cuts = [event for event in events if event["event"] in ("recovery:loss_detected", "recovery:timer_expired")]
        iss = next(event["data"]["seq"] for event in events if event["event"] == "transport:packet_sent")
        acked = max((event["data"]["snd_una"] - iss - 1) % 2**32 for event in events if event["event"] == "recovery:metrics_updated") // 1000
        summary = lines("cc", "trace", "cubic", "--scenario", "three-apart", "--json")[0]
        self.assertEqual((summary["cuts"], summary["acked_segs"]), (len(cuts), acked))
        self.assertEqual(len(cuts), 3)
        self.assertAlmostEqual(summary["between_cuts_s"], (cuts[-1]["time_ns"] - cuts[0]["time_ns"]) / 2e9, places=6)
        self.assertEqual(summary["dropped_frames"], 3)
        words = wavetank("cc", "trace", "cubic", "--scenario", "three-apart").stdout.splitlines()[1].split()
        self.assertEqual(words[2:], [str(acked), "3", f"{summary['between_cuts_s']:.3f}", "0", "0", "3"])
        self.assertEqual(wavetank("cc", "trace", "cubic", "--scenario", "limited").stdout.split()[-5:], ["0", "-", "0", "0", "0"])
        changes = wavetank("cc", "trace", "cubic", "--scenario", "three-apart", "--csv").stdout.splitlines()[1:]
        self.assertEqual([line for line in changes if line.endswith(",loss")][0].split(",")[2], str(cuts[0]["data"]["cwnd_bytes"]))
        area, last, value = 0, None, 0
        for line in changes:
            _, time, cwnd, _, _, _, _ = line.split(",")
            area += (float(time) - last) * value if last is not None else 0
            begin = float(time) if last is None else begin
            last, value = float(time), min(int(cwnd), 60000)
        self.assertAlmostEqual(summary["mean_window_segs"], (area + (20 - last) * value) / (20 - begin) / 1000, places=3)

    def test_points_are_samples_of_the_changes(self):
        changes = [line.split(",") for line in wavetank("cc", "trace", "reno", "--scenario", "overflow", "--csv", "-t", "20s").stdout.splitlines()[1:]]
        points = [line.split(",") for line in wavetank("cc", "trace", "reno", "--scenario", "overflow", "--csv", "-t", "20s", "--points", "10").stdout.splitlines()[1:]]
        self.assertEqual([float(point[1]) for point in points], [2.0 * i for i in range(1, 11)])
        for point in points:
            self.assertEqual(point[2:6], [change for change in changes if float(change[1]) <= float(point[1])][-1][2:6])
        counted = sum(int(word) for point in points for before, word in zip(point[6].split(), point[6].split()[1:]) if before == "loss")
        self.assertEqual(counted, sum(change[6] == "loss" for change in changes))

    def test_refusals(self):
        for words, text in (["trace"], "the sender module is missing"), (["trace", "reno", "--scenario", "one-drip"], "did you mean 'one-drop'"), \
                (["trace", "reno", "--points", "3"], "with --csv"), (["trace", "rno"], "no sender module 'rno'"), \
                (["trace", "reno", "-S", "wrong=1"], "wrong"), (["compare", "--link", LINK], "the sender modules are missing"), \
                (["compare", "rno"], "no sender module"), (["compare", "reno", "--link", "rate"], "fwd: word 1"), \
                (["compare", "reno", "--repeats", "0"], "expected 1 to 1000"), (["bench", "rno"], "no sender module"):
            with self.subTest(words):
                result = wavetank("cc", *words, code=2)
                self.assertEqual(result.stderr.count("\n"), 1)
                self.assertIn(text, result.stderr)
                self.assertEqual(result.stdout, "")


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = lines("cc", "compare", "reno", "cubic", "--link", LINK, "-t", "20s", "--repeats", "3", "--json")[0]
        cls.module = {module["module"]: module for module in cls.result["modules"]}

    def test_no_flow_gets_more_than_the_link_and_together_they_fill_it(self):
        for run in range(3):
            shares = [module["mixed_goodput_bps"]["runs"][run] for module in self.module.values()]
            self.assertLess(sum(shares), 10e6 * PAYLOAD * 1.02)
            self.assertGreater(sum(shares), 10e6 * PAYLOAD * 0.93)
        for module in self.module.values():
            self.assertLess(module["goodput_bps"]["mean"], 10e6 * PAYLOAD)
            self.assertGreater(module["goodput_bps"]["mean"], 10e6 * 0.85)

    def test_round_trips_lie_between_an_empty_and_a_full_queue(self):
        for module in self.module.values():
            self.assertGreater(module["rtt_mean_s"]["mean"], 0.030)
            self.assertLessEqual(module["rtt_mean_s"]["mean"], module["rtt_p99_s"]["mean"])
            self.assertLess(module["rtt_p99_s"]["mean"], 0.030 + 64e3 * 8 / 10e6 + 0.003)

    def test_the_series_is_what_was_delivered(self):
        for module in self.module.values():
            delivered = sum(module["delivered_bps"]) * self.result["slice_s"]
            self.assertAlmostEqual(delivered / (module["goodput_bps"]["runs"][0] * 20), 1, delta=0.01)

    def test_means_and_intervals(self):
        for module in self.module.values():
            runs = module["goodput_bps"]["runs"]
            mean = sum(runs) / 3
            deviation = math.sqrt(sum((run - mean) ** 2 for run in runs) / 2)
            self.assertAlmostEqual(module["goodput_bps"]["mean"] / mean, 1)
            self.assertAlmostEqual(module["goodput_bps"]["half"], 4.302653 * deviation / math.sqrt(3), delta=1)

    def test_equal_flows_share_and_equal_seeds_repeat(self):
        self.assertGreater(self.module["reno"]["jain"]["mean"], 0.9)
        again = lines("cc", "compare", "cubic", "--link", LINK, "-t", "20s", "--repeats", "3", "--json")[0]
        self.assertEqual(again["modules"][0]["goodput_bps"], self.module["cubic"]["goodput_bps"])

    def test_a_fixed_window_is_arithmetic(self):
        """W segments per round trip of an empty path, none lost, and the second flow the same."""
        result = lines("cc", "compare", "fixed:window=10", "--link", "delay 25ms", "-t", "20s", "--repeats", "1", "-S", "ack_every=1", "--json")[0]["modules"][0]
        self.assertAlmostEqual(result["goodput_bps"]["mean"] / (10 * 1448 * 8 / 0.050), 1, delta=0.01)
        self.assertEqual(result["resent_share"]["mean"], 0)
        self.assertAlmostEqual(result["rtt_mean_s"]["mean"], 0.050, delta=0.0005)
        self.assertAlmostEqual(result["jain"]["mean"], 1, places=4)


class Picture(unittest.TestCase):
    @unittest.skipIf(subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], stderr=subprocess.DEVNULL, check=False).returncode, "no matplotlib")
    def test_it_names_every_module_and_every_axis(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "compare.svg")
            wavetank("cc", "compare", "reno", "vegas", "--link", LINK, "-t", "5s", "--repeats", "2", "--picture", path)
            text = "".join(xml.etree.ElementTree.parse(path).getroot().itertext())
        for words in "reno", "vegas", "cwnd, KB", "round trip, ms", "acknowledged, Mbit/s", "goodput, Mbit/s":
            self.assertIn(words, text)


class Bench(unittest.TestCase):
    def test_counts_repeat_and_keep_the_order_that_the_work_has(self):
        """The bounds of all modules: tests/bench/bench_cc.c."""
        result = subprocess.run([WAVETANK, "cc", "bench", "fixed", "cubic", "--json"], capture_output=True, text=True, check=False)
        if result.returncode == 3:
            self.assertIn("ptrace", result.stderr)
            self.skipTest(result.stderr)
        fixed, cubic = map(json.loads, result.stdout.splitlines())
        self.assertEqual(lines("cc", "bench", "cubic", "--json"), [cubic])
        self.assertTrue(5 < fixed["instructions_per_ack"] < cubic["instructions_per_ack"] < 400)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
