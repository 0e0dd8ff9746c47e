#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A file of the emulator in virtual time: equal runs write equal logs, changes come at their nanosecond, another seed is another run.
set -e
wavetank=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >path.conf <<END
[port a]
interface = tap:wt0@left
[port b]
interface = tap:wt0@right
[link]
both = rate 10Mbit burst 0B limit 64KB loss gilbert on 500ms 20% off 1s 0% | only (tcp dst port 9000) { delay 1ms } | delay 15ms
[at 1s]
both = rate 2Mbit burst 0B limit 64KB loss gilbert on 500ms 20% off 1s 0% | only (tcp dst port 9000) { delay 2ms } | delay 40ms
note = handoff
END
"$wavetank" sim -f path.conf --log one --seed 4 -n 1MB --quiet --check >/dev/null
"$wavetank" sim -f path.conf --log two --seed 4 -n 1MB --quiet >/dev/null
"$wavetank" sim -f path.conf --log three --seed 5 -n 1MB --quiet >/dev/null
cmp one two || { echo "equal runs differ"; exit 1; }
if cmp -s one three; then echo "seeds do not matter"; exit 1; fi
grep -q '"time_ns":1000000000,"event":"emulation:path_changed".*"note":"handoff"' one || { echo "no change at 1 s"; exit 1; }
grep -q '"event":"emulation:state_entered","data":{"node":"fwd.gilbert","state":"on"' one || { echo "no states"; exit 1; }
grep -q '"event":"emulation:packet_dropped".*"state":"on","visit":' one || { echo "no drops with their state"; exit 1; }
