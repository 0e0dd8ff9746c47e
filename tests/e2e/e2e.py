# SPDX-License-Identifier: BSD-2-Clause
"""Helpers of the end-to-end tests: TAP output, one temporary state folder, labs that do not outlive their test."""
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
            return json.load(file)


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


def until(condition, what, limit=10):
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
    spaces = {os.stat(f"/proc/{state[who][0]}/ns/net").st_ino for who in ("a", "b", "emulator")}
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


def wait_for(process, text, limit=10):
    """Reads stderr until a line holds the text."""
    deadline = time.monotonic() + limit
    while select.select([process.stderr], [], [], max(0, deadline - time.monotonic()))[0]:
        line = process.stderr.readline()
        if text in line:
            return
        if not line and process.poll() is not None:
            break
    raise AssertionError(f"never said '{text}'")


def end(process, limit=LIMIT):
    """Waits for the process; (code, stdout, stderr)."""
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"not done after {limit} s\n{out}{err}")
    return process.returncode, out, err
