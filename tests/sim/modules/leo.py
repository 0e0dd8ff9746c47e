#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The sender `leo` (LeoCC) where delay and rate change every 15 s, beside the numbers of the file that changes them.

  leo.py WAVETANK
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

WAVETANK = os.path.abspath(sys.argv[1])
RATE, DELAY = [20, 16, 24, 12], [22, 31, 19, 35] # Mbit/s and ms, of each quarter minute
FULL = 1448 / 1514 # of a frame is payload
WORLD = """[host a]
[host b]
[run]
time = 60s
[link]
both = rate 20Mbit burst 0B limit 200KB outage every 15s for 80ms loss 0.05%% delay 22ms
[schedule]
both = rate $rate burst 0B limit 200KB outage every 15s for 80ms loss 0.05%% delay $delay
columns = rate delay
%s
""" % "\n".join(f"{15 * i}s = {RATE[i]}Mbit {DELAY[i]}ms" for i in range(1, 4))


class LowOrbit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "orbit.conf")
            with open(path, "w", encoding="ascii") as file:
                file.write(WORLD)
            cls.leo, cls.bbr, cls.cubic = (cls.run_one(path, folder, sender) for sender in ("leo", "bbr", "cubic"))

    @staticmethod
    def run_one(path, folder, sender):
        trace = os.path.join(folder, "trace")
        out = subprocess.run([WAVETANK, "sim", "-f", path, "-C", sender, "--trace", trace, "--json"], check=True, capture_output=True, text=True)
        model = []
        with open(trace, encoding="ascii") as file:
            for line in file:
                if "recovery:metrics_updated" not in line or '"bandwidth_Bps"' not in line:
                    continue
                event = json.loads(line)
                model.append((event["time_ns"] / 1e9, event["data"]))
        return {"goodput": json.loads(out.stdout)["flows"][0]["goodput_kBps"], "model": model}

    @staticmethod
    def within(run, begin, end, name):
        return [data[name] for time, data in run["model"] if begin <= time < end]

    def test_each_handoff_is_found_and_nothing_else(self):
        found, times = 0, []
        for time, data in self.leo["model"]:
            if data["reconfigurations"] > found:
                found = data["reconfigurations"]
                times.append(time)
        self.assertEqual(len(times), 3)
        for i, time in enumerate(times):
            self.assertTrue(15 * (i + 1) + 0.08 < time < 15 * (i + 1) + 0.5, times)

    def test_round_trip_and_bandwidth_are_those_of_the_path_two_seconds_after(self):
        for i, (rate, delay) in enumerate(zip(RATE, DELAY)):
            for rtt in self.within(self.leo, 15 * i + 2, 15 * (i + 1), "min_rtt_ms"):
                self.assertTrue(2 * delay <= rtt < 2 * delay + 4, (i, rtt))
            for bandwidth in self.within(self.leo, 15 * i + 2, 15 * (i + 1), "bandwidth_Bps"):
                self.assertTrue(0.9 < bandwidth / (rate / 8 * 1e6 * FULL) < 1.05, (i, bandwidth))

    def test_without_it_a_longer_round_trip_is_not_seen_for_seconds(self):
        """BBR keeps its least round trip of before for up to ten seconds."""
        self.assertLess(max(self.within(self.bbr, 47, 48, "min_rtt_ms")), 2 * DELAY[2] + 4)

    def test_the_link_is_used(self):
        full = sum(RATE) / len(RATE) / 8 * 1e3 * FULL
        self.assertGreater(self.leo["goodput"], 0.9 * full)
        self.assertGreater(self.leo["goodput"], 1.5 * self.cubic["goodput"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
