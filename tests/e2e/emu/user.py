# SPDX-License-Identifier: BSD-2-Clause
"""Whose the emulator is: an ordinary user with TAPs made for him, and root where others may write."""
import socket
import stat

from lab import *

USER, OTHER = 4001, 4002


class Place:
    """A folder that a user may reach, with the program and a /dev/net/tun that is open to all, as on a desktop."""

    def __init__(self, side, uid):
        self.side, self.uid, self.folder = side, uid, scratch()
        os.chmod(self.folder, 0o755)
        self.home = self.folder + "/home"
        os.mkdir(self.home, 0o700)
        os.chown(self.home, uid, uid)
        self.program = self.folder + "/wavetank"
        shutil.copy(WAVETANK, self.program)
        os.chmod(self.program, 0o755)
        os.mknod(self.folder + "/tun", 0o666 | stat.S_IFCHR, os.makedev(10, 200))
        os.chmod(self.folder + "/tun", 0o666)

    def command(self, *words, runtime=True):
        script = f'mount --bind {self.folder}/tun /dev/net/tun && exec setpriv --reuid={self.uid} --regid={self.uid} --clear-groups "$@"'
        return self.side.inside("unshare", "-m", "sh", "-c", script, "sh", "env", "-i", "PATH=" + os.environ["PATH"],
                                "ASAN_OPTIONS=detect_leaks=0", f"XDG_RUNTIME_DIR={self.home if runtime else ''}", self.program, "emu", *words)

    def fails(self, code, sentence, *words, **options):
        done = run(self.command(*words, **options))
        check(done.returncode == code and sentence in done.stderr and len(done.stderr.splitlines()) == 1, words, done.returncode, done.stderr)


def taps(side, uid):
    for name in ("left", "right"):
        side.must("ip", "tuntap", "add", name, "mode", "tap", "user", str(uid))
        side.must("ip", "link", "set", name, "up")
    return ["--port", "tap:left", "--port", "tap:right"]


def an_ordinary_user_emulates_between_taps_made_for_him_and_only_he_may_ask(a, b):
    place, other = Place(a, USER), Place(a, OTHER)
    ports = taps(a, USER)
    process = start(place.command("run", "--json", "--seccomp", "--control", "auto", "--link", "delay 1ms", *ports), stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    check(line, "it does not start:", process.stderr.read() if not line else "")
    path = json.loads(line)["control"]
    facts = os.stat(path), os.stat(os.path.dirname(path))
    check([(stat.S_IMODE(fact.st_mode), fact.st_uid) for fact in facts] == [(0o600, USER), (0o700, USER)], facts)
    check(answer(a.python(PASS)) == list(range(10)), "frames are missing")
    done = run(place.command("show", "--json"))
    check(done.returncode == 0 and json.loads(done.stdout)["fwd"]["delivered"] >= 10, done)
    os.chmod(place.home, 0o755)
    os.chmod(os.path.dirname(path), 0o755)
    other.fails(3, "Permission denied", "show", "--control", path)
    other.fails(3, "Permission denied", "set", "--control", path, "fwd", "delay 1s")
    other.fails(3, "Permission denied", "events", "--control", path)
    process.terminate()
    out, err = process.communicate(timeout=10)
    record = json.loads(out.splitlines()[-1])
    check(process.returncode == 0 and record["audit_holds"] and not os.path.exists(path), process.returncode, err, record)
    check({"left", "right"} <= a.interfaces(), "the TAPs made for him are gone")


def what_a_user_may_not_do_is_one_line_with_what_would_help(a, b):
    place, other = Place(a, USER), Place(a, OTHER)
    ports = taps(a, USER)
    other.fails(3, "left is not this user's (ip tuntap add left mode tap user NAME", "run", *ports)
    place.fails(3, "not permitted in this network namespace", "run", "--port", "tap:new", "--port", "tap:right")
    place.fails(3, "packet", "run", "--port", "packet:left", "--port", "tap:right")
    place.fails(3, "real-time priority", "run", "--realtime", *ports)
    place.fails(3, "control socket", "run", "--control", "auto", *ports, runtime=False)
    a.must("ip", "link", "set", "right", "down")
    place.fails(3, "right is down, and this user may not set it up (ip link set right up", "run", *ports)


def where_others_may_write_no_link_or_file_of_theirs_is_written_to(a, b):
    shared, precious = scratch() + "/shared", scratch() + "/precious"
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    with open(precious, "w", encoding="ascii") as file:
        file.write("three years of work\n")
    ports = ["--port", f"tap:wt0@{a.holder.pid}", "--port", f"tap:wt0@{b.holder.pid}"]

    def planted(target):
        os.symlink(target, shared + "/name")
        os.chown(shared + "/name", USER, USER, follow_symlinks=False)

    def refused(*words):
        done = run([WAVETANK, "emu", "run", "-t", "100ms", *ports, *words])
        check(done.returncode == 3 and len(done.stderr.splitlines()) == 1, words, done)
        check(os.path.islink(shared + "/name"), "the link is gone")
        os.unlink(shared + "/name")
        check(open(precious, encoding="ascii").read() == "three years of work\n", "what the link names was written to")
        check(a.interfaces() == b.interfaces() == {"lo"}, "left behind")

    for target in (precious, precious + ".new", "/nowhere/x"):
        planted(target)
        refused("--control", shared + "/name")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(precious + ".sock")
    planted(precious + ".sock")
    refused("--control", shared + "/name")
    check(os.path.exists(precious + ".sock"), "what the link names was removed")
    for option in ("--log", "--capture"):
        for target in (precious, precious + ".new"):
            planted(target)
            refused(option, shared + "/name")
            check(not os.path.exists(precious + ".new"), "what the link names was made")
        with open(shared + "/theirs", "w", encoding="ascii") as file:
            file.write("a trap\n")
        os.chown(shared + "/theirs", USER, USER)
        done = run([WAVETANK, "emu", "run", "-t", "100ms", *ports, option, shared + "/theirs"])
        check(done.returncode == 3 and os.path.getsize(shared + "/theirs") == 7, "a file of another is written to", done)
        os.unlink(shared + "/theirs")
    os.symlink(precious + ".log", shared + "/mine")  # a link of one's own is followed
    done = run([WAVETANK, "emu", "run", "-t", "100ms", *ports, "--log", shared + "/mine"])
    check(done.returncode == 0 and os.path.exists(precious + ".log"), done)


main(an_ordinary_user_emulates_between_taps_made_for_him_and_only_he_may_ask, what_a_user_may_not_do_is_one_line_with_what_would_help,
     where_others_may_write_no_link_or_file_of_theirs_is_written_to)
