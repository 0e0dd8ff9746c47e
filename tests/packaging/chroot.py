#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Debian packages in a bare Debian 12: built there by the steps of the container file, installed, tried by autopkgtest's scripts,
removed without a trace; the container; and tools/try from a clone. Root, debootstrap or mmdebstrap, and a mirror that answers.

  chroot.py SOURCE [Bare.test_...]    WT_DEBS=FOLDER takes packages that are built, WT_CHROOT=FOLDER a bare system (it is copied)
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


def steps(stage):
    """The RUN lines of a stage of the container file."""
    with open(SOURCE + "/tools/packaging/Containerfile", encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    return [line[4:] for line in text.split("FROM ")[stage].splitlines() if line.startswith("RUN ")]


class Bare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="wt-chroot-")
        cls.addClassCleanup(shutil.rmtree, cls.top)
        cls.bare = os.environ.get("WT_CHROOT")
        if not cls.bare:
            cls.bare = cls.top + "/bare"
            tool = shutil.which("debootstrap") or shutil.which("mmdebstrap")
            run(tool, "--variant=minbase", "bookworm", cls.bare, MIRROR)
        cls.debs = os.environ.get("WT_DEBS")
        if not cls.debs:
            build = cls.system("build")
            run("git", "clone", "-q", "--depth", "1", "file://" + SOURCE, build + "/src") # what is committed
            for step in steps(1):
                cls.inside(build, step)
            cls.debs = build + "/packages"

    @classmethod
    def system(cls, name):
        """A copy of the bare system."""
        path = cls.top + "/" + name
        run("cp", "-a", "--reflink=auto", cls.bare, path)
        shutil.copy("/etc/resolv.conf", path + "/etc/resolv.conf")
        return path

    @classmethod
    def packages(cls, system, folder):
        os.mkdir(system + folder)
        for path in glob.glob(cls.debs + "/*.deb"):
            if "dbgsym" not in path:
                shutil.copy(path, system + folder)

    @classmethod
    def inside(cls, system, script):
        """In mount and PID namespaces of its own: what is mounted and started ends with it. There is no /dev/shm, as in a chroot without mounts."""
        mounts = ('mount -t proc proc "$0/proc" && mount -t sysfs sys "$0/sys" && mount -t tmpfs dev "$0/dev" && mkdir "$0/dev/net" "$0/dev/pts" && '
                  'mknod -m 666 "$0/dev/net/tun" c 10 200 && for i in null:3 zero:5 random:8 urandom:9; do '
                  'mknod -m 666 "$0/dev/${i%:*}" c 1 "${i#*:}"; done && ln -s /proc/self/fd "$0/dev/fd" && '
                  'mount -t devpts -o newinstance,ptmxmode=666 pts "$0/dev/pts" && exec chroot "$0" sh -ec "$1"')
        return run("unshare", "-mpf", "--kill-child", "sh", "-c", mounts, system, script,
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "HOME": "/root"})

    @classmethod
    def files(cls, system):
        """All that is there, but for what apt and caches write."""
        found = set()
        for top, folders, names in os.walk(system):
            here = top[len(system):] or "/"
            folders[:] = [folder for folder in folders if os.path.join(here, folder) not in
                          ("/proc", "/sys", "/dev", "/run", "/tmp", "/var/cache", "/var/log", "/var/lib/dpkg", "/var/lib/apt", "/debs", "/root")]
            found.update(os.path.join(here, name) for name in names + folders)
        return found

    def test_it_installs_works_and_leaves_nothing(self):
        packages = ["wavetank", "libwavetank0", "libwavetank-dev", "python3-wavetank"]
        system = self.system("installed")
        self.packages(system, "/debs")
        self.inside(system, "apt-get -qq update")
        # matplotlib is only recommended, and large
        self.inside(system, "apt-get -qq install -y --no-install-recommends man-db tshark gcc g++ libc6-dev pkg-config")
        before = self.files(system)
        self.inside(system, "apt-get -qq install -y --no-install-recommends /debs/*.deb")
        depended = self.inside(system, "dpkg-query -W -f '${Package}\\n'").split()
        self.assertLessEqual(set(packages), set(depended))
        self.assertNotIn("missing", self.inside(system, "wavetank doctor")) # doctor is green
        # the tests that autopkgtest runs, as it runs them: each in a folder of its own
        tests = SOURCE + "/tools/packaging/debian/tests"
        shutil.copytree(tests, system + "/debs/tests")
        with open(tests + "/control", encoding="utf-8") as file:
            names = [name for line in file if line.startswith("Tests:") for name in line.split()[1:]]
        self.assertEqual(sorted(names), sorted(set(os.listdir(tests)) - {"control"}))
        for name in names:
            with self.subTest(autopkgtest=name):
                self.inside(system, "/debs/tests/" + name)
        # completions are where bash looks
        self.inside(system, "bash -c '. /usr/share/bash-completion/completions/wavetank && complete -p wavetank'")
        # and it goes
        self.inside(system, "apt-get -qq purge -y " + " ".join(packages))
        new = set(self.inside(system, "dpkg-query -W -f '${Package}\\n'").split())
        self.assertFalse(set(packages) & new)
        left = {path for path in self.files(system) - before if "wavetank" in path.lower()}
        self.assertEqual(left, set())

    def test_the_container_file_makes_a_system_that_runs_it(self):
        system = self.system("container")
        self.packages(system, "/packages")
        for step in steps(2):
            self.inside(system, step)
        self.assertIn("virtual time", self.inside(system, "wavetank help"))
        self.assertIn("complete", self.inside(system, "wavetank sim --link 'rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%'"))

    def test_tools_try_works_as_the_readme_writes_it(self):
        system = self.system("try")
        run("git", "clone", "-q", "--depth", "1", "file://" + SOURCE, system + "/src")
        text = self.inside(system, "cd /src && tools/try")
        self.assertIn("report.html", text)


unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
