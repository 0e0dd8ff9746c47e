# SPDX-License-Identifier: BSD-2-Clause
"""Table 1 of paper 004 three times: printed, in ns-2 (wired.tcl, the set-up as it was recovered), and ours (tcp-variants/table1).

Counted are packets that n0 sent, that n4 received and that were dropped. ns-2 must give the printed numbers to the packet, but for SAID;
ours must receive as many as ns-2 within TOLERANCE, but for APART. Two tables follow: the variants that hang on the instant at which the datagrams
begin, as means of eight such instants in both simulators; and CUBIC at 2 Gb without SACK, whose two totals follow from two laws of growth.
"""
import configparser
import json
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 0.055
VARIANTS = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "Newreno", "sack": "Sack1", "fack": "Fack", "vegas": "Vegas", "hstcp": "HSTCP",
            "cubic": "Cubic", "hstcp-sack": "HSTCP", "cubic-sack": "Cubic"}
PRINTED = {
    "2Mb": [(6634, 6610, 24), (7316, 7291, 25), (7316, 7291, 25), (7354, 7327, 27), (7420, 7394, 26), (7892, 7892, 0), (6147, 6121, 26), (5108, 5068, 40)],
    "20Mb": [(22499, 22438, 39), (22326, 22256, 41), (24250, 24176, 46), (24434, 24362, 48), (24470, 24408, 48), (26072, 26059, 0),
             (19554, 19484, 47), (16577, 16493, 61)],
    "2Gb": [(429855, 429831, 14), (404986, 404472, 14), (405554, 405508, 14), (433808, 433759, 13), (434898, 434847, 13), (387200, 386692, 0),
            (564682, 564169, 13), (607428, 606915, 13)],
}
SAID = {("2Gb", "vegas"): "8 drops, where the paper prints none",
        ("20Mb", "newreno"): "one of the two rows that the recovered set-up does not give"}
APART = {("20Mb", "tahoe"): "the instant at which the datagrams begin: below, as a mean of eight",
        ("2Gb", "cubic"): "two laws of growth: below, by arithmetic",
        ("2Gb", "hstcp-sack"): "ns-2's agent sends from a timer of its own, ours as ACKs come",
        "hstcp": "ns-2's Linux agent without SACK goes back and starts again, our NewReno mends hole by hole", "cubic": "the same",
         "cubic-sack": "ns-2 has the CUBIC of Linux 2.6 without HyStart++"}
LATER = [0, 0.037, 0.101, 0.173, 0.251, 0.333, 0.449, 0.557]  # seconds by which the datagrams begin later
CLOSE = 0.05  # of the means over LATER
LAWS = 0.02  # of what follows from a law of growth


def ns2(network, variant, folder, later=0):
    fifo = os.path.join(folder, "trace")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    sink = "sack" if variant.endswith("-sack") else "plain"
    with subprocess.Popen(["ns", os.path.join(HERE, "wired.tcl"), network, VARIANTS[variant], sink, fifo, str(later)], stdout=subprocess.DEVNULL) as process:
        sent = received = dropped = 0
        with open(fifo, encoding="ascii") as trace:
            for line in trace:
                event, _, here, there, kind, _ = line.split(None, 5)
                if kind == "tcp":
                    sent += event == "+" and here == "0"
                    received += event == "r" and there == "4"
                    dropped += event == "d"
    if process.returncode:
        raise RuntimeError(f"ns: exit code {process.returncode}")
    return sent, received, dropped


def ours(wavetank, networks, folder):
    subprocess.run([wavetank, "paper", "run", "tcp-variants/table1", "--quiet", "--points", ",".join(networks), "--repeats", "1", "-o", folder], check=True,
                   capture_output=True)
    out = {}
    with open(os.path.join(folder, "runs.jsonl"), encoding="utf-8") as file:
        for run in map(json.loads, file):
            if run["record"] == "run":
                hop = run["hop"]
                out[run["row"], run["variant"]] = (hop["l02"]["fwd"]["in"], hop["l34"]["fwd"]["out"], hop["narrow"]["fwd"]["dropped_frames"])
    return out


def table(wavetank, networks):
    bad = 0
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        mine = ours(wavetank, networks, os.path.join(folder, "ours"))
        print("| network | variant | sent, received, dropped: printed | ns-2 | ours | received, ours over ns-2 | |\n|---|---|---|---|---|---|---|")
        for network in networks:
            for at, variant in enumerate(VARIANTS):
                printed = PRINTED[network][at] if at < 8 else None
                simulated, own = ns2(network, variant, folder), mine[network, variant]
                off, words = own[1] / simulated[1] - 1, []
                if printed and printed != simulated:
                    bad += (network, variant) not in SAID
                    words.append(SAID.get((network, variant), "NS-2 IS NOT AS PRINTED"))
                if abs(off) > TOLERANCE:
                    bad += variant not in APART and (network, variant) not in APART
                    words.append(APART.get((network, variant)) or APART.get(variant, "APART"))
                cells = [", ".join(map(str, counts)) if counts else "-" for counts in (printed, simulated, own)]
                print("| %s | %s | %s | %s | %s | %+.1f%% | %s |" % (network, variant, *cells, off * 100, "; ".join(words)), flush=True)
    return bad + phases(wavetank, [network for network in networks if network != "2Gb"]) + ("2Gb" in networks and laws(mine))


def shifted(wavetank, network, variant, later, folder):
    """Received packets of a run of the table's world whose datagrams begin so much later."""
    data = os.path.join(HERE, "..", "..", "tools", "data", "papers", "tcp-variants")
    table1 = configparser.ConfigParser(delimiters="=", strict=False, interpolation=None)
    table1.read(os.path.join(data, "table1.ini"))
    words = {**table1["run"], **table1["network " + network], **table1["variant " + variant]}
    with open(os.path.join(data, "wired.conf"), encoding="utf-8") as file:
        text = file.read().replace("start = 100ms", f"start = {100 + round(1000 * later)}ms")
    for _ in range(2):  # settings have words in braces of their own
        for name, value in words.items():
            text = text.replace("{" + name + "}", value)
    path = os.path.join(folder, "world.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    out = subprocess.run([wavetank, "sim", "-f", path, "--json", "--quiet"], check=True, capture_output=True, text=True).stdout
    return next(hop["out"] for hop in json.loads(out)["hops"] if (hop["link"], hop["direction"]) == ("l34", "fwd"))


def phases(wavetank, networks):
    bad = 0
    print("| received, mean of eight instants | variant | ns-2 | from, to | ours | from, to | |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        for network in networks:
            for variant in "tahoe", "reno", "newreno":
                theirs = [ns2(network, variant, folder, later)[1] for later in LATER]
                own = [shifted(wavetank, network, variant, later, folder) for later in LATER]
                off = statistics.mean(own) / statistics.mean(theirs) - 1
                bad += abs(off) > CLOSE
                print("| %s | %s | %.0f | %d to %d | %.0f | %d to %d | %+.1f%%%s |" % (
                    network, variant, statistics.mean(theirs), min(theirs), max(theirs), statistics.mean(own), min(own), max(own), 100 * off,
                    " APART" if abs(off) > CLOSE else ""), flush=True)
    return bad


def grown(window, now, law):
    """Segments that a sender sends from `now` to 40 s, whose window goes from `window` to 500 by a law: a function of window and time, per round trip."""
    sent, rtt = 0, 0.0301
    while now < 40:
        sent += window
        now += rtt
        window = min(500, law(window, now, rtt))
    return sent


def laws(mine):
    """
    CUBIC without SACK has a timeout in both. The agent's code of Linux 2.6 then knows no loss, and grows by a segment per 50 acknowledged; RFC 9438
    has W(t) = 0.4 (t - K)^3 + W_max, and at least Reno's pace: 0.53 segments per round trip up to W_max, then a whole one (4.3). Windows and times
    of the last cut are those of the two traces: 79 segments at 2.0 s, 37 of 52 at 1.79 s.
    """
    since, low, high, bad = 1.79, 37, 52, 0
    bend, state = ((high - low) / 0.4) ** (1 / 3), {"reno": low}

    def rfc(window, now, rtt):
        state["reno"] += 1 if state["reno"] >= high else 0.9 / 1.7
        return max(window, state["reno"], 0.4 * (now - since + rtt - bend) ** 3 + high)

    print("| CUBIC at 2 Gb without SACK | by the law of growth | received | |\n|---|---|---|---|")
    for name, law, got in (("ns-2: 2 % per round trip", grown(79, 2.0, lambda window, now, rtt: window * 1.02), PRINTED["2Gb"][7][1]),
                           ("ours: RFC 9438", grown(low, since, rfc), mine["2Gb", "cubic"][1])):
        bad += abs(law / got - 1) > LAWS
        print(f"| {name} | {law:.0f} | {got} | {law / got * 100 - 100:+.1f}% |")
    return bad
