# SPDX-License-Identifier: BSD-2-Clause
"""A machine of its own, booted by the real systemd: namespaces of every kind but users, a root that is an overlay over this one,
/dev, /proc, /run and a tree of cgroups of its own. Nothing it writes is kept, and none of this machine's services runs in it.
"""
from lab import *

SYSTEMD = "/lib/systemd/systemd"
# Beside the units under test: the journal, and targets that units are ordered after by default.
JOURNAL = ["systemd-journald.service", "systemd-journald.socket", "systemd-journald-dev-log.socket"]
TARGETS = ["basic", "local-fs", "local-fs-pre", "multi-user", "network", "shutdown", "sockets", "swap", "sysinit", "umount"]

# Holds the cgroup, which outlives its processes, and removes it at the end; those of tests that were killed, too.
OUTER = """
mount -t tmpfs -o mode=755,size=512m none "$PLACE"
mkdir "$PLACE/cgroup" "$PLACE/upper" "$PLACE/work" "$PLACE/root"
mount -t cgroup2 none "$PLACE/cgroup"
remove() {
	find "$1" -depth -type d -exec rmdir {} + 2>/dev/null
}
for old in "$PLACE"/cgroup/wavetank-e2e-*; do remove "$old" || true; done
own=$PLACE/cgroup/wavetank-e2e-$$
mkdir "$own"
echo $$ >"$own/cgroup.procs"
setpriv --pdeathsig KILL unshare --pid --fork --kill-child --net --uts --ipc --cgroup --mount sh -ec "$INNER" || true
echo $$ >"$PLACE/cgroup/cgroup.procs"
for i in $(seq 100); do
	if remove "$own"; then exit 0; fi
	sleep 0.1
done
exit 1
"""

# What systemd asks of those who boot it in a container. Its sysfs may be written, as a machine's, but not where it is mounted. Clock, modules, and sysctls but those of the network are not its to change.
INNER = """
root=$PLACE/root
mount -t overlay -o "lowerdir=/,upperdir=$PLACE/upper,workdir=$PLACE/work" none "$root"
mount -t proc -o nosuid,nodev,noexec none "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount --bind "$root/proc/sys/net" "$root/proc/sys/net"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o nosuid,nodev,noexec none "$root/sys"
mount -o remount,bind,ro,nosuid,nodev,noexec "$root/sys"
mount -t cgroup2 none "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 none "$root/run"
mount -t tmpfs -o mode=755 none "$root/dev"
mkdir "$root/dev/net" "$root/dev/shm" "$root/dev/pts"
for node in null:3 zero:5 full:7 random:8 urandom:9 console:3 kmsg:3 forbidden:11; do
	mknod -m 666 "$root/dev/${node%:*}" c 1 "${node#*:}"
done
mknod -m 666 "$root/dev/tty" c 5 0
mknod -m 666 "$root/dev/net/tun" c 10 200
[ ! -c /dev/cpu_dma_latency ] || cp -a /dev/cpu_dma_latency "$root/dev/"
ln -s /proc/self/fd "$root/dev/fd"
ln -s pts/ptmx "$root/dev/ptmx"
rm -rf "$root"/etc/systemd "$root"/etc/wavetank "$root"/usr/lib/systemd/system*-generators "$root"/lib/systemd/system*-generators
mkdir -p "$root/etc/wavetank" "$root/etc/systemd" "$root/outside" "$root$(dirname "$PROGRAM")"
printf '[Journal]\\nStorage=volatile\\nRuntimeMaxUse=16M\\nRateLimitIntervalSec=0\\nReadKMsg=no\\n' >"$root/etc/systemd/journald.conf"
cp -r "$UNITS" "$root/run/units"
cp "$WAVETANK" "$root$PROGRAM"
cd "$root"
pivot_root . outside
umount -l /outside
exec env -i container=e2e PATH=/usr/sbin:/usr/bin:/sbin:/bin SYSTEMD_UNIT_PATH=/run/units setpriv --pdeathsig KILL \\
	--bounding-set -sys_time,-sys_module,-sys_rawio,-sys_boot "$SYSTEMD" --system --log-target=journal --show-status=0 --unit=e2e.target
"""


def child(process, name):
    """The child of that name; None: there is none yet."""
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            found = file.read().split()
        for one in found:
            with open(f"/proc/{one}/comm", encoding="ascii") as file:
                if file.read().strip() == name:
                    return int(one)
    except (FileNotFoundError, ProcessLookupError):
        pass
    return None


class Machine(Side):
    """Its network namespace is one like that of a Side: inside() and must() are there. do_all() runs a command in all of it."""

    def __init__(self, program, *units):
        if not os.path.exists(SYSTEMD):
            skip("no systemd (Debian package systemd)")
        folder, self.place = scratch(), scratch()
        for name in TARGETS:
            self._write(f"{folder}/{name}.target", f"[Unit]\nDescription={name}\nDefaultDependencies=no\n")
        self._write(folder + "/e2e.target", f"[Unit]\nDefaultDependencies=no\nWants={' '.join(JOURNAL)}\n")
        for unit in [*units, *("/lib/systemd/system/" + name for name in JOURNAL)]:
            shutil.copy(unit, folder)
        self.errors = scratch() + "/errors"
        environment = {**os.environ, "PLACE": self.place, "UNITS": folder, "WAVETANK": WAVETANK, "PROGRAM": program, "SYSTEMD": SYSTEMD,
                       "INNER": INNER}
        with open(self.errors, "wb") as errors:
            self.outer = start(["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "sh", "-ec", OUTER], env=environment,
                               stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True)
        middle = until(lambda: self._alive() and child(self.outer.pid, "unshare"), "no second namespace")
        self.pid = until(lambda: self._alive() and child(middle, "systemd"), "no first process")
        self.root = f"/proc/{self.pid}/root"
        until(lambda: self.do_all("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"), self.journal)

    @staticmethod
    def _write(path, text):
        with open(path, "w", encoding="ascii") as out:
            out.write(text)

    def _alive(self):
        if self.outer.poll() is not None:
            with open(self.errors, encoding="ascii", errors="replace") as errors:
                skip("systemd does not start here: " + errors.read().strip())
        return True

    def inside(self, *command):
        return ["nsenter", "-n", "-t", str(self.pid), *command]

    def joined(self, name, side):
        """A pair from here to wt0 of a side; its port."""
        self.must("ip", "link", "add", name, "type", "veth", "peer", "name", "wt0", "netns", str(side.holder.pid))
        return "packet:" + name

    def do_all(self, *command):
        return run(["nsenter", "-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w", "-t", str(self.pid), *command])

    def must_all(self, *command):
        done = self.do_all(*command)
        check(done.returncode == 0, " ".join(command), done.stdout, done.stderr, self.journal())
        return done.stdout

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
        self._write(self.root + path, text)

    def journal(self, *words):
        self.do_all("journalctl", "--sync")  # what was said before is in it
        return self.do_all("journalctl", "--no-pager", "-o", "cat", *words).stdout

    def drop_in(self, unit, *lines):
        """More for its [Service], in force at the next start."""
        self.write(f"/run/units/{unit}.service.d/e2e.conf", "[Service]\n" + "".join(line + "\n" for line in lines))
        self.must_all("systemctl", "daemon-reload")

    def show(self, unit, name):
        return self.must_all("systemctl", "show", unit, "-P", name).strip()

    def process(self, unit):
        """The main process of a unit as it is called out here."""
        group, own = self.show(unit, "ControlGroup"), self.show(unit, "MainPID")
        check(own != "0", unit, "does not run", self.journal())
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/status", encoding="ascii") as status, open(f"/proc/{entry}/cgroup", encoding="ascii") as groups:
                    if f"\nNSpid:\t{entry}\t{own}\n" in status.read() and group in groups.read():
                        return int(entry)
            except OSError:
                pass
        raise AssertionError(f"no process {own} of {unit}")

    def close(self):
        """The first process takes all others along; what the kernel keeps without processes is cgroups."""
        if self.outer.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        check(self.outer.wait(30) == 0, "its cgroups stay")

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()
