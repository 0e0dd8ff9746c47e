#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The kit for Wireshark, tried with tshark: options and drops are dissected, the profile opens, points of labs are interfaces."""
import contextlib
import os
import shutil
import signal
import socket
import struct
import subprocess

from e2e import Home, Skip, check, end, equal, finish, lab, need_labs, point, test, until

HOME = Home()
KIT = HOME.path("kit")
FILES = ["extcap/wavetank", "plugins/wavetank.lua", "profiles/Wavetank/colorfilters", "profiles/Wavetank/preferences"]
LINK = "rate 10Mbit burst 20KB limit 32KB delay 15ms loss 1%"


def tshark(*words, kit=True, code=0):
    if not shutil.which("tshark"):
        raise Skip("no tshark")
    places = {"WIRESHARK_CONFIG_DIR": KIT, "WIRESHARK_PLUGIN_DIR": KIT + "/plugins", "WIRESHARK_EXTCAP_DIR": KIT + "/extcap"} if kit else {}
    done = subprocess.run(["tshark", *words], capture_output=True, text=True, timeout=120, env={**HOME.environment, **places}, check=False)
    equal(done.returncode, code, f"exit code of tshark {words}\n{done.stderr}")
    check("Lua:" not in done.stderr, done.stderr)
    return done.stdout


def fields(path, condition, *names, kit=True, options=()):
    words = [word for name in names for word in ("-e", name)]
    out = tshark("-r", path, *options, "-Y", condition, "-T", "fields", "-E", "separator=|", *words, kit=kit)
    return [tuple(line.split("|")) for line in out.splitlines()]


def installed(top=KIT):
    return sorted(os.path.relpath(os.path.join(where, name), top) for where, _, names in os.walk(top) for name in names)


@test("install writes four files, below --dir or in a home; uninstall leaves nothing")
def _():
    HOME.run("wireshark", "install")
    home = [".config/wireshark/profiles/Wavetank/colorfilters", ".config/wireshark/profiles/Wavetank/preferences",
            ".local/lib/wireshark/extcap/wavetank", ".local/lib/wireshark/plugins/wavetank.lua"]
    equal(installed(HOME.folder), home, "files in the home")
    HOME.run("wireshark", "uninstall")
    equal(os.listdir(HOME.folder), [], "left in the home")
    HOME.run("wireshark", "install", "--dir", KIT)
    HOME.run("wireshark", "install", "--dir", KIT) # again is no fault
    equal(installed(), FILES, "files below --dir")
    check(os.access(KIT + "/extcap/wavetank", os.X_OK), "the extcap program can be executed")


@test("a file that is another's, or was changed, is neither replaced nor removed, but with --force")
def _():
    path = os.path.join(KIT, FILES[3])
    with open(path, "w", encoding="utf-8") as file:
        file.write("gui.column.format:\n")
    _, err = HOME.run("wireshark", "install", "--dir", KIT, code=2)
    check("--force" in err and err.count("\n") == 1, err)
    _, err = HOME.run("wireshark", "uninstall", "--dir", KIT)
    check("3 of 4 files removed" in err, err)
    equal(installed(), FILES[3:], "what stays")
    HOME.run("wireshark", "install", "--dir", KIT, "--force")
    HOME.run("wireshark", "uninstall", "--dir", KIT)
    check(not os.path.exists(KIT), "the folder is gone")
    HOME.run("wireshark", "install", "--dir", KIT)
    HOME.run("wireshark", "install", "--dir", "/proc/none", code=3)


def levels(path, raw, options=()):
    """What the kit says of each level, beside the two bytes as tshark alone gives them, or as they are cut out of the option."""
    said = fields(path, "tcpreal.level", "frame.number", "tcpreal.level", "tcpreal.change", "tcpreal.window", options=options)
    equal([(number, int(level)) for number, level, *_ in said], raw, "levels")
    check(len(said) > 50, f"{len(said)} levels")
    before = int(said[0][1])
    for number, level, change, window in said:
        equal(int(change), int(level) - before, f"change in frame {number}")
        equal(int(window), 2 * int(level), f"window in frame {number}")
        before = int(level)
    check(any(int(change) > 0 for _, _, change, _ in said), "a level that rises")


@test("the dissector gives the levels of both forms, by the bytes that tshark shows without it, and what SYNs offer")
def _():
    HOME.run("sim", "-n", "512KiB", "--quiet", "--link", LINK, "-C", "real", "--rcc", "real", "--capture", "real.pcapng")
    path = point(HOME.path("real.pcapng"), "host-b")
    raw = fields(path, "tcp.options.experimental.exid == 0x5452 && tcp.flags.syn == 0 && ip.src == 10.0.0.2", "frame.number",
                 "tcp.options.experimental.data", kit=False)
    levels(path, [(number, int(data, 16)) for number, data in raw])
    offers = fields(path, "tcp.flags.syn == 1", "tcpreal.version", "tcpreal.shift", "tcpreal.obeys", "tcpreal.announces")
    equal(offers, [("1", "0", "1", "0"), ("1", "0", "0", "1")], "offers")
    HOME.run("sim", "-n", "256KiB", "--quiet", "--link", LINK, "-C", "real:opt=paper4", "--rcc", "real:opt=paper4", "--capture", "four.pcapng")
    path = point(HOME.path("four.pcapng"), "host-b")
    raw = fields(path, "tcp.flags.syn == 0 && ip.src == 10.0.0.2", "frame.number", "tcp.options", kit=False)
    levels(path, [(number, int(options.split("fd04")[1][:4], 16)) for number, options in raw])
    equal(fields(path, "tcpreal.level", "frame.number", options=("-o", "tcpreal.paper4:FALSE")), [], "levels without the preference")


@test("the option of another experiment stays as tshark has it, unless its identifier is said to be TCP-Real's")
def _():
    HOME.run("sim", "-n", "64KiB", "--quiet", "--link", LINK, "-C", "real:exid=4660", "--rcc", "real:exid=4660", "--capture", "other.pcapng")
    path = point(HOME.path("other.pcapng"), "host-b")
    alone = fields(path, "tcp.options.experimental.exid == 0x1234", "frame.number", "tcp.options.experimental.data", kit=False)
    check(len(alone) > 10, f"{len(alone)} options")
    equal(fields(path, "tcp.options.experimental.exid == 0x1234", "frame.number", "tcp.options.experimental.data"), alone, "with the kit")
    equal(fields(path, "tcpreal", "frame.number"), [], "TCP-Real's")
    known = fields(path, "tcpreal", "frame.number", options=("-o", "tcpreal.exid:4660"))
    equal(known, [(number,) for number, _ in alone], "by its identifier")


@test("each drop has its cause and its node as fields, which are those of the comment; the profile shows them in columns")
def _():
    path = point(HOME.path("real.pcapng"), "drops")
    said = fields(path, "frame", "frame.comment", "wavetank.drop.cause", "wavetank.drop.node")
    check(len({cause for _, cause, _ in said}) > 1, said)
    for comment, cause, node in said:
        equal(comment, f"dropped: {cause} at {node}", "comment")
    equal(len(fields(path, 'wavetank.drop.cause == "loss"', "frame.number")), sum(cause == "loss" for _, cause, _ in said), "drops by loss")
    shown = tshark("-C", "Wavetank", "-r", path).splitlines()
    for line, (_, cause, node) in zip(shown, said, strict=True):
        check(f" {cause} {node} " in line and " drops " in line, line)
    with open(os.path.join(KIT, FILES[2]), encoding="utf-8") as file:
        filters = [line.split("@")[2] for line in file if line.startswith("@")]
    tshark("-r", path, "-Y", " || ".join(f"({one})" for one in filters)) # a word that is wrong in one of them is an error


def packets(path):
    """Points, bytes and comments; and how many packets blocks say were left out: a reader of pcapng of a few lines."""
    with open(path, "rb") as file:
        data = file.read()
    got, lost, at = [], 0, 0
    while at + 8 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            kept = struct.unpack_from("<I", data, at + 20)[0]
            got.append(data[at + 28:at + 28 + kept])
            option = at + 28 + (kept + 3) // 4 * 4
            while option < at + length - 4:
                code, size = struct.unpack_from("<HH", data, option)
                if code == 4:
                    lost += struct.unpack_from("<Q", data, option + 4)[0]
                option += 4 + (size + 3) // 4 * 4
        at += length
    return got, lost


def ping(count, *more):
    HOME.run("lab", "exec", "wire:a", "ping", "-q", "-c", str(count), *more, "b", code=None)


@contextlib.contextmanager
def capturing(*words):
    """An `emu capture` that has begun: its file is there, with its head."""
    path = HOME.path(words[0] + ".pcapng")
    process = HOME.start("emu", "capture", "wire", *words, "-o", path)
    until(lambda: os.path.exists(path) and os.path.getsize(path), "the capture began")
    yield process, path
    process.send_signal(signal.SIGINT)
    equal(end(process)[0], 0, "exit code")


@test("a capture of a running lab has each frame that its own capture has from then on, and each drop with its comment")
def _():
    need_labs(HOME)
    with lab(HOME, "wire", "--link", "delay 2ms loss 20%", "--seed", "5", "--capture", HOME.path("own.pcapng")):
        ping(3, "-i", "0.01") # before anybody watches
        with capturing("a") as (_, at_a), capturing("drops") as (_, dropped), capturing("b", "-f", "arp") as (_, none):
            ping(40, "-i", "0.01", "-s", "777")
            HOME.run("emu", "capture", "wire", "c", "-o", HOME.path("c.pcapng"), code=2)
            check(not os.path.exists(HOME.path("c.pcapng")), "a point that is not there leaves no file")
            until(lambda: len(packets(at_a)[0]) > 60, "frames came")
    mine = [frame for frame in packets(HOME.path("own.pcapng"))[0] if len(frame) > 700]
    equal([frame for frame in packets(at_a)[0] if len(frame) > 700], mine, "frames at a")
    own = [frame for frame in packets(point(HOME.path("own.pcapng"), "drops"))[0] if len(frame) > 700]
    equal([frame for frame in packets(dropped)[0] if len(frame) > 700], own, "dropped frames")
    check(len(own) > 5, f"{len(own)} drops")
    equal([comment.split(" at ")[0] for comment, in fields(dropped, "frame.len > 700", "frame.comment")], ["dropped: loss"] * len(own), "comments")
    equal([frame for frame in packets(none)[0] if len(frame) > 700], [], "frames that the filter leaves out")


@test("a watcher who does not read holds up nothing, and is told how many packets it missed")
def _():
    need_labs(HOME)
    with lab(HOME, "wire", "--capture", HOME.path("flood.pcapng")):
        with socket.socket(socket.AF_UNIX) as watcher:
            watcher.connect(HOME.path("wavetank/labs/wire/emu.sock"))
            watcher.sendall(b"capture a\n")
            equal(watcher.recv(3), b"ok\n", "answer")
            ping(3000, "-f", "-s", "1400", "-l", "50")
            watcher.settimeout(2)
            with open(HOME.path("slow.pcapng"), "wb") as file, contextlib.suppress(TimeoutError):
                while piece := watcher.recv(1 << 20):
                    file.write(piece)
            ping(3) # the next one tells of them
            with open(HOME.path("slow.pcapng"), "ab") as file, contextlib.suppress(TimeoutError):
                while piece := watcher.recv(1 << 20):
                    file.write(piece)
    got, lost = packets(HOME.path("slow.pcapng"))
    check(lost > 0, "none was missed: this proves nothing")
    own = len(packets(HOME.path("flood.pcapng"))[0])
    # ARP goes on after the last look
    check(0 <= own - len(got) - lost <= 4, f"{own} passed, {len(got)} told, {lost} missed")


@test("Wireshark lists the points of a lab, and captures at them by name and filter")
def _():
    need_labs(HOME)
    check("wavetank" not in tshark("-D"), "no lab is up")
    with lab(HOME, "wire", "--link", "delay 2ms loss 20%"):
        listed = [line.split(" ", 1)[1] for line in tshark("-D").splitlines() if "wavetank" in line]
        equal(listed, ["wavetank-wire-a (Wavetank lab wire: a)", "wavetank-wire-b (Wavetank lab wire: b)",
                       "wavetank-wire-drops (Wavetank lab wire: drops, with their causes)"], "interfaces")
        check("EN10MB" in tshark("-i", "wavetank-wire-a", "-L"), "link types")
        pinging = HOME.start("lab", "exec", "wire:a", "ping", "-q", "-i", "0.02", "b")
        path = HOME.path("tshark.pcapng")
        tshark("-i", "wavetank-wire-a", "-i", "wavetank-wire-drops", "-f", "icmp", "-c", "60", "-w", path)
        pinging.send_signal(signal.SIGTERM)
        end(pinging)
        equal(fields(path, "!icmp", "frame.number"), [], "frames that the filter leaves out")
        drops = fields(path, "wavetank.drop.cause", "wavetank.drop.cause", "wavetank.drop.node")
        check(drops and all(cause == "loss" for cause, _ in drops), drops)
        check(len(fields(path, "!wavetank.drop.cause", "frame.number")) > 10, "frames at a")
    for words, said in ((["--capture"], "--fifo"), (["--extcap-dlts"], "--extcap-interface"), ([], "Wireshark calls"),
                        (["--capture", "--extcap-interface", "wavetank-wire-a", "--fifo", HOME.path("x")], "no running lab")):
        _, err = HOME.run("wireshark", "extcap", *words, code=2)
        check(said in err and err.count("\n") == 1, err)
    check(not os.path.exists(HOME.path("x")), "a file was left")


finish()
