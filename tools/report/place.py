# SPDX-License-Identifier: BSD-2-Clause
"""Files that a report writes: never where somebody else points, and none of them are left behind by an interrupt."""
import ctypes
import errno
import os
import shutil
import signal
import stat

MADE = [] # folders that this process made


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


def create(path, mode='w'):
    refuse(path)
    return open(path, mode, encoding=None if 'b' in mode else 'utf-8')


def folder(path):
    refuse(path)
    if not os.path.isdir(path):
        os.mkdir(path)
        MADE.append(path)


def worker():
    """Of a process that draws: its parent ends it, or the parent's death."""
    pr_set_pdeathsig = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


CALLED = [] # the signal that asked us to end


def interrupt(number, _):
    """Python ignores what is raised inside a finalizer or a hook of fork(): an alarm raises it again until caught() is called."""
    if number != signal.SIGALRM:
        CALLED.append(number)
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    raise KeyboardInterrupt(CALLED[0])


def caught():
    signal.setitimer(signal.ITIMER_REAL, 0)


def clean():
    for path in MADE:
        shutil.rmtree(path, ignore_errors=True)
