# SPDX-License-Identifier: BSD-2-Clause
"""World files with a fault, through every command that reads one: a line of file, line, word and what was expected, exit code 2, and nothing
is started or left. The reader's own table of faults is tests/unit/world/test_file.c."""
import os
import subprocess
import sys
import tempfile

WAVETANK = os.path.abspath(sys.argv[1])
HOSTS = "[host a]\n[host b]\n"
LINK = "[link]\nboth = delay 1ms\n"
FLOW = "[flow f]\nbetween = a b\nbytes = 1KB\n"
STATIONS = "[air]\n[station a]\nat = 0m 0m\n[station b]\nat = 200m 0m\n"


def words(text, end="\n"):
    return HOSTS + "[link]\nboth = " + text + end + FLOW


ALL = ("sim", "emu", "up", "run") # the commands that read the part of the file that is at fault
FLOWS = ("sim", "run")
REAL = ("emu", "up", "run")
# file name (a part of what is said), its content, the line, the rest of the sentence
BAD = [
    ("word", "[hots a]\n", 1, 'section "hots" is not known here; did you mean "host"?', ALL),
    ("key", "[host a]\nadress = 10.0.0.1\n", 2, 'key "adress" is not known here; expected one of interface, gateway, mtu', ALL),
    ("nobody", HOSTS + "[link]\nbetween = a c\n", 4, 'between: there is no host, port or router "c" above', ALL),
    ("nowhere", HOSTS + "[router r]\n[router s]\n[link x]\nbetween = a r\n[link y]\nbetween = b s\n" + FLOW, 9, "flow f: no links lead from a to b", FLOWS),
    ("twice", "[host a]\n[router a]\n", 2, 'there is a host, port or router "a" already', ALL),
    ("twolinks", HOSTS + "[link]\n[link]\n", 4, 'there is a link "main" already', ALL),
    ("twoflows", HOSTS + LINK + FLOW + FLOW, 8, 'there is a flow "f" already', ALL),
    ("tworuns", "[run]\ntime = 1s\n[run]\nseed = 2\n" + HOSTS + LINK + FLOW, 3, "there is a section [run] above already", ALL),
    ("noschedule", HOSTS + LINK + "[schedule zz]\n" + FLOW, 5, 'there is no link "zz" above', ALL),
    ("unit", words("delay 1parsec"), 4, "fwd: word 2, after \"delay\": '1parsec' has an unknown unit 'parsec': expected a time with its unit", ALL),
    ("nounit", words("rate 10 burst 0B limit 64KB"), 4, "fwd: word 2, after \"rate\": '10' has no unit: expected a rate with its unit", ALL),
    ("before", HOSTS + LINK + "[at -1s]\nboth = delay 2ms\n" + FLOW, 5, "'-1s' is not a time with its unit (ns us ms s min h), such as 15ms", ALL),
    ("itself", HOSTS + LINK + "[flow f]\nbetween = a a\nbytes = 1KB\n", 6, 'between: a flow has two different ends, not "a" twice', ALL),
    ("loop", HOSTS + "[router r]\n[link x]\nbetween = r r\n", 5, 'between: a link has two different ends, not "r" twice', ALL),
    ("huge", HOSTS + LINK + "[flow f]\nbetween = a b\nbytes = 99999999999999GB\n", 7, "bytes: '99999999999999GB' is too large", ALL),
    ("digits", HOSTS + LINK + FLOW + "count = 4294967297\n", 8, "count: '4294967297': expected 1 to 10000", ALL),
    ("zero", HOSTS + LINK + "[flow f]\nbe\0tween = a b\n", 6, 'a byte 0 follows "be": expected text', ALL),
    ("binary", "\x7fELF\x02\x01\x01\0\0", 1, 'a byte 0 follows "\x7fELF\x02\x01\x01": expected text', ALL),
    ("cut", HOSTS + LINK + "[flow f]\nbetween = a", 6, "between: 'a': expected the names of two hosts, such as between = a b", ALL),
    ("crlf", words("deley 1ms").replace("\n", "\r\n"), 4, 'fwd: word 1 "deley": not known here; did you mean "delay"?', ALL),
    ("mark", "\ufeff[hots a]\n", 1, 'section "hots" is not known here', ALL),
    ("headless", "both = delay 1ms\n" + HOSTS, 1, '"both" stands before any section, such as [emulator]', ALL),
    ("open", "[host a\n[host b]\n", 1, "the name of a section ends with ], such as [emulator]", ALL),
    ("noequals", HOSTS + "[link]\nboth delay 1ms\n", 4, "expected [SECTION] or key = value", ALL),
    ("long", words("delay 1ms " * 50), 4, "the line has more than 198 characters; it may go on in the next if that begins with a blank", ALL),
    ("nolist", words("loss list file nowhere.txt delay 1ms"), 4, 'fwd: word 4: nowhere.txt: cannot be read (there is no such file)', ALL),
    ("falling", words("loss list 17,3 delay 1ms"), 4, 'fwd: word 3 "17,3": expected numbers of packets from 1, rising, such as "3,17,100-120"', ALL),
    ("trace", words("delay trace back.txt"), 4, "fwd: word 3: back.txt:2: ", ALL),
    ("train", words("rate trace train.txt limit 64KB"), 4, "fwd: word 3: train.txt:2: ", ALL),
    ("rows", HOSTS + "[link]\n[schedule]\nboth = delay $d\ncolumns = d\n1s = 1ms\n0s = 2ms\n", 8, "0s: expected a time after that of the row above", ALL),
    ("column", HOSTS + "[link]\n[schedule]\nboth = delay $x\ncolumns = d\n1s = 1ms\n", 7, 'there is no column for "$x"; the columns are d', ALL),
    ("queue", words("rate 1Mbit burst 0B limit 64KB queue codle"), 4, 'fwd: word 8 "codle": expected one of the queues tail, head, red', ALL),
    ("policy", HOSTS + LINK + "[at 1s]\nboth = delay 2ms\nqueue = blow\n", 7, "queue: 'blow': expected keep or flush", ALL),
    ("share", words("loss 101%"), 4, "fwd: word 2, after \"loss\": '101%' is not between 0% and 100%", ALL),
    ("station", STATIONS + "[host h]\n[link x]\nbetween = a h\n" + FLOW, 7, "link x: a link of station a leads to a router, not to a host", ("sim", "up", "run")),
    ("places", "[port a]\ninterface = tap:wtx\n[port b]\ninterface = tap:wtx\n" + LINK, 3, "both ports are tap:wtx", ("emu",)),
    ("movement", "[air]\nmovement = moves.txt\n[station a]\n[station b]\n" + FLOW, 2, "movement: moves.txt:2: ", ("sim", "up", "run")),
    ("gateway", "[host a]\ngateway = 10.0.0.300/24\n", 2, "'10.0.0.300/24' is not the address of a router with the length of its network", ALL),
    ("endless", HOSTS + LINK + "[flow f]\nbetween = a b\n", 5, "flow f: it never ends: expected bytes or stop here, or time in [run]", ("sim",)),
    ("sender", HOSTS + LINK + FLOW + "sender = newrino\n", 8, "sender: no sender module 'newrino'; did you mean 'newreno'?", FLOWS),
    ("user", "[emulator]\nuser = nobody9\n" + HOSTS + LINK + FLOW, 2, "user: there is no user 'nobody9'", REAL),
    ("nocapture", "[emulator]\n\ncapture = away/x.pcapng\n" + HOSTS + LINK + FLOW, 3, "capture: 'away': expected a folder that exists", ("emu", "run")),
    ("nolog", "[emulator]\nlog = away/x.jsonl\n" + HOSTS + LINK + FLOW, 2, "log: 'away': expected a folder that exists", ("run",)),
    ("nocontrol", "[emulator]\ncontrol = away/x.sock\n" + HOSTS + LINK + FLOW, 2, "control: 'away': expected a folder that exists", ("emu", "run")),
    ("steer", "[emulator]\nsteer = yes\n" + HOSTS + LINK + FLOW, 2, "steer: needs cpu", REAL),
    ("behind", "[host a] b\n[host c]\n", 1, '"b": expected nothing after the ] of a section', ALL),
    ("limits", "[run]\ntime = 9s\nlimit = 5s\n" + HOSTS + LINK + FLOW, 3, "limit: time is longer than limit, after which the run fails", ALL),
    ("empty", "", 1, "two hosts or ports are needed, such as [host a] and [host b]", ALL),
    ("folder", None, 1, "Is a directory", ALL),
]
# Files of the air: the key = value at fault in [air] or [stations], its line, and what is said.
AIRS = [
    ("rate = 3Mbit", "rate: '3Mbit': expected 1, 2, 5.5 or 11Mbit, or 6, 9, 12, 18, 24, 36, 48 or 54Mbit"),
    ("rate = 11", "rate: '11' has no unit: expected a rate with its unit"),
    ("rates = 1Mbit", 'key "rates" is not known here; did you mean "rate"?'),
    ("preamble = medium", 'preamble "medium" is not known here; expected one of long, short'),
    ("rts = sometimes", "rts: 'sometimes': expected always, never, or the size of frames above which they have one, such as 500B"),
    ("retries = 7", "retries: '7': expected two numbers, of short and of long retries, such as retries = 7 4"),
    ("retries = 0 4", "retries: '0': expected 1 to 255"),
    ("capture = 0.5", "capture: '0.5': expected off, or how many times stronger a frame survives, such as 10"),
    ("captured_nav = maybe", "captured_nav: 'maybe': expected on or off"),
    ("purge = 2", "purge: '2': expected on or off"),
    ("queue = 0", "queue: '0': expected 1 to 100000"),
    ("mtu = 64B", "mtu: '64B': expected 128B to 9000B"),
    ("range = 250", "range: '250': expected a number of metres, such as 250m"),
    ("routing = aodw", "routing: no routing module 'aodw'; did you mean 'aodv'?"),
    ("routing = aodv:hell=on", "routing: module 'aodv': no parameter 'hell'; did you mean 'hello'?"),
    ("routing = dsr:wait=fast", "routing: module 'dsr': wait: 'fast' is not a time with its unit"),
    ("movement = nothere.txt", "movement: nothere.txt: No such file or directory"),
    ("place = strin 200m", "place: 'strin 200m': expected string 250m, grid COLUMNS 200m, or field 1500m 300m"),
    ("place = grid 0 240m", "place: '0': expected 1 to 4096"),
    ("move = waypoint 700m 500m", "move: 'waypoint 700m 500m': expected waypoint, a field, the slowest and the fastest speed and a pause"),
    ("move = waypoint 700m 500m 9m/s 3m/s 1s", "move: 'waypoint 700m 500m 9m/s 3m/s 1s': expected a fastest speed that is at least the slowest"),
    ("count = 0", "count: '0': expected 1 to 4096"),
]
for place, (wrong, said) in enumerate(AIRS):
    group = wrong.split()[0] in ("place", "move", "count")
    air = "[air]\n" + ("" if group else wrong + "\n") + "[stations n]\n" + ("" if wrong.startswith("count") else "count = 6\n")
    BAD.append(("air%d" % place, air + (wrong if group else "place = string 200m") + "\n[flow f]\nbetween = n0 n5\nbytes = 1KB\n",
                2 if not group else 3 if wrong.startswith("count") else 4, said, ("sim", "up")))
COMMANDS = {
    "sim": ["sim", "--log", "left.log", "--capture", "left.pcapng", "-f"],
    "emu": ["emu", "run", "-t", "1s", "--log", "left.log", "-f"],
    "up": ["lab", "up", "badworld", "--log", "left.log", "-f"],
    "run": ["lab", "run", "-t", "1s"],
}
faults = []


def try_one(name, command, line, said, hosts):
    before = sorted(os.listdir("."))
    places = ["--port", "a=tap:wtbad1", "--port", "b=tap:wtbad2"] if command == "emu" and hosts else []
    done = subprocess.run([WAVETANK, *COMMANDS[command], name, *places], capture_output=True, timeout=30)
    told = done.stderr.decode(errors="replace").replace(os.getcwd() + "/", "")
    expected = "wavetank %s: %s:%d: %s" % (" ".join(COMMANDS[command][: 1 if command == "sim" else 2]), name, line, said)
    if done.returncode != 2 or done.stdout or not told.startswith(expected) or told.count("\n") != 1:
        faults.append("%s %s: exit %d, said %r\n  expected %r" % (command, name, done.returncode, told, expected))
    if sorted(os.listdir(".")) != before:
        faults.append("%s %s left files: %s" % (command, name, os.listdir(".")))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["XDG_RUNTIME_DIR"] = folder
    for name, text in {"back.txt": "1s,1ms\n0s,2ms\n", "train.txt": "5\n3\n", "moves.txt": "$node_(0) set X_ 1\n$ns_ at -1 \"x\"\n"}.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    for name, text, line, said, commands in BAD:
        if text is None:
            os.mkdir(name)
        else:
            with open(name, "wb") as file:
                file.write(text.encode())
        for command in commands:
            try_one(name, command, line, said, HOSTS in (text or "").replace("\r", ""))
    os.chdir("/")
print("\n".join(faults) if faults else "ok: %d files" % len(BAD))
sys.exit(1 if faults else 0)
