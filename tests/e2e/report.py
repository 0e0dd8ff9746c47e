# SPDX-License-Identifier: BSD-2-Clause
"""wavetank report and trace plot: one page from a small sweep and a journal, looked at in a headless browser.

With WAVETANK_PICTURES=FOLDER pictures of the page stay there, to be looked at by people."""
import csv
import html
import json
import os
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import browser
from browser import CROWDED, PALE, WIDE
from e2e import Home, Skip, check, end, equal, finish, test

TABLE = "tcp-real-2001/table1"
LOSSY = "rate 2Mbit burst 0B limit 128KB delay 15ms loss gilbert on 1s 10% off 1s 0% shared"
SIZE = 1_000_000

home = Home()


def page():
    with open(home.path("report.html"), encoding="utf-8") as file:
        return file.read()


def cells(folder):
    with open(home.path(folder + "/table.csv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def between(p, a, b):
    cross = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
    inside = min(a[0], b[0]) - 1e-6 <= p[0] <= max(a[0], b[0]) + 1e-6 and min(a[1], b[1]) - 1e-6 <= p[1] <= max(a[1], b[1]) + 1e-6
    return inside and abs(cross) < 1e-6


home.run("paper", "run", TABLE, "--repeats", "4", "-o", "sweep")
home.run("paper", "run", TABLE, "--repeats", "3", "--points", "0,0.1", "-o", "handful")
home.run("sim", "--preset", "bsd90", "-n", "300KB", "--seed", "3", "-C", "real:profile=paper", "--rcc", "real:profile=paper", "--fwd", LOSSY,
         "--rev", LOSSY, "--trace", "run.jsonl", "--quiet")
open(home.path("flows.jsonl"), "w").write(home.run("sim", "-P", "3", "-n", "200KB", "--link", "rate 10Mbit burst 0B limit 30KB delay 15ms",
                                                   "--json")[0])

# built twice, side by side: the second is for the comparison
PAGE = ("report", "build", "sweep", "handful", "run.jsonl", "flows.jsonl", "-o")
os.mkdir(home.path("again"))
again = home.start(*PAGE, "again/report.html")


@test("report build makes one page below a megabyte that asks for nothing and runs nothing")
def _():
    out, _ = home.run(*PAGE, "report.html", limit=180)
    check("report.html: " in out, out)
    text = page()
    check(len(text) < SIZE, f"{len(text)} bytes")
    # the page of all fifteen tables of a paper has 74 drawings, and must stay below a megabyte too
    tables = [figure for figure in re.findall(r"<figure.*?</figure>", text, re.S) if "Figure " in figure][:6]
    check(sum(map(len, tables)) / len(tables) < 21_000, f"figures of tables have {[len(figure) for figure in tables]} bytes")
    for word in ("<script", "<img", "<link", "@import", "url(http", 'src="'):
        check(word not in text, word)
    equal(re.findall(r'(?:href|src)="(?!#|report-figures/)([^"]*)"', text), [], "addresses outside")


@test("paths made shorter go through the same points")
def _():
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/report"))
    import squeeze
    draw = random.Random(4)
    for _ in range(300):
        points = [(draw.randrange(-900, 5000) / 10, draw.randrange(-900, 5000) / 10)]
        for _ in range(draw.randrange(1, 12)): # level, upright, slanted, on the spot
            x, y = points[-1]
            kind = draw.randrange(4)
            points.append((x if kind in (1, 3) else round(x + draw.randrange(-300, 300) / 10, 1),
                           y if kind in (0, 3) else round(y + draw.randrange(-300, 300) / 10, 1)))
        closed = draw.random() < 0.3
        data = "M " + " L ".join("%g %g" % point for point in points) + (" z" if closed else "")
        short = re.search(r'd="([^"]*)"', squeeze.squeezed('<g><path d="%s" style="fill: none; stroke: red"/></g>' % data)).group(1)
        equal(short.endswith("z"), closed, short)
        steps = re.findall(r"[Mhvlz]|-?(?:\d+\.?\d*|\.\d+)", short)
        seen, letter = [], None
        while steps and steps[0] != "z":
            letter = steps.pop(0) if steps[0] in "Mhvl" else letter
            dx = float(steps.pop(0)) if letter != "v" else 0
            dy = float(steps.pop(0)) if letter != "h" else 0
            seen.append((dx, dy) if letter == "M" else (seen[-1][0] + dx, seen[-1][1] + dy))
        low = lambda p: (round(p[0], 1), round(p[1], 1)) # noqa: E731
        through, at = [low(p) for p in seen], 0
        for a in [low(p) for p in points]: # every point lies on the way, in order
            while at + 1 < len(through) and not between(a, through[at], through[min(at + 1, len(through) - 1)]):
                at += 1
            check(between(a, through[at], through[min(at + 1, len(through) - 1)]), f"{a} is not on {short} of {data}")
        equal(through[-1], low(points[-1]), short)


@test("the page has every cell of the sweep with its verdict, and notes on what is suspect")
def _():
    text = re.sub(r"<[^>]*>", " ", page())
    for cell in cells("sweep"):
        wanted = "%.1f  ± %.1f" % (float(cell["goodput_mean_kBps"]), float(cell["goodput_half95_kBps"]))
        check(re.sub(r"\s+", " ", wanted) in re.sub(r"\s+", " ", text), f"{cell['point']} {cell['variant']}: {wanted}")
    check("220.25 s would be 23.80 KB/s" in text, "the note on the suspect cell")
    check("chosen" in text and "stated" in text and "2001 to 2004" in text, "parameters and seeds")
    check("Jain 0." in text or "Jain 1.0" in text, "Jain's index of three flows")
    with open(home.path("sweep/runs.jsonl"), encoding="utf-8") as file:
        plan = json.loads(file.readline())
    with open(home.path("sweep/facts.jsonl"), encoding="utf-8") as file:
        facts = json.loads(file.readline())
    check(facts["commit"] in text and "digest of its sources" in text and plan["source"] in text, "commit and digest by their names")


@test("runs of sim are listed flow by flow, with what they were run with")
def _():
    text = page()
    for record in map(json.loads, open(home.path("flows.jsonl"))):
        check(html.escape(record["fwd"]) in text and "dupthresh=3" in text, "path and settings")
        for flow in record["flows"]:
            row = '<td class="n">%.2f</td><td class="n">%.1f</td><td class="n">%d</td>' % (
                flow["connection_time_s"], flow["goodput_kBps"], flow["sender"]["sent_segs"])
            check(row in text, row)
    open(home.path("one.jsonl"), "w").write(home.run("sim", "-n", "50KB", "--seed", "7", "--json")[0])
    home.run("report", "build", "one.jsonl", "--no-figures", "-o", "one.html")
    check("Run 1: seed 7" in open(home.path("one.html"), encoding="utf-8").read(), "a page of one run is empty")


@test("tables have captions and scoped headers, figures a name for those who do not see them")
def _():
    text = page()
    for table in re.findall(r"<table.*?</table>", text, re.S):
        check("<caption>" in table or "verdict</th><th scope" in table, "a table without caption")
        check(not re.search(r"<th(?![^>]*scope=)[ >]", table), "a header without scope")
    equal(len(re.findall(r"<svg", text)), len(re.findall(r'<svg role="img" aria-label="[^"]+"', text)), "figures with a name")
    equal(len(set(re.findall(r'\bid="([^"]+)"', text))), len(re.findall(r'\bid="([^"]+)"', text)), "ids that are there once")


@test("each figure is a file too, as SVG that parses and as PDF")
def _():
    names = os.listdir(home.path("report-figures"))
    svg = sorted(name[:-4] for name in names if name.endswith(".svg"))
    equal(svg, sorted(name[:-4] for name in names if name.endswith(".pdf")), "SVG and PDF")
    equal(len(svg), page().count("<figure "), "one file for each figure")
    for name in svg:
        xml.etree.ElementTree.parse(home.path("report-figures/" + name + ".svg"))
        check(open(home.path("report-figures/" + name + ".pdf"), "rb").read(5) == b"%PDF-", name)


@test("behind each figure is a CSV file with its numbers, which are those of the results")
def _():
    names = os.listdir(home.path("report-figures"))
    equal(sorted(n[:-4] for n in names if n.endswith(".csv")), sorted(n[:-4] for n in names if n.endswith(".svg")), "a CSV for each figure")
    stem = "tcp-real-2001-table1-sim-"

    def rows(name):
        with open(home.path("report-figures/" + stem + name + ".csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    means = {(r["row"], r["protocol"]): r for r in rows("goodput")}
    for cell in cells("sweep"):
        row = means[cell["point"], cell["variant"]]
        check(abs(float(row["goodput_kBps_mean"]) / float(cell["goodput_mean_kBps"]) - 1) < 1e-4, f"{row} of {cell}")
    runs = [json.loads(line) for line in open(home.path("sweep/runs.jsonl"))]
    runs = {(r["row"], r["variant"], str(r["repeat"])): r for r in runs if r["record"] == "run"}
    for row in rows("delay"):
        metrics = runs[row["row"], row["protocol"], row["repeat"]]["metrics"]
        check(abs(float(row["rtt_mean_ms"]) - 1e3 * metrics["rtt_s"]) < 1e-5 * float(row["rtt_mean_ms"]), f"{row} of {metrics}")
    for row in rows("rtt"):
        of = [r["flow"]["tcp1"]["sender"]["rtt_percentiles_s"]["p" + row["percent"]] for (point, variant, _), r in runs.items()
              if (point, variant) == (row["row"], row["protocol"])]
        check(abs(float(row["rtt_ms"]) - 1e3 * sum(of) / len(of)) < 1e-5 * float(row["rtt_ms"]), f"{row} of {of}")
    segments = [r for name in names if name.startswith("journal-") and name.endswith("-sequence.csv")
                for r in csv.DictReader(open(home.path("report-figures/" + name), newline=""))]
    sent = sum('"transport:packet_sent"' in line and '"host":"a"' in line and '"len_bytes":0' not in line for line in open(home.path("run.jsonl")))
    equal(sum(r["what"] in ("segment", "sent again") for r in segments), sent, "segments of the journal")


@test("the first page says who leads where, by how much and how sure that is, before anything else")
def _():
    with open(home.path("lead.ini"), "w") as file: # virtual time without losses: 2 runs that hardly differ; the third row is level
        file.write("[sweep]\nname = lead\nrepeats = 6\n[axes]\nloss = 0% 3% 8%\n[run]\nsize = 300KB\n"
                   "link = rate 2Mbit burst 0B limit 64KB delay 15ms loss {loss}\n[variant newreno]\nsender = newreno\n[variant tahoe]\n"
                   "sender = tahoe\n")
    home.run("sweep", "run", "lead.ini", "-o", "lead")
    home.run("report", "build", "lead", "--no-figures", "-o", "lead.html")
    text = open(home.path("lead.html"), encoding="utf-8").read()
    front = text.index('<section class="front">')
    check(front < text.index("<h2") and front < text.index("<figure"), "it does not come first")
    check(text.index('aria-label="delay against throughput"') < text.index('<table class="results">'), "delay before the rest")
    stats = [json.loads(line) for line in home.run("report", "stats", "lead", "--json")[0].splitlines()]
    leads = re.findall(r'<tr><th scope="row">([^<]*)</th><td class="lead">([^<]*)</td>.*?<span class="v s-([a-z-]+)">', text)
    equal([row for row, _, _ in leads], ["0%", "3%", "8%"], "rows")
    for row, who, sure in leads:
        mean = {s["variant"]: s["mean"] for s in stats if s["point"] == row}
        equal(who, max(mean, key=mean.get), "who leads " + row)
        ratio = next(s for s in stats if s["point"] == row and s["ratio"])
        if sure == "decided" and ratio["deviation"]: # then the interval of the ratio does not hold 1 either
            check(not ratio["ratio_low"] <= 1 <= ratio["ratio_high"], f"{row}: {ratio}")
    count = sum(sure != "level" for _, _, sure in leads)
    check("Goodput is highest with" in text and ("of these leads" in text or count == 0), "the headline")


@test("equal results make an equal page")
def _():
    code, _, err = end(again, 180)
    equal(code, 0, f"exit code of the second build\n{err}")
    with open(home.path("again/report.html"), encoding="utf-8") as file:
        check(file.read() == page(), "the page differs from the other")


@test("where no semaphores can be had, as in a bare chroot, the page is drawn by one process and is the same")
def _():
    if os.geteuid() or not shutil.which("unshare"):
        raise Skip("no root")
    pages = []
    for shell in ("true", "mount -t tmpfs -o ro none /dev/shm"):
        made = subprocess.run(["unshare", "-m", "sh", "-c", shell + ' && exec "$@"', "sh", home.program, "report", "build", "run.jsonl", "--quiet", "-o",
                               "single.html"], cwd=home.path("."), capture_output=True, text=True, check=False)
        equal((made.returncode, made.stderr), (0, ""), "report build")
        with open(home.path("single.html"), encoding="utf-8") as file:
            pages.append(re.sub(r"built [^<]*", "", file.read()))
    equal(pages[0], pages[1], "pages")


@test("the page fits 1280 and 400 pixels, light and dark, without an error, pale text or texts over each other")
def _():
    if not browser.program():
        raise Skip("no chromium")
    pictures = os.environ.get("WAVETANK_PICTURES")
    chromium = browser.Browser()
    try:
        for width in (1280, 400):
            for dark in (False, True):
                where = f"{width} pixels, {'dark' if dark else 'light'}"
                equal(chromium.open(home.path("report.html"), width, dark), [], "errors at " + where)
                chromium.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                equal(chromium.evaluate(WIDE), [], "too wide at " + where)
                equal(chromium.evaluate(PALE), [], "pale at " + where)
                equal(chromium.evaluate(CROWDED), [], "crowded at " + where)
                shown = chromium.evaluate("[...document.querySelectorAll('figure svg')].filter(s => s.getClientRects().length).length")
                equal(shown, page().count("<figure "), "figures shown at " + where)
                colour = chromium.evaluate("getComputedStyle(document.body).backgroundColor")
                equal(sum(map(int, re.findall(r"\d+", colour)[:3])) < 384, dark, "ground at " + where)
                if pictures:
                    chromium.picture(f"{pictures}/report-{width}-{'dark' if dark else 'light'}.png", width)
        check(chromium.pdf().startswith(b"%PDF-"), "it does not print")
        # the checks can fail
        chromium.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"width:3000px;max-width:none;color:#666\">x</p>')")
        check(chromium.evaluate(WIDE) and chromium.evaluate(PALE), "the checks see nothing")
    finally:
        chromium.close()


@test("the report of a whole paper is at most 30 printed pages")
def _():
    if not browser.program():
        raise Skip("no chromium")
    home.run("paper", "run", "tcp-real-2001", "--repeats", "2", "-o", "whole", limit=300)
    home.run("report", "build", "whole", "--no-figures", limit=300)
    chromium = browser.Browser()
    try:
        equal(chromium.open(home.path("whole/report.html"), 1280, False), [], "errors")
        pages = len(re.findall(rb"/Type\s*/Page[^s]", chromium.pdf()))
    finally:
        chromium.close()
    check(0 < pages <= 30, f"{pages} pages")


@test("a script that fails, a request and a table that overflows are seen by the checks of the page")
def _():
    if not browser.program():
        raise Skip("no chromium")
    text = page()
    faults = {"script": ("<script>throw new Error('x')</script>", True), "request": ('<img src="nowhere.png" alt="">', True),
              "table": ('<table style="width:1500px"><tr><td>x</td></tr></table>', False)}
    chromium = browser.Browser()
    try:
        for name, (fault, wrong) in faults.items():
            for allowed in (False, True): # with the page's own policy, and with one that lets the fault happen
                with open(home.path("fault.html"), "w", encoding="utf-8") as file:
                    file.write(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text) if allowed else text)
                with open(home.path("fault.html"), encoding="utf-8") as file:
                    whole = file.read().replace("</main>", fault + "</main>", 1)
                with open(home.path("fault.html"), "w", encoding="utf-8") as file:
                    file.write(whole)
                errors = chromium.open(home.path("fault.html"), 1280)
                equal(bool(errors), wrong, f"errors of a {name}, {'any policy' if allowed else 'own policy'}: {errors}")
                if name == "table":
                    check(any(line.startswith("TABLE") for line in chromium.evaluate(WIDE)), "an overflowing table is not seen")
    finally:
        chromium.close()


@test("the results of a paper make a card of a hundred claims, one verdict and one sentence each")
def _():
    home.run("paper", "run", TABLE, "--repeats", "4", "--points", "0.05,0.1,0.2", "-o", "paper/table1")
    home.run("report", "build", "paper", "--no-figures", "-o", "paper.html")
    with open(home.path("paper.html"), encoding="utf-8") as file:
        text = file.read()
    lines = [json.loads(line) for line in home.run("paper", "score", "--results", "paper", "--json")[0].splitlines()]
    rows = dict(re.findall(r'<tr><th scope="row">(00\d-[\w-]+)</th>(.*?)</tr>', text, re.S))
    equal(len(rows), 100, "claims on the page")
    for line in lines:
        row = rows[line["id"]]
        check(">%s</span>" % line["verdict"] in row, f"{line['id']}: {line['verdict']} is not in {row}")
        check(html.escape(line["reason"][1:]) in row, f"{line['id']}: the reason is not in {row}")
    part = json.loads(home.run("paper", "calibration", "--results", "paper", "--json")[0])["families"][0]["predicted"]
    check("%d of %d</td><td class=\"n\">× %.2f" % (part["near"], part["cells"], part["factor"]) in text, "the calibration")
    equal(rows["003-F2"].count("not yet"), 0, "Figure 2 plots Table 1, which has results")
    equal({line["verdict"] for line in lines if not line["id"].startswith("003")}, {"not yet", "not judgeable", "holds", "holds in part"},
          "other papers: printed numbers and packet scripts alone")
    home.run("report", "build", "sweep", "--no-figures", "-o", "single.html")
    check("claims" not in open(home.path("single.html"), encoding="utf-8").read().split("</style>")[1], "a card of one table")


WALK = """[air]
routing = aodv
[stations n]
count = 12
move = waypoint 900m 300m 10m/s 20m/s 0s
[run]
time = 40s
seed = 3
[flow far]
between = n0 n1
"""


def cut(svg):
    """Heights of marks that lie beyond the edge of their axes, which cuts them."""
    edges = {name: (float(y) - 5, float(y) + float(height) + 5) for name, y, height in
             re.findall(r'<clipPath id="([^"]+)"><rect x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', svg)}
    marks = [(edges[name], float(a or b)) for name, text in re.findall(r'<g clip-path="url\(#([^)]+)\)">(.*?)</g>', svg)
             for a, b in re.findall(r'M[\d.-]+ ([\d.-]+)|<use [^>]* y="([\d.-]+)"', text)]
    check(marks, "no mark in the figure")
    return [y for (top, bottom), y in marks if not top <= y <= bottom]


@test("stations on the air: a table over hops, a map of ways and broken links, the window with new ways, shares of the time; at 1280 and 400 pixels")
def _():
    with open(home.path("walk.conf"), "w") as file:
        file.write(WALK)
    record, _ = home.run("sim", "-f", "walk.conf", "--trace", "walk.jsonl", "--json")
    with open(home.path("walked.jsonl"), "w") as file:
        file.write(record)
    stations = json.loads(record)["air"]
    check(all(s["air_collided"] <= s["air_others"] for s in stations) and any(s["air_collided"] for s in stations), "time of collisions")
    with open(home.path("walk.jsonl")) as file:
        events = [json.loads(line) for line in file]
    equal({e["host"] for e in events if e["event"] == "mobility:corner"}, {s["station"] for s in stations}, "stations that have a place")
    home.run("paper", "run", "multihop/table3", "--points", "1,3,7", "--repeats", "2", "-o", "hops", limit=120)
    home.run("report", "build", "hops", "walk.jsonl", "walked.jsonl", "-o", "air.html", limit=180)
    names = os.listdir(home.path("air-figures"))
    for name in ("multihop-table3-sim-hops", "journal-0-walk-map", "journal-0-walk-ways", "air-1"):
        check(name + ".svg" in names, f"no {name} in {names}")
    with open(home.path("air-figures/multihop-table3-sim-hops.svg"), encoding="utf-8") as file:
        equal(cut(file.read()), [], "means or published points that the axes cut")
    with open(home.path("air-figures/air-1.svg"), encoding="utf-8") as file:
        text = file.read()
    check(all(f">{s['station']}<" in text for s in stations), "a station has no bar")
    if not browser.program():
        raise Skip("no chromium")
    chromium = browser.Browser()
    try:
        for width in (1280, 400):
            equal(chromium.open(home.path("air.html"), width, False), [], f"errors at {width}")
            for check_of, what in ((WIDE, "too wide"), (PALE, "pale"), (CROWDED, "crowded")):
                equal(chromium.evaluate(check_of), [], f"{what} at {width}")
            if os.environ.get("WAVETANK_PICTURES"):
                chromium.picture(f"{os.environ['WAVETANK_PICTURES']}/air-{width}.png", width)
    finally:
        chromium.close()


@test("a sweep over two parameters has a map for each protocol and of the ratio")
def _():
    with open(home.path("two.ini"), "w") as file:
        file.write("[sweep]\nname = two\nrepeats = 2\n[axes]\nloss = 0% 2%\ndelay = 5ms 10ms 20ms\n[run]\nsize = 100KB\n"
                   "link = rate 2Mbit burst 0B limit 64KB delay {delay} loss {loss}\n[variant reno]\nsender = reno\n"
                   "[variant tahoe]\nsender = tahoe\n")
    home.run("sweep", "run", "two.ini", "-o", "two")
    home.run("report", "build", "two", "-o", "two.html")
    text = open(home.path("two-figures/two-sim-map.svg"), encoding="utf-8").read()
    for word in ("tahoe ÷ reno", "10ms", "2%", "delay", "loss", ">1.00<"):
        check(word in text, f"no {word} in the map")
    means = [json.loads(line) for line in home.run("report", "compare", "two", "two", "--json")[0].splitlines()]
    for cell in means:
        check(">%.0f<" % cell["a"]["mean"] in text, f"no {cell['a']['mean']} in the map")


@test("runs of a sweep that failed or are invalid are called so, by the words of their row, and draw no empty figure")
def _():
    with open(home.path("none.ini"), "w") as file:
        file.write("[sweep]\nname = none\nrepeats = 4\n[axes]\nloss = 90% 100%\n[run]\nsize = 100KB\nlimit = 2s\n"
                   "link = rate 2Mbit burst 0B limit 64KB delay 5ms loss {loss}\n[variant reno]\nsender = reno\n")
    home.run("sweep", "run", "none.ini", "-o", "none", code=5)
    path = home.path("none/runs.jsonl")
    lines = open(path).read().splitlines()
    with open(path, "w") as file:
        for line in lines:
            file.write((line.replace('"failed","why"', '"invalid","why"') if '"90%"' in line and '"repeat":0' in line else line) + "\n")
    out, _ = home.run("report", "build", "none", "-o", "none.html")
    text = open(home.path("none.html"), encoding="utf-8").read()
    for words in ("3 of 4 failed", "1 of 4 invalid", "4 of 4 failed", "invalid runs: 90% reno seed 1: ", "; and 3 more"):
        check(words in text, f"no '{words}'")
    check("0 figures" in out and "<svg" not in text, "a figure of nothing")


@test("report compare: the same cells agree, others do not, and the exit code says so")
def _():
    out, _ = home.run("report", "compare", "sweep", "handful")
    check("agree: 6 of 6" in out, out)
    data = [json.loads(line) for line in open(home.path("handful/runs.jsonl"))]
    os.mkdir(home.path("slow"))
    with open(home.path("slow/runs.jsonl"), "w") as file:
        for record in data:
            if record.get("variant") == "reno" and record["record"] == "run":
                record["metrics"]["goodput_kBps"] /= 2
            file.write(json.dumps(record) + "\n")
    out, _ = home.run("report", "compare", "sweep", "slow", code=1)
    check("DIFFER" in out, out)
    lines = [json.loads(line) for line in home.run("report", "compare", "sweep", "slow", "--json", code=1)[0].splitlines()]
    equal({line["verdict"] for line in lines if line["variant"] == "reno" and line["point"] == "0.00"}, {"differ"}, "verdict of Reno at 0")
    home.run("report", "compare", "sweep", code=2)
    home.run("report", "compare", "sweep", "nowhere", code=2)


@test("a sweep of stacks, and one of a single protocol, make pages too")
def _():
    for axis, words in (("stack = user:reno user:real\n", ("user:reno", "user:real")), ("", ())):
        with open(home.path("axes.ini"), "w") as file:
            file.write("[sweep]\nname = axes\nrepeats = 3\n[axes]\n" + axis + "loss = 0% 2% 5%\n[run]\nsize = 100KB\n"
                       "link = rate 2Mbit burst 0B limit 64KB delay 15ms loss {loss}\n")
        shutil.rmtree(home.path("axes"), True)
        home.run("sweep", "run", "axes.ini", "-o", "axes")
        home.run("report", "build", "axes", "-o", "axes.html")
        with open(home.path("axes.html"), encoding="utf-8") as file:
            text = file.read()
        for word in words + ("<svg", "5%"):
            check(word in text, word)


@test("a sweep makes a page too, without the columns of a paper, and compares with itself")
def _():
    with open(home.path("small.ini"), "w") as file:
        file.write("[sweep]\nname = small\nrepeats = 3\n[axes]\nloss = 0% 2% 5%\n[run]\nsize = 100KB\n"
                   "link = rate 2Mbit burst 0B limit 64KB delay 15ms loss {loss}\n[variant tahoe]\nsender = tahoe\n"
                   "[variant newreno]\nsender = newreno\n")
    home.run("sweep", "run", "small.ini")
    home.run("report", "build", "results/small", "--no-figures", "-o", "small.html")
    text = open(home.path("small.html")).read()
    check(">5%<" in text and "newreno" in text and "goodput over loss" in text, "the rows")
    check(re.search(r"seeds 1 to 3, wavetank [^<]*, sources [0-9a-f]{12}<", text), "the program by the digest of its sources, called that")
    check(">paper</th>" not in text and "published." not in text, "columns of a paper")
    check("agree: 6 of 6" in home.run("report", "compare", "results/small", "results/small")[0], "compare")


@test("trace plot draws the graph and the state, as SVG and PDF")
def _():
    for words in (["-o", "a.svg"], ["--kind", "state", "-o", "b.svg"], ["--from", "1s", "--to", "4s", "-o", "c.svg"]):
        home.run("trace", "plot", "run.jsonl", *words)
        xml.etree.ElementTree.parse(home.path(words[-1]))
    home.run("trace", "plot", "run.jsonl", "-o", "d.pdf")
    check("sent again" in open(home.path("a.svg")).read(), "no legend")
    check("prefers-color-scheme" in open(home.path("a.svg")).read(), "not for dark pages")
    home.run("trace", "plot", "run.jsonl", "-o", "e.gif", code=2)
    home.run("trace", "plot", "run.jsonl", "--host", "z", "-o", "e.svg", code=2)


@test("drops of a sender's journal: not known by itself, and by the log of its path those that were, where they were sent")
def _():
    words = ["sim", "-n", "400KB", "--quiet", "--seed", "2", "--link", "rate 4Mbit burst 20KB limit 64KB delay 15ms loss 3%"]
    home.run(*words, "--trace", "both.jsonl", "--log", "path.jsonl")
    home.run("sim", "-n", "400KB", "--quiet", "--link", "delay 5ms", "--log", "calm.jsonl")
    events = [json.loads(line) for line in open(home.path("both.jsonl"))]
    with open(home.path("alone.jsonl"), "w") as file: # as `send` writes it: no other host, no path
        file.writelines(json.dumps(e) + "\n" for e in events if e.get("host") == "a")
    path = [json.loads(line) for line in open(home.path("path.jsonl"))]
    with open(home.path("path.jsonl"), "w") as file: # as the emulator writes it: a clock of its own
        for event in path:
            event["time_ns"] += 12345678901
            file.write(json.dumps(event) + "\n")
    lost = sum(e["event"] == "emulation:packet_dropped" and e["data"].get("packet", {}).get("payload_bytes", 0) > 0 and
               e["data"]["node"].startswith("fwd") for e in path)
    check(lost > 3, f"{lost} lost")
    said = {}
    for name, files in (("both", ["both.jsonl"]), ("alone", ["alone.jsonl"]), ("joined", ["alone.jsonl", "path.jsonl"])):
        home.run("report", "build", *files, "-o", name + ".html", "--no-figures")
        said[name] = html.unescape(re.sub("<[^>]*>", "", open(home.path(name + ".html")).read()))
    check(f" {lost} dropped on the way" in said["both"] and f" {lost} dropped on the way" in said["joined"], said["joined"][:900])
    check("dropped on the way" not in said["alone"] and "crosses" not in said["alone"] and "is not known" in said["alone"], said["alone"][:900])
    check("lab up NAME --log" in said["alone"] and "crosses drops by the log" in said["joined"], "how to get them")
    home.run("trace", "plot", "alone.jsonl", "path.jsonl", "-o", "j.svg")
    home.run("trace", "plot", "alone.jsonl", "-o", "k.svg")
    check("dropped: loss" in open(home.path("j.svg")).read() and "dropped" not in open(home.path("k.svg")).read(), "crosses")
    home.run("trace", "plot", "alone.jsonl", "both.jsonl", "-o", "j.svg", code=2)
    home.run("report", "build", "path.jsonl", "-o", "j.html", code=2)
    equal(json.loads(home.run("trace", "stats", "alone.jsonl", "--json")[0])["drops"], None, "drops that nobody saw")
    home.run("report", "build", "alone.jsonl", "calm.jsonl", "-o", "calm.html", "--no-figures")
    check(" 0 dropped on the way" in open(home.path("calm.html")).read(), "an empty log says that nothing was dropped")


@test("trace convert and stats count the same events")
def _():
    for name in ("x.qlog", "x.xpl", "x.csv"):
        home.run("trace", "convert", "run.jsonl", "-o", name)
    stats = json.loads(home.run("trace", "stats", "run.jsonl", "--json")[0])
    events = [json.loads(line) for line in open(home.path("run.jsonl"))]
    traces = json.load(open(home.path("x.qlog")))["traces"]
    equal(sum(len(trace["events"]) for trace in traces), len(events), "events of the qlog")
    with open(home.path("x.csv"), newline="") as file:
        equal(len(list(csv.DictReader(file))), len(events), "rows of the CSV")
    again = [e for e in events if e["event"] == "transport:packet_sent" and e.get("host") == "a" and e["data"]["why"] == 2]
    sender = [c for c in stats["connections"] if c["host"] == "a"][0]
    equal(sender["retransmits_segs"], len(again), "segments sent again")
    equal(open(home.path("x.xpl")).read().count("\nred\nline "), len([e for e in again if e["data"]["len_bytes"]]), "red segments")
    home.run("trace", "convert", "run.jsonl", code=2)
    home.run("trace", "convert", "nothing.jsonl", "-o", "y.csv", code=2)


@test("a time beyond the end of a journal and a folder that is no result are refused in the name of the command that was called")
def _():
    out, err = home.run("trace", "plot", "run.jsonl", "--from", "1h", "-o", "never.svg", code=2)
    check(err.startswith("wavetank trace plot: --from 1h is not before the last event of run.jsonl, at ") and not os.path.exists(home.path("never.svg")), err)
    os.makedirs(home.path("bad"), exist_ok=True)
    open(home.path("bad/runs.jsonl"), "w").write("no JSON\n")
    _, err = home.run("report", "build", "bad", "-o", "never.html", code=2)
    check(err.startswith("wavetank report build: ") and len(err.splitlines()) == 1, err)


@test("without matplotlib: one line that says what to install, exit code 3")
def _():
    os.makedirs(home.path("none/matplotlib"), exist_ok=True)
    open(home.path("none/matplotlib/__init__.py"), "w").write("raise ImportError\n")
    home.environment["PYTHONPATH"] = home.path("none")
    try:
        _, err = home.run("report", "build", "sweep", "-o", "other.html", code=3)
    finally:
        del home.environment["PYTHONPATH"]
    equal(len(err.splitlines()), 1, "lines")
    check("apt-get install python3-matplotlib" in err, err)


@test("no page, figure or folder of figures is written where somebody else points")
def _():
    if os.geteuid():
        raise Skip("links of another user need root")
    shared = home.path("shared")
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    with open(home.path("precious"), "w") as file:
        file.write("kept")
    os.mkdir(home.path("elsewhere"))
    for name, target in (("page.html", "precious"), ("two.html", "new"), ("three-figures", "elsewhere"), ("plot.svg", "precious"), ("plot.pdf", "new")):
        os.symlink(home.path(target), os.path.join(shared, name))
        os.lchown(os.path.join(shared, name), 65534, 65534)
    for words in (("report", "build", "run.jsonl", "-o", "shared/page.html"), ("report", "build", "run.jsonl", "-o", "shared/two.html"),
                  ("report", "build", "run.jsonl", "-o", "shared/three.html"), ("trace", "plot", "run.jsonl", "-o", "shared/plot.svg"),
                  ("trace", "plot", "run.jsonl", "-o", "shared/plot.pdf")):
        _, err = home.run(*words, code=3)
        check(len(err.splitlines()) == 1 and "Permission denied" in err, err)
    equal(open(home.path("precious")).read(), "kept", "what a link of another names")
    check(not os.path.exists(home.path("new")) and not os.listdir(home.path("elsewhere")), "written through a link")


@test("bad words and bad files end with one line: exit code 2, and 3 where a page cannot be written")
def _():
    home.run("report", "build", code=2)
    home.run("report", "build", "nowhere", code=2)
    os.makedirs(home.path("odd"), exist_ok=True)
    open(home.path("odd/runs.jsonl"), "w").write('{"record":"plan","table":"x","backend":"sim"}\n')
    _, err = home.run("report", "build", "odd", "-o", "o.html", code=2)
    equal(len(err.splitlines()), 1, "lines: " + err)
    _, err = home.run("report", "build", "sweep", "-o", "no/such/folder.html", code=3)
    equal(len(err.splitlines()), 1, "lines: " + err)
    out, _ = home.run("report", "open", "report.html")
    equal(out.strip(), "file://" + os.path.realpath(home.path("report.html")), "address")


finish()
