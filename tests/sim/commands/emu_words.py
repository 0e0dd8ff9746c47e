# SPDX-License-Identifier: BSD-2-Clause
"""Words and files of the emulator, read and not run: what the manual shows is understood, what is wrong is told in one line."""
import os
import re
import subprocess
import sys
import tempfile

WAVETANK, DOCS = os.path.abspath(sys.argv[1]), sys.argv[2]
faults = []


def check(truth, *what):
    if not truth:
        faults.append(" ".join(map(str, what)))


def run(*words):
    return subprocess.run([WAVETANK, *words], capture_output=True, text=True, timeout=30)


def text(page):
    with open(os.path.join(DOCS, "man" if page.endswith(".scd") else "", page), encoding="utf-8") as file:
        return file.read()


def blocks(page):
    """What stands between fences: examples."""
    return text(page).split("```")[1::2]


def read_file(content):
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(content)
        file.flush()
        done = run("emu", "run", "-n", "-f", file.name)
        return done, done.stderr.replace(file.name, "FILE").strip()


# Every example of a file, every example of words.
files = [block for page in os.listdir(DOCS) + os.listdir(os.path.join(DOCS, "man")) if page.endswith((".scd", ".md")) for block in blocks(page) if "[port" in block]
check(len(files) >= 3, "where are the examples?", len(files))
PATHS = os.path.join(DOCS, "..", "tools", "data", "paths") # installed with the program
for name in os.listdir(PATHS):
    with open(os.path.join(PATHS, name), encoding="utf-8") as file:
        files.append(file.read())
for example in files:
    done, err = read_file(example)
    check(done.returncode == 0 and done.stdout, "an example is refused:", err, example)
words = [line for block in blocks("wavetank-link.7.scd") for line in block.split("\n") if line and "EXPRESSION" not in line]
check(len(words) >= 3, "where are the words?")
for line in words:
    for quoted in re.findall("--link '([^']*)'", line) if line.startswith("wavetank ") else [line]: # a command, or words alone
        done = run("emu", "run", "-n", "--link", quoted)
        check(done.returncode == 0, "an example is refused:", line, done.stderr)
for words in re.findall(r"^\| [^|]* \| (.*`.*) \|$", text("emulation-model.md").split("in these words")[1], re.M):
    for line in re.findall("`([^`]*)`", words):
        done = run("emu", "run", "-n", "--link", line)
        check(done.returncode == 0, "words of the model are refused:", line, done.stderr)

# A file may have any name without blanks.
with tempfile.TemporaryDirectory() as folder:
    for name in ("gr\u00f6\u00dfe", "\u6e2c\u8a66", b"latin\xe9"):
        path = os.path.join(os.fsencode(folder), os.fsencode(name))
        with open(path, "w") as file:
            file.write("1\n")
        done = subprocess.run([os.fsencode(WAVETANK), b"emu", b"run", b"-n", b"--fwd", b"rate trace " + path + b" limit 64KB"], capture_output=True, timeout=30)
        check(done.returncode == 0 and path in done.stdout, name, done)

# What words read is not written.
with tempfile.TemporaryDirectory() as folder:
    name = folder + "/keep"
    with open(name, "w") as file:
        file.write("10\n20\n")
    for command in (["emu", "run", "--port", "tap:wt0@left", "--port", "tap:wt0@right"], ["sim", "-n", "1KB"]):
        for option in ("--log", "--capture"):
            done = run(*command, "--fwd", f"rate trace {name} limit 64KB", option, name)
            with open(name) as file:
                check(done.returncode == 2 and f"{option} and a file that words name are one file, {name}" in done.stderr and file.read() == "10\n20\n", done)

# Every stage and every queue stands in the manual and, the stages, in --help.
stages = re.search("a stage is one of (.*)", run("emu", "run", "-n", "--fwd", "xyzzy").stderr).group(1).split(", ")
page, usage = text("wavetank-link.7.scd"), run("emu", "run", "--help").stdout
for stage in stages:
    check(f"*{stage}" in page, "wavetank-link(7) lacks the stage", stage)
    check(re.search(rf"\b{stage}\b", usage.split("Words of a path")[1]), "--help lacks the stage", stage)
queues = re.search("one of the queues ([a-z0-9_, ]*)", run("emu", "run", "-n", "--fwd", "rate 1Mbit burst 0B limit 9KB queue xyzzy").stderr)
check(queues, "no list of queues")
for queue in queues.group(1).split(", ") if queues else ():
    check(f"*{queue}" in page, "wavetank-link(7) lacks the queue", queue)

# A fault has file, line, word and what was expected; one line, exit code 2, and nothing else is said.
PORTS = "[port a]\ninterface = tap:wt0@left\n[port b]\ninterface = tap:wt0@right\n"
BAD = [
    ("[link]\nboth = rate 10Mbit burst 20 limit 64KB\n",
     "FILE:6: fwd: word 4, after \"burst\": '20' has no unit: expected a size with its unit (B KB MB GB, KiB MiB GiB), such as 64KB"),
    ("[link]\nfwd = delay 15ms\nrev = los 1%\n", "FILE:7: rev: word 1 \"los\": not known here; did you mean \"loss\"?"),
    ("[link]\nboth = rate 10Mbit burst 0B limit 64KB queue cod\n", "FILE:6: fwd: word 8 \"cod\": expected one of the queues tail, head, red, codel, fq_codel, pie, dualpi2"),
    ("[link]\nboth = loss 120%\n", "FILE:6: fwd: word 2, after \"loss\": '120%' is not between 0% and 100%"),
    ("[link]\nfwd = loss gilbert on 1s 1% off 1s 0% shared\n", "FILE:6: fwd: \"loss gilbert ... shared\" needs its partner in rev"),
    ("[emulator]\nlate = soon\n", "FILE:6: late: 'soon' is not a time with its unit (ns us ms s min h), such as 15ms"),
    ("[emulator]\nseccomp = perhaps\n", "FILE:6: seccomp: 'perhaps': expected on or off"),
    ("[router r]\naddress = 10.0.0\n[link]\nbetween = a b\n", "FILE:6: '10.0.0' is not the address of a router, such as 10.255.0.1"),
    ("[router r]\naddress = 10.0.0.1, 10.0.0.2\n", "FILE:6: '10.0.0.1, 10.0.0.2': one address of IPv4 and one of IPv6 at most, between commas"),
    ("[router r]\naddress = fe80::1/64\n", "FILE:6: 'fe80::1/64' is not the address of a router, such as 10.255.0.1"),
    ("[router r]\naddress =\n", "FILE:6: '' is not the address of a router, such as 10.255.0.1"),
    ("[port c]\ngateway = 10.0.0.1\n", "FILE:6: '10.0.0.1' is not the address of a router with the length of its network, such as 10.0.1.1/24 or 2001:db8:1::1/64"),
    ("[port c]\ngateway = 2001:db8::1/128\n", "FILE:6: '2001:db8::1/128': the length of a network is from 8 to 30 bits of IPv4, from 16 to 127 of IPv6"),
    ("[port c]\ngateway = fe80::1/64\n", "FILE:6: 'fe80::1/64' is not the address of a router with the length of its network, such as 10.0.1.1/24 or 2001:db8:1::1/64"),
    ("[port c]\ngateway = 10.0.0.1/24, ff02::1/64\n", "FILE:6: 'ff02::1/64' is not the address of a router with the length of its network, such as 10.0.1.1/24 or 2001:db8:1::1/64"),
    ("[port c]\ngateway = 10.0.0.1/24, 2001:db8::1/64\ninterface = tap:wt1@left\n[port d]\ngateway = 2001:db8::ff/48\ninterface = tap:wt2@left\n[router r]\n[link x]\nbetween = a b\n[link y]\nbetween = c r\n[link z]\nbetween = d r\n",
     "FILE:8: port d: its gateway is in the network of port c; each needs a network of its own"),
    ("[link]\nboth = delay 1ms\n[at 1s]\nboth = delay 2ms | rate 1Mbit burst 0B limit 64KB | delay 1\n",
     "FILE:8: fwd: word 10, after \"delay\": '1' has no unit: expected a time with its unit (ns us ms s min h), such as 15ms"),
    ("[link]\nboth = rate 1Mbit burst 0B limit 64KB\n\tdelay 5ms\n\n# a comment\n  loss 5x%\n", "FILE:10: fwd: word 10, after \"loss\": '5x%' is not a share: expected a percentage such as 20%"),
    ("[link]\nboth = delay 1ms\n[at 1s]\nfwd = delay 6ms\nrev = delay 6ms\n  only (udp\n  or tcp) {\n  loss 5x% }\n",
     "FILE:12: rev: word 2, after \"loss\": '5x%' is not a share: expected a percentage such as 20%"),
    ("[link]\nfwd = delay 1ms | only (udp\n  or tcp) {\n  loss 5%\n los 2% }\n", "FILE:9: fwd: word 3 \"los\": not known here; did you mean \"loss\"?"),
    ("[link]\nboth = delay 1ms\n[at 1s every 1s times 3]\nnote = x\nfwd = delay 6ms\nrev = delay 6ms\n loss 5%\n  los 5%\n", "FILE:12: rev: word 5 \"los\": not known here; did you mean \"loss\"?"),
    ("[link]\n[schedule]\nboth = delay $delai\ncolumns = delay\n0s = 1ms\n",
     "FILE:9: there is no column for \"$delai\"; the columns are delay"),
    ("[link]\n[schedule]\nboth = delay $delay\ncolumns = delay hops\n0s = 1ms\n", "FILE:9: expected 2 values, for delay hops, and there are 1"),
    ("[link]\n[schedule]\nboth = delay $delay\ncolumns = delay\n1s = 1ms\n2s = fast\n",
     "FILE:10: fwd: word 2, after \"delay\": 'fast' is not a time with its unit (ns us ms s min h), such as 15ms"),
    ("[port c]\ngateway = 10.0.1.255/24\n", "FILE:6: '10.0.1.255/24' is the broadcast address of its network, and no host's"),
    ("[port c]\ngateway = 10.0.2.0/24\n", "FILE:6: '10.0.2.0/24' is the network address of its network, and no host's"),
    ("[port c]\ngateway = 10.0.1.7/30\n", "FILE:6: '10.0.1.7/30' is the broadcast address of its network, and no host's"),
    ("[port c]\ngateway = 10.0.1.0/16, 10.0.2.255/8\n", "FILE:6: '10.0.1.0/16, 10.0.2.255/8': one address of IPv4 and one of IPv6 at most, between commas"),
    ("[link]\n[schedule]\nboth = delay $delay\ncolumns = delay\n1s = 1ms\n2s = 2ms\n1000ms = 3ms\n", "FILE:11: 1000ms: expected a time after that of the row above"),
    ("[link]\n[schedule]\nboth = delay $delay\ncolumns = delay hops\n1s = 1ms 2\n[at 2s]\nboth = delay 2ms\n", "FILE:6: columns: no words use $hops"),
    ("[link]\n[at 1s every 0s times 2]\nboth = delay 1ms\n", "FILE:6: every: '0s' is no interval: expected a time above 0"),
    ("[link]\n[at 1s]\nboth = delay 1ms\nqueue = drop\n", "FILE:8: queue: 'drop': expected keep or flush"),
    ("[link]\n[at 1h every 2500000h times 3]\nboth = delay 1ms\n", "FILE:6: the last of 3 times is later than there are nanoseconds"),
    ("[emulator]\nicmp-limit = 100\n[link]\nboth = delay 1ms\n", "FILE:6: icmp-limit: '100' is not a limit: expected N/s or N/s burst N, such as 100/s burst 100, each from 1 to 1000000"),
    ("[emulator]\nicmp-limit = 9/s burst 9\n[lnk]\n", "FILE:7: section \"lnk\" is not known here; did you mean \"link\"?"),
    ("[lnk]\n", "FILE:5: section \"lnk\" is not known here; did you mean \"link\"?"),
]
for content, expected in BAD:
    done, err = read_file(PORTS + content)
    check(done.returncode == 2 and not done.stdout and err == "wavetank emu run: " + expected, "exit", done.returncode, "\n  got      ", err,
          "\n  expected  wavetank emu run:", expected)

print("\n".join(faults) if faults else "ok")
sys.exit(1 if faults else 0)
