# SPDX-License-Identifier: BSD-2-Clause
"""Files that a report writes: never where somebody else points, each whole or not at all, and none of them left behind by an interrupt."""
import contextlib
import ctypes
import errno
import multiprocessing
import os
import shutil
import signal
import stat

MADE = [] # folders that this process made
USED = [] # folders in which workers write
PARTS = set() # files that are being written
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CALLED = [] # the signals that came
HELD = []
CONFIG = os.environ.get('MPLCONFIGDIR')


def planted(path):
    """
    In a sticky folder where everybody may write, as /tmp: a file, folder or symbolic link of somebody else is not written to. The rule is
    that of the C tools (stack/record/create.c).
    """
    try:
        there, where = os.lstat(path), os.stat(os.path.dirname(path) or '.')
    except FileNotFoundError:
        return False
    shared = where.st_mode & stat.S_IWOTH and where.st_mode & stat.S_ISVTX
    return bool(shared and there.st_uid not in (os.geteuid(), where.st_uid))


def refuse(path):
    if planted(path):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)


@contextlib.contextmanager
def create(path, mode='w'):
    """The file is PATH.part until it is whole. What is no regular file, such as /dev/stdout, is written to as it is."""
    refuse(path)
    whole = os.path.realpath(path)
    part = whole + '.part' if os.path.isfile(whole) or not os.path.exists(whole) else whole
    refuse(part)
    if part != whole:
        PARTS.add(part)
    try:
        with open(part, mode, encoding=None if 'b' in mode else 'utf-8') as file:
            yield file
        if part != whole:
            os.replace(part, whole)
    except OSError as why:
        discard(part)
        raise OSError(why.errno, why.strerror, path) from None
    PARTS.discard(part)


def folder(path):
    refuse(path)
    with held():
        if not os.path.isdir(path):
            os.mkdir(path)
            MADE.append(path)
        USED.append(path)


def discard(part):
    if part in PARTS:
        with contextlib.suppress(OSError):
            os.unlink(part)


# ---- the end by a signal ----

@contextlib.contextmanager
def held():
    """What must not be cut in two: a signal takes effect behind it."""
    HELD.append(True)
    try:
        yield
    finally:
        HELD.pop()
        if CALLED and not HELD:
            leave()


def listen():
    """wavetank starts us with these signals blocked, so that none comes before we know what to do. SIGHUP stays ignored below nohup."""
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, called)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def called(number, _):
    CALLED.append(number)
    if not HELD:
        leave()


def leave():
    """Not by an exception: Python ignores one in a finalizer or a hook of fork(), and a second one would cut the cleaning in two."""
    abandon()
    os._exit(128 + CALLED[0])


def worker(parent):
    """Of a process that draws: its parent ends it, or the parent's death."""
    pr_set_pdeathsig = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def deaf():
    """From here on a signal comes too late."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def abandon():
    """Ends the processes that draw, and only then takes away what they and we have written."""
    deaf()
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    for part in PARTS:
        discard(part)
    for path in USED:
        with contextlib.suppress(OSError):
            for name in os.listdir(path):
                if name.endswith('.part'):
                    os.unlink(os.path.join(path, name))
    for path in MADE:
        shutil.rmtree(path, ignore_errors=True)
    own = os.environ.get('MPLCONFIGDIR') # matplotlib's own, where there is no home to write to
    if own and own != CONFIG:
        shutil.rmtree(own, ignore_errors=True)


def keep():
    """All is written: nothing is taken away any more."""
    MADE.clear()
    USED.clear()
