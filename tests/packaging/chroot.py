#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Debian packages in a bare Debian 12: built, installed, used, removed without a trace. Root, debootstrap, and a mirror that answers.

  chroot.py SOURCE      WT_DEBS=FOLDER takes packages that are built, WT_CHROOT=FOLDER a bare system (it is copied)
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(sys.argv[1])
MIRROR = "http://deb.debian.org/debian"


def run(*words, **more):
    result = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, **more)
    if result.returncode:
        raise AssertionError(f"{' '.join(words)}: exit code {result.returncode}\n{result.stdout[-4000:]}")
    return result.stdout


class Bare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="wt-chroot-")
        cls.addClassCleanup(shutil.rmtree, cls.top)
        cls.system = cls.top + "/system"
        if os.environ.get("WT_CHROOT"):
            run("cp", "-a", "--reflink=auto", os.environ["WT_CHROOT"], cls.system)
        else:
            run("debootstrap", "--variant=minbase", "bookworm", cls.system, MIRROR)
        shutil.copy("/etc/resolv.conf", cls.system + "/etc/resolv.conf")
        debs = os.environ.get("WT_DEBS")
        if not debs:
            debs = cls.top + "/debs"
            run(SOURCE + "/tools/package", debs)
        os.mkdir(cls.system + "/debs")
        for path in glob.glob(debs + "/*.deb"):
            if "dbgsym" not in path:
                shutil.copy(path, cls.system + "/debs")
        cls.inside("apt-get -qq update")
        # matplotlib is only recommended, and large
        cls.inside("apt-get -qq install -y --no-install-recommends man-db tshark gcc libc6-dev pkg-config")
        cls.before = cls.files()

    @classmethod
    def inside(cls, script):
        """In mount and PID namespaces of its own: what is mounted and started ends with it."""
        mounts = ('mount -t proc proc "$0/proc" && mount -t sysfs sys "$0/sys" && mount -t tmpfs dev "$0/dev" && mkdir "$0/dev/net" "$0/dev/pts" && '
                  'mknod -m 666 "$0/dev/net/tun" c 10 200 && for i in null:3 zero:5 random:8 urandom:9; do '
                  'mknod -m 666 "$0/dev/${i%:*}" c 1 "${i#*:}"; done && ln -s /proc/self/fd "$0/dev/fd" && '
                  'mount -t devpts -o newinstance,ptmxmode=666 pts "$0/dev/pts" && exec chroot "$0" sh -ec "$1"')
        return run("unshare", "-mpf", "--kill-child", "sh", "-c", mounts, cls.system, script,
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "HOME": "/root"})

    @classmethod
    def files(cls):
        """All that is there, but for what apt and caches write."""
        found = set()
        for top, folders, names in os.walk(cls.system):
            here = top[len(cls.system):] or "/"
            folders[:] = [folder for folder in folders if os.path.join(here, folder) not in
                          ("/proc", "/sys", "/dev", "/run", "/tmp", "/var/cache", "/var/log", "/var/lib/dpkg", "/var/lib/apt", "/debs", "/root")]
            found.update(os.path.join(here, name) for name in names + folders)
        return found

    def test_it_installs_works_and_leaves_nothing(self):
        packages = ["wavetank", "libwavetank0", "libwavetank-dev", "python3-wavetank"]
        self.inside("apt-get -qq install -y --no-install-recommends /debs/*.deb")
        depended = self.inside("dpkg-query -W -f '${Package}\\n'").split()
        self.assertLessEqual(set(packages), set(depended))

        # manual pages open, all that are there
        for page in glob.glob(self.system + "/usr/share/man/man*/wavetank*"):
            name, section = os.path.basename(page).split(".gz")[0].rsplit(".", 1)
            with self.subTest(page=name):
                self.assertIn("NAME", self.inside(f"man {section} {name} | cat"))
        # doctor is green
        text = self.inside("wavetank doctor")
        self.assertNotIn("missing", text)
        # virtual and real time
        self.assertIn("complete", self.inside("wavetank sim --link 'rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%' -n 1MiB -C real --rcc real"))
        text = self.inside("wavetank lab up x --late 1h --steal 100% --link 'rate 10Mbit burst 20KB limit 64KB delay 5ms' && "
                           "{ wavetank lab exec x:b wavetank recv -1 >/tmp/recv 2>&1 & sleep 1; wavetank lab exec x:a wavetank send -c b -n 1MiB; wait; "
                           "wavetank lab down x; cat /tmp/recv; }")
        self.assertIn("1048576 bytes", text.replace("1 MiB", "1048576 bytes").replace("1.0 MiB", "1048576 bytes"))
        self.inside("wavetank paper run tcp-real-2001/table1 --repeats 1 -o /tmp/table1")
        # the library and the Python module
        text = self.inside("cd /tmp && cc -Wall -Wextra -pedantic /usr/share/doc/libwavetank-dev/examples/lossy.c "
                           "$(pkg-config --cflags --libs wavetank) -o lossy && ./lossy")
        self.assertIn("1000000 bytes, 0 wrong", text)
        self.inside("cd /tmp && wavetank sweep run /usr/share/wavetank/sweeps/loss.ini -o loss >/dev/null && "
                    "python3 /usr/share/doc/python3-wavetank/examples/loss.py loss")
        # completions are where bash looks
        self.inside("bash -c '. /usr/share/bash-completion/completions/wavetank && complete -p wavetank'")
        # and it goes
        self.inside("apt-get -qq purge -y " + " ".join(packages))
        new = set(self.inside("dpkg-query -W -f '${Package}\\n'").split())
        self.assertFalse(set(packages) & new)
        left = {path for path in self.files() - self.before if "wavetank" in path.lower()}
        self.assertEqual(left, set())


unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
