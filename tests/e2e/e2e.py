# SPDX-License-Identifier: BSD-2-Clause
"""Helpers of the end-to-end tests: TAP output, one temporary state folder, labs that do not outlive their test.

The host may take processor and time from any process at any moment: what must have happened is waited for, limits of time are there
against hanging only.
"""
import atexit
import contextlib
import json
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
# A soak takes longer: WAVETANK_E2E_MIB=500 WAVETANK_E2E_LIMIT=600 tests/e2e/transfer.py PROGRAM
MIB = int(os.environ.get("WAVETANK_E2E_MIB", "5"))
LIMIT = int(os.environ.get("WAVETANK_E2E_LIMIT", "60"))

_count = 0
_failed = 0
# A test that is told to end must still take its labs down.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
# A shell starts what runs in the background with SIGINT ignored, and the programs under test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))  # nohup ignores this one
_scratch = tempfile.mkdtemp(prefix="wavetank-e2e-")
os.chmod(_scratch, 0o755)
atexit.register(shutil.rmtree, _scratch, True)


class Skip(Exception):
    pass


def check(truth, what):
    if not truth:
        raise AssertionError(what)


def equal(got, wanted, what):
    check(got == wanted, f"{what}: got {got!r}, wanted {wanted!r}")


def test(sentence):
    """Runs the function at once; its name in the report is the sentence it proves."""

    def run(function):
        global _count, _failed
        _count += 1
        try:
            function()
            print(f"ok {_count} - {sentence}", flush=True)
        except Skip as why:
            print(f"ok {_count} - {sentence} # SKIP {why}", flush=True)
        except (AssertionError, subprocess.SubprocessError, OSError, ValueError) as why:
            _failed += 1
            print(f"not ok {_count} - {sentence}", flush=True)
            for line in str(why).splitlines():
                print(f"# {line}", flush=True)
        return function

    return run


def finish():
    print(f"1..{_count}")
    sys.exit(1 if _failed else 0)


class Home:
    """A user the program runs as, with a state folder of its own; tun: /dev/net/tun opens for that user, as on a desktop."""

    def __init__(self, uid=None, tun=False):
        self.uid = uid
        self.tun = tun
        self.folder = tempfile.mkdtemp(dir=_scratch)
        if uid is not None:
            os.chown(self.folder, uid, uid)
        self.program = PROGRAM
        self.environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin", "XDG_RUNTIME_DIR": self.folder,
                            "HOME": self.folder, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        if uid is not None:
            self.program = os.path.join(_scratch, "wavetank")
            if not os.path.exists(self.program):
                shutil.copy(PROGRAM, self.program)
                os.chmod(self.program, 0o755)

    def _prefix(self):
        """A node of mode 0666 over the machine's own, seen by this process only."""
        if not self.tun:
            return []
        node = os.path.join(_scratch, "tun")
        if not os.path.exists(node):
            os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(10, 200))
            os.chmod(node, 0o666)
        return ["unshare", "-m", "sh", "-c", f'mount --bind {node} /dev/net/tun && exec setpriv --reuid={self.uid} '
                f'--regid={self.uid} --clear-groups "$@"', "sh"]

    def _who(self):
        return {} if self.uid is None or self.tun else {"user": self.uid, "group": self.uid, "extra_groups": []}

    def start(self, *words, **options):
        return subprocess.Popen([*self._prefix(), self.program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                stdin=subprocess.DEVNULL, cwd=self.folder, env=self.environment, start_new_session=True,
                                **self._who(), **options)

    def run(self, *words, code=0, limit=LIMIT):
        """Runs to the end; returns (stdout, stderr)."""
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"{' '.join(words)}: not done after {limit} s\n{out}{err}")
        if code is not None:
            equal(process.returncode, code, f"exit code of {' '.join(words)}\n{out}{err}")
        return out, err

    def path(self, name):
        return os.path.join(self.folder, name)

    def lab_state(self, name):
        with open(os.path.join(self.folder, "wavetank", "labs", name, "state.json"), encoding="utf-8") as file:
            state = json.load(file)
        return {**state, **{host["name"]: host["process"] for host in state["hosts"]}}


def running(pid):
    """Alive and not a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def members(keeper):
    """Every process in the keeper's pid namespace."""
    space = os.stat(f"/proc/{keeper}/ns/pid").st_ino
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{entry}/ns/pid").st_ino == space:
                    found.add(int(entry))
    return found


def users_of(inodes):
    """Processes that still live in one of these network namespaces."""
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit() and running(int(entry)):
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{entry}/ns/net").st_ino in inodes:
                    found.add(int(entry))
    return found


def until(condition, what, limit=30):
    end = time.monotonic() + limit
    while not condition():
        check(time.monotonic() < end, f"{what}: not within {limit} s")
        time.sleep(0.02)


@contextlib.contextmanager
def lab(home, name, *options):
    """A lab that is up; afterwards everything of it must be gone."""
    home.run("lab", "up", name, *options)
    state = home.lab_state(name)
    pids = members(state["keeper"][0])
    processes = [state["emulator"]] + [host["process"] for host in state["hosts"]]
    spaces = {os.stat(f"/proc/{process[0]}/ns/net").st_ino for process in processes}
    spaces.discard(os.stat("/proc/self/ns/net").st_ino)
    try:
        yield state
    finally:
        home.run("lab", "down", name, code=None)
        until(lambda: not any(map(running, pids)), "the lab's processes ended")
        until(lambda: not users_of(spaces), "the lab's namespaces ended")


def backends(home):
    """The wire backends that work here, as doctor says."""
    out, _ = home.run("doctor", "--json")
    findings = {finding["id"]: finding["ok"] for finding in json.loads(out)["findings"]}
    return [name for name in ("tap", "packet") if findings[name] and findings["namespaces"]]


def need_labs(home):
    known = backends(home)
    if not known:
        raise Skip("no namespaces here: wavetank doctor says why")
    return known


def record(out):
    """The last JSON line."""
    lines = [line for line in out.splitlines() if line.strip()]
    check(lines, "no JSON at all")
    return json.loads(lines[-1])


def point(path, name):
    """The file of a further point of a capture, or of its drops."""
    stem, ending = os.path.splitext(path)
    return f"{stem}-{name}{ending}"


def merged(path, *points):
    """One file of a capture's points and drops, for questions that go across them."""
    if not shutil.which("mergecap"):
        raise Skip("no mergecap")
    subprocess.run(["mergecap", "-w", point(path, "all"), path, *[point(path, name) for name in (*points, "drops")]],
                   capture_output=True, text=True, timeout=60, check=True)
    return point(path, "all")


def line_of(pipe, deadline):
    """The next line, or what there is of it at the deadline or the end; nothing behind it is read, which select() would not tell of."""
    line = b""
    while not line.endswith(b"\n") and select.select([pipe], [], [], max(0, deadline - time.monotonic()))[0]:
        byte = os.read(pipe.fileno(), 1)
        if not byte:
            break
        line += byte
    return line.decode(errors="replace")


def wait_for(process, text, limit=30):
    """Reads stderr until a line holds the text."""
    deadline = time.monotonic() + limit
    while line := line_of(process.stderr, deadline):
        if text in line:
            return
    raise AssertionError(f"never said '{text}'")


def iperf3(home, name, link, within, *options):
    """The rate at which the kernel of host b receives through a lab, its link being of so many bit/s. What the host takes away can make that
    less, or seem to be more for a moment: of four tries one has to lie within the bounds. Never more arrives than the link can carry."""
    seen = []
    for _ in range(4):
        server = home.start("lab", "exec", f"{name}:b", "iperf3", "-s", "-1")
        until(lambda: ":1451 " in home.run("lab", "exec", f"{name}:b", "cat", "/proc/net/tcp6", "/proc/net/tcp", code=None)[0], "iperf3 listens")
        began = time.monotonic()
        out, _ = home.run("lab", "exec", f"{name}:a", "iperf3", "-c", "b", "-J", *options)
        seconds = time.monotonic() - began
        equal(end(server)[0], 0, "exit code of iperf3 -s")
        got = json.loads(out)["end"]["sum_received"]
        check(got["bytes"] * 8 < link * seconds * 1448 / 1514, f"{got['bytes']} bytes in {seconds:.2f} s")
        seen.append(got["bits_per_second"])
        if within[0] < seen[-1] < within[1]:
            return
    raise AssertionError(f"{', '.join(f'{rate / 1e6:.2f}' for rate in seen)} Mbit/s of {link / 1e6:.0f}")


def end(process, limit=LIMIT):
    """Waits for the process; (code, stdout, stderr)."""
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"not done after {limit} s\n{out}{err}")
    return process.returncode, out, err
