#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Wrong words: one line that says what is wrong, and the documented exit code."""
import os
import subprocess

from e2e import Home, Skip, check, equal, finish, test

HOME = Home()
WIRE = ("--port", "tap:wtnone", "--address", "10.9.9.1/24")

# words, exit code, what the line must hold
WRONG = [
    (("foo",), 2, "no command 'foo'"),
    (("sned",), 2, "did you mean 'send'?"),
    (("lab",), 2, "'lab' needs a second word"),
    (("lab", "upp"), 2, "did you mean 'lab up'?"),
    (("lab", "foo"), 2, "no command 'lab foo'; 'wavetank help lab' lists them"),
    (("emu", "set", "x.foo", "delay", "1ms"), 2, "no direction or stage 'foo'; expected fwd, rev or both, or a stage of one, such as x.fwd.delay"),
    (("sim", "-t", "5s", "--limit", "2s"), 2, "expected a --limit of at least --time"),
    (("--bogus",), 2, "unknown option --bogus"),
    (("send",), 2, "the peer is missing"),
    (("send", "-c"), 2, "needs an argument"),
    (("send", "--conect", "x"), 2, "did you mean --connect?"),
    (("send", "-Z"), 2, "no option -Z"),
    (("send", "-c", "10.0.0.1", "stray"), 2, "unexpected argument 'stray'"),
    (("send", "-c", "b"), 2, "'b' is not an address"),
    (("send", "-c", "10.0.0.1", "-n", "5"), 2, "'5'"),
    (("send", "-c", "10.0.0.1", "-n", "0B"), 2, "--bytes: expected more than 0B"),
    (("send", "-c", "10.0.0.1", "-n", "5Mbit"), 2, "'5Mbit'"),
    (("send", "-c", "10.0.0.1", "-t", "10"), 2, "'10'"),
    (("send", "-c", "10.0.0.1", "-n", "5MB", "-t", "1s"), 2, "--bytes and --time cannot be combined"),
    (("send", "-c", "10.0.0.1", "-p", "99999"), 2, "1 to 65535"),
    (("send", "-c", "10.0.0.1", "-F", "x"), 2, "--file requires --raw"),
    (("send", "-c", "10.0.0.1", "--raw", "-F", "/nonexistent"), 2, "cannot read /nonexistent"),
    (("report", "open", "missing.html"), 2, "missing.html: No such file"),
    (("trace", "stats", "missing.jsonl"), 2, "missing.jsonl: No such file"),
    (("trace", "convert", "missing.jsonl", "-o", "x.qlog"), 2, "missing.jsonl: No such file"),
    (("trace", "plot", "missing.jsonl", "-o", "x.svg"), 2, "missing.jsonl: No such file"),
    (("send", "-c", "10.0.0.1", "-C", "rno", *WIRE), 2, "did you mean 'reno'?"),
    (("send", "-c", "10.0.0.1", "-C", "real:lmx=3", *WIRE), 2, "lmx"),
    (("send", "-c", "10.0.0.1", "--rcc", "nothing", *WIRE), 2, "nothing"),
    (("send", "-c", "10.0.0.1", "--recovery", "nothing", *WIRE), 2, "nothing"),
    (("send", "-c", "10.0.0.1", "-S", "tick=5", *WIRE), 2, "'5'"),
    (("send", "-c", "10.0.0.1", "-S", "nonsense=5ms", *WIRE), 2, "nonsense"),
    (("send", "-c", "10.0.0.1", "--preset", "bsd99", *WIRE), 2, "bsd99"),
    (("send", "-c", "10.0.0.1", "-M", "1000", *WIRE), 2, "'1000'"),
    (("send", "-c", "10.0.0.1"), 2, "our address is missing"),
    (("send", "-c", "10.0.0.1", "--address", "10.0.0.2"), 2, "with its prefix"),
    (("send", "-c", "10.0.0.1", "--address", "10.0.0.2/24"), 2, "the port is missing"),
    (("send", "-c", "10.0.0.1", "--address", "10.0.0.2/24", "--port", "5201"), 2, "neither tap:NAME nor packet:INTERFACE"),
    (("send", "-c", "10.0.0.1", "--address", "10.0.0.2/24", "--port", "packet:nosuch0"), 3, "nosuch0"),
    (("send", "-c", "10.0.0.1", "--seed", "x"), 2, "--seed"),
    (("send", "-c", "10.0.0.1", "--timeout", "3"), 2, "--timeout"),
    (("send", "--json=yes"), 2, "takes no argument"),
    (("recv", "stray"), 2, "unexpected argument 'stray'"),
    (("recv", "--json", "-o", "-"), 2, "cannot share standard output"),
    (("recv", "-o", "/nonexistent/file", *WIRE), 3, "cannot write /nonexistent/file"),
    (("serve", "stray"), 2, "unexpected argument 'stray'"),
    (("serve", "--echo", "70000"), 2, "--echo: '70000' is not a port number"),
    (("serve", "--echo", "9"), 2, "--echo and --discard cannot share port 9"),
    (("serve", "--connections", "0"), 2, "--connections: '0' is not a number from 1"),
    (("serve", *WIRE[2:]), 2, "the port is missing"),
    (("kernel", "serve", "stray"), 2, "unexpected argument 'stray'"),
    (("kernel", "load"), 2, "'' is not a load"),
    (("kernel", "load", "pull"), 2, "the peer is missing"),
    (("kernel", "load", "pull", "-c", "b"), 2, "'b' is not an IPv4 address"),
    (("bench", "nothing"), 2, "no measurement 'nothing'"),
    (("bench", "--size", "0B"), 2, "--size: 0B is not from 1"),
    (("bench", "--rounds", "x"), 2, "--rounds"),
    (("lab", "up"), 2, "the name of the lab is missing"),
    (("lab", "up", "../x"), 2, "cannot name a lab"),
    (("lab", "up", "x", "--link", "delay 5"), 2, "'5' has no unit"),
    (("lab", "up", "x", "--link", "dely 5ms"), 2, "dely"),
    (("lab", "up", "x", "--seed", "-1"), 2, "--seed"),
    (("lab", "up", "x", "--backend", "pigeon"), 2, "expected auto, tap or packet"),
    (("lab", "up", "x", "--late", "5"), 2, "--late: '5' has no unit"),
    (("lab", "up", "x", "--steal", "300%"), 2, "--steal: '300%' is not between"),
    (("lab", "exec"), 2, "the host is missing"),
    (("lab", "exec", "x:c", "true"), 2, "no lab 'x' is up"),
    (("lab", "exec", "x:a"), 2, "the command is missing"),
    (("lab", "exec", "x:a", "true"), 2, "no lab 'x' is up"),
    (("lab", "down"), 2, "the name of a lab is missing"),
    (("lab", "down", "x"), 2, "no lab 'x' is up"),
    (("lab", "status", "x"), 2, "no lab 'x' is up"),
    (("emu", "run", "-n", "--time", "0s"), 2, "above 0"),
    (("emu", "run", "-n", "--ready-fd", "99"), 2, "not open"),
    (("emu", "run", "-n", "--ready-fd", "1"), 2, "not from 3"),
    (("emu", "run", "-n", "--link", "only tcp { loss 1% }"), 2, "only (EXPRESSION) { WORDS }"),
    (("emu", "run", "-n", "--link", "only ( ) { loss 1% }"), 2, "expected an expression"),
    (("sim", "--link", "only () { loss 1% }"), 2, "expected an expression"),
    (("lab", "up", "x", "--link", "only (tcp prt 80) { loss 1% }"), 2, "pcap-filter"),
    (("sim", "-S", "nosuch=1"), 2, "keepalive_probes"),
    (("emu", "run", "-n", "--link", "delay 1ms", "--fwd", "delay 2ms"), 2, "--fwd: one direction is given words twice"),
    (("emu", "run", "-n", "--rev", "delay 1ms", "--link", "delay 2ms"), 2, "--link: one direction is given words twice"),
    (("emu", "run", "-n", "--fwd", "delay 1ms", "--rev", "delay 1ms", "--fwd", ""), 2, "one direction is given words twice"),
    (("sim", "--link", "delay 1ms", "--rev", "delay 2ms"), 2, "--rev: one direction is given words twice"),
    (("sim", "--fwd", "delay 1ms", "--rev", "delay 1ms", "--fwd", ""), 2, "--fwd: one direction is given words twice"),
    (("lab", "up", "x", "--fwd", "delay 1ms", "--link", "delay 2ms"), 2, "--link: one direction is given words twice"),
    (("lab", "up", "x", "--rev", "", "--rev", "delay 1ms"), 2, "--rev: one direction is given words twice"),
    (("emu", "run", "-n", "--icmp-limit", "100"), 2, "--icmp-limit: '100' is not a limit: expected N/s or N/s burst N"),
    (("sim", "--icmp-limit", "0/s"), 2, "expected N/s or N/s burst N"),
    (("lab", "up", "x", "--icmp-limit", "9/s burst"), 2, "--icmp-limit: '9/s burst' is not a limit"),
    (("emu", "run", "-n", "--link", "rate trace / limit 64KB"), 2, "cannot be read"),
    (("help", "nothing"), 2, "no command 'nothing'"),
    (("sim", "--capture", ""), 2, "--capture: expected the name of a file"),
    (("sim", "--capture", "-"), 2, "--capture: '-' (standard input or output) cannot be used here; a file of that name is ./-"),
    (("sim", "-f", "-"), 2, "--file: '-'"),
    (("emu", "run", "-n", "--log=-"), 2, "--log: '-'"),
    (("lab", "up", "x", "--capture", "-"), 2, "--capture: '-'"),
    (("report", "build", "-o", "-"), 2, "--output: '-'"),
    (("emu", "set", "nolab.fwd", "delay", "1ms"), 2, "no lab 'nolab' is up"),
    (("emu", "show", "nolab"), 2, "no lab 'nolab' is up"),
    (("emu", "events", "nolab"), 2, "no lab 'nolab' is up"),
    (("emu", "capture", "nolab", "a"), 2, "no lab 'nolab' is up"),
    (("lab", "down", "--all", "x"), 2, "--all ends every lab: it cannot be combined with the name of one, 'x'"),
    (("cc", "new", "a b", "--side", "sender"), 2, "'a b' cannot name a module: expected at most 31 characters"),
    (("cc", "new", "--side", "sender"), 2, "the name is missing"),
    (("cc", "new", "x"), 2, "the side is missing"),
    (("sim", "--limit", "0s"), 2, "--limit: expected more than 0s"),
    (("cc", "compare", "reno", "cubic"), 2, "the path is missing: --link"),
    (("trace", "stats", "."), 2, ".: Is a directory"),
    (("shell", "delay 1ms", "ls"), 2, "wavetank shell 'delay 1ms' -- ls"),
    (("sweep", "plan", "nothing"), 2, "'nothing' is neither a file, whose name must end with .ini, nor a published table"),
]

for words, code, text in WRONG:
    def wrong(words=words, code=code, text=text):
        out, err = HOME.run(*words, code=code)
        equal(out, "", "standard output")
        equal(len(err.splitlines()), 1, f"lines on standard error\n{err}")
        check(err.startswith("wavetank"), f"the line names the program: {err}")
        check(text in err, f"'{text}' is not in: {err}")

    test(f"'{' '.join(words)}' ends with {code} and one line about it")(wrong)


@test("help fits on one screen and names every command")
def _():
    out, err = HOME.run("help")
    names, _ = HOME.run("help", "--commands")
    check(len(out.splitlines()) <= 24 and max(map(len, out.splitlines())) <= 100 and err == "", "one screen")
    for name in names.splitlines():
        line = [words for words in map(str.split, out.splitlines()) if words and words[0] == name.split()[0]]
        check(line and (" " not in name or name.split()[1] in line[0][1].split("|")), name)
        text, _ = HOME.run("help", *name.split())
        check(text.startswith(f"usage: wavetank {name}"), name)
        same, _ = HOME.run(*name.split(), "--help")
        equal(same, text, f"help {name} and {name} --help")
        of_object, _ = HOME.run(name.split()[0], "--help")
        check(max(map(len, (text + of_object).splitlines())) <= 100, f"a line above 100 columns: {name}")


@test("--version names version, commit, compiler and backends")
def _():
    out, _ = HOME.run("--version")
    for word in ("wavetank ", "commit ", "compiler ", "backends "):
        check(any(line.startswith(word) for line in out.splitlines()), word)


@test("cc check counts modules in words that fit")
def _():
    for words, said in ((("cubic",), "1 module keeps the contract"), (("cubic", "westwood"), "2 modules keep the contract")):
        _, err = HOME.run("cc", "check", *words)
        check(said in err, err)


@test("cc new on a disk that fills leaves nothing: exit code 3 and one line that names the file")
def _():
    disk = HOME.path("disk")
    os.makedirs(disk, exist_ok=True)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "none", disk], check=False).returncode:
        raise Skip("a small disk needs root")
    failed = []
    try:
        for pages in range(1, 20):
            subprocess.run(["mount", "-o", f"remount,size={4 * pages}k", disk], check=True)
            done = subprocess.run([HOME.program, "cc", "new", "mine", "--side", "sender"], cwd=disk, stderr=subprocess.PIPE, text=True, timeout=20,
                                  check=False)
            if not done.returncode:
                break
            failed.append(done.stderr)
            equal((done.returncode, os.listdir(disk)), (3, []), "exit code, what is left")
            check(done.stderr.count("\n") == 1 and "mine" in done.stderr and "No space left" in done.stderr, done.stderr)
        check(failed and not done.returncode, "no size at which it fails, or none at which it does not")
    finally:
        subprocess.run(["umount", disk], check=False)


@test("wireshark install where nobody lets us look says so in one line, exit code 3")
def _():
    if os.geteuid():
        raise Skip("needs root, to be somebody else")
    other = Home(65534)
    os.makedirs(other.path(".local/lib/wireshark"))
    os.chmod(other.path(".local/lib/wireshark"), 0o700) # root's
    for words in (("install",), ("install", "--force"), ("uninstall",)):
        _, err = other.run("wireshark", *words, code=3)
        check(err.count("\n") == 1 and "Permission denied" in err, err)


@test("a full disk under standard output is exit code 3")
def _():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([HOME.program, "help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=20, check=False)
    equal(done.returncode, 3, "exit code")
    check("standard output" in done.stderr, done.stderr)


finish()
