# SPDX-License-Identifier: BSD-2-Clause
"""The unit file: systemd finds nothing wrong with it, and the commands in it are ones this program takes. Exit 77: skipped."""
import os
import shutil
import subprocess
import sys
import tempfile

WAVETANK = os.path.abspath(sys.argv[1])
UNIT = os.path.join(os.path.dirname(WAVETANK), "systemd", "wavetank-emu@.service")

if not shutil.which("systemd-analyze"):
    print("SKIP: no systemd-analyze (Debian package systemd)")
    sys.exit(77)

with open(UNIT, encoding="ascii") as file:
    lines = file.read().splitlines()
values = dict(line.split("=", 1) for line in reversed(lines) if "=" in line and not line.startswith("#")) # of two the first
installed = values["ExecStart"].split()[0]

with tempfile.TemporaryDirectory() as folder:
    # Not installed yet: the program of the build stands in for the one the unit names.
    unit = os.path.join(folder, "wavetank-emu@.service")
    with open(unit, "w", encoding="ascii") as file:
        file.write("\n".join(lines).replace(installed, WAVETANK) + "\n")
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "wavetank" not in done.stderr, done.stderr

    config = os.path.join(folder, "demo.conf")
    with open(config, "w", encoding="ascii") as file:
        file.write("[port a]\ninterface = tap:wt0@left\n[port b]\ninterface = tap:wt0@right\n[link]\nboth = delay 1ms\n")
    for key in ("ExecReload", "ExecStart"):
        words = values[key].replace(installed, WAVETANK).replace("/etc/wavetank/%i.conf", config).split()
        assert "%" not in " ".join(words).replace("/run/wavetank/%i.sock", ""), words
        if "-n" not in words:
            words.append("-n")
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and "delay 1ms" in done.stdout, (words, done.stderr)
    # One that breaks a rule must be refused, or this test says nothing.
    with open(unit, "a", encoding="ascii") as file:
        file.write("[Service]\nExecStart=/nowhere/wavetank emu run\nTypo\n")
    assert subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, timeout=60).returncode, "anything passes"
print("ok")
