# SPDX-License-Identifier: BSD-2-Clause
"""wavetank report that is ended by a signal or by a full disk leaves all or nothing."""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from e2e import Home, Skip, check, end, equal, finish, test, until  # noqa: E402

home = Home()
home.run("paper", "run", "tcp-real-2001/table1", "--repeats", "3", "--points", "0,0.1", "-o", "sweep")
home.run("sim", "-n", "300KB", "--seed", "3", "--link", "rate 2Mbit burst 0B limit 128KB delay 15ms loss 3%", "--trace", "run.jsonl", "--quiet")


def gone(name):
    check(not os.path.exists(home.path(name + ".html")) and not os.path.exists(home.path(name + "-figures")),
          f"something is left: {[entry for entry in os.listdir(home.folder) if name in entry]}")
    equal([entry for entry in os.listdir(home.folder) if entry.endswith(".part")], [], "halves of files")


@test("^C, SIGTERM and SIGHUP end report build within moments: exit code 128 + signal, no page, no folder, no process")
def _():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = home.start("report", "build", "sweep", "run.jsonl", "-o", "stopped.html")
        until(lambda: os.path.isdir(home.path("stopped-figures")), "it begins to draw")
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            script = int(file.read().split()[0])
        process.send_signal(number)
        process.send_signal(number) # whoever presses the key twice does not stop the cleaning
        code, _, err = end(process)
        equal(code, 128 + number, f"exit code: {err}")
        check("Traceback" not in err, err)
        gone("stopped")
        check(not os.path.exists(f"/proc/{script}"), "the script lives on")


@test("a signal at any moment leaves all or nothing: from the first instant of the script until it ends")
def _():
    for tenths in range(16):
        process = home.start("report", "build", "run.jsonl", "-o", "moment.html")
        until(lambda: open(f"/proc/{process.pid}/task/{process.pid}/children").read() or process.poll() is not None, "the script begins")
        time.sleep(tenths / 10)
        os.killpg(process.pid, signal.SIGINT) # as a terminal does: to all of them
        code, out, err = end(process)
        check("Traceback" not in err, err)
        if code == 130:
            gone("moment")
        else:
            equal(code, 0, "exit code of a build that was done\n" + err)
            check("moment.html: " in out and os.path.exists(home.path("moment.html")), out)
            break


def placed(text):
    """What a script with tools/report/place.py in it does. (exit code, standard error)"""
    room = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tools/report")
    done = subprocess.run(["/usr/bin/python3", "-B", "-c", text], cwd=home.folder, env={**os.environ, "PYTHONPATH": room}, capture_output=True,
                          text=True, timeout=60, check=False)
    return done.returncode, done.stderr


@test("a signal in the very instant after a folder was made takes it away; so do signals while processes still write into it")
def _():
    code, err = placed("""
import os, signal
import place
make = os.mkdir
os.mkdir = lambda path: (make(path), os.kill(os.getpid(), signal.SIGTERM))
place.listen()
place.folder('instant-figures')
""")
    equal(code, 143, f"exit code\n{err}")
    gone("instant")
    code, err = placed("""
import concurrent.futures, multiprocessing, os, signal, time
import place

def write(at):
    for number in range(1 << 30):
        with place.create('busy-figures/%d-%d' % (at, number)) as file:
            file.write('x')

place.listen()
place.folder('busy-figures')
with place.held():
    pool = concurrent.futures.ProcessPoolExecutor(4, multiprocessing.get_context('fork'), place.worker, (os.getpid(),))
    asked = [pool.submit(write, at) for at in range(4)]
while len(os.listdir('busy-figures')) < 100:
    time.sleep(0.01)
if not os.fork(): # the parent's signals come from outside
    for _ in range(20):
        os.kill(os.getppid(), signal.SIGINT)
    os._exit(0)
asked[0].result()
""")
    equal(code, 130, f"exit code\n{err}")
    gone("busy")


@test("on a full disk the page that was there stays, nothing else is left, and one line names the file")
def _():
    if os.geteuid():
        raise Skip("a small disk needs root")
    disk = home.path("disk")
    os.makedirs(disk, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160k", "none", disk], check=False).returncode:
        raise Skip("no tmpfs here")
    try:
        with open(disk + "/page.html", "w") as file:
            file.write("old")
        for words, name in (((), "page-figures/"), (("--no-figures",), "page.html")):
            with open(disk + "/filled", "wb") as file:
                file.write(bytes(100_000))
            _, err = home.run("report", "build", "sweep", "run.jsonl", *words, "-o", "disk/page.html", code=3)
            check(len(err.splitlines()) == 1 and "disk/" + name in err and "No space left" in err, err)
            equal(sorted(os.listdir(disk)), ["filled", "page.html"], "files")
            equal(open(disk + "/page.html").read(), "old", "the page that was there")
    finally:
        subprocess.run(["umount", disk], check=False)


finish()
