#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A file of the emulator in virtual time: equal runs write equal logs, changes come at their nanosecond, another seed is another run.
set -e
wavetank=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# A file whose ports these are, of which standard input is the rest.
between() {
	printf '[port a]\ninterface = tap:wt0@left\n[port b]\ninterface = tap:wt0@right\n'
	cat
}

between >path.conf <<END
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

# A change of the whole chain: the queue's kind, a loss that comes, what waits is flushed, at its nanosecond, in every run the same.
between >changes.conf <<END
[link]
both = rate 1Mbit burst 0B limit 64KB delay 15ms
[at 500ms]
fwd = rate 1Mbit burst 0B limit 64KB queue fq_codel loss 1% delay 15ms
[at 1s]
both = rate 2Mbit burst 0B limit 64KB queue codel loss 1% | duplicate 1% delay 5ms
queue = flush
[at 2s]
both = delay 30ms
END
"$wavetank" sim -f changes.conf --log one --seed 4 -n 1MB --quiet --check >/dev/null
"$wavetank" sim -f changes.conf --log two --seed 4 -n 1MB --quiet --check >/dev/null
cmp one two || { echo "equal runs that change their stages differ"; exit 1; }
grep '"cause":"flush"' one >flushed || { echo "nothing was flushed"; exit 1; }
if grep -v '"time_ns":1000000000,.*"node":"fwd.rate"' flushed; then echo "flushed at another time or place"; exit 1; fi
[ "$(grep -c '"event":"emulation:path_changed"' one)" = 3 ] || { echo "not three changes"; exit 1; }
grep -q '"time_ns":1000000000,.*path_changed.*"queue":"flush"' one || { echo "the change does not say it flushed"; exit 1; }

# What is changed at 0 holds before anything is sent: the first segment meets it.
between >first.conf <<END
[link]
both = delay 20ms
[at 0s]
both = outage at 0s for 100ms delay 15ms
END
"$wavetank" sim -f first.conf --log one -n 1KB --quiet >/dev/null
grep -q '"event":"emulation:packet_dropped","data":{"node":"fwd.outage"' one || { echo "the first segment passed before the change"; exit 1; }

# Words of the command line are what a direction begins with, whatever the file says of 0; its later changes still come.
for start in "[at 0s]
fwd = delay 5ms
rev = delay 6ms" "[schedule]
fwd = delay \$d
rev = delay \$e
columns = d e
0s = 5ms 6ms"; do
	between >begin.conf <<END
[link]
both = delay 4ms
$start
[at 200ms]
both = rate 1Mbit burst 0B limit 64KB delay 7ms
END
	"$wavetank" sim -f begin.conf -n 100KB --fwd 'delay 77ms' --log one --json >record
	grep -q '"fwd":"delay 77ms","rev":"delay 6ms"' record || { echo "--fwd is not what it begins with: $(cat record)"; exit 1; }
	grep -q '"time_ns":0,.*path_changed.*"fwd":"delay 77ms","rev":"delay 6ms"' one || { echo "--fwd has an end: $(cat one)"; exit 1; }
	grep -q '"time_ns":200000000,.*path_changed.*"fwd":"rate 1Mbit burst 0B limit 64KB delay 7ms"' one || { echo "no later change: $(cat one)"; exit 1; }
	"$wavetank" sim -f begin.conf -n 10KB --link 'delay 77ms' --json | grep -q '"fwd":"delay 77ms","rev":"delay 77ms"' || { echo "--link is not what it begins with"; exit 1; }
	if "$wavetank" sim -f begin.conf -n 10KB --rev 'delai 1ms' 2>said; then echo "bad words pass"; exit 1; fi
	[ "$(cat said)" = 'wavetank sim: rev: word 1 "delai": not known here; did you mean "delay"?' ] || { echo "bad words are told as: $(cat said)"; exit 1; }
done

# A change that these words leave no room for is told before anything runs.
between >begin.conf <<END
[link]
both = handoff every 1s for 1ms delay 5ms
[at 200ms]
fwd = handoff every 1s for 1ms delay 6ms
END
if "$wavetank" sim -f begin.conf -n 10KB --link 'delay 5ms' >record 2>said; then echo "a change that cannot be made is passed over"; exit 1; fi
grep -q '^wavetank sim: begin.conf:8: .*must stand in fwd and rev' said || { echo "it is told as: $(cat said)"; exit 1; }

# A path over time as a table: each row from its time on, in virtual time and as the daemon would.
between >table.conf <<END
[link]
[schedule]
# a comment, and another that the words go on behind
both = rate \$rate burst 0B limit 64KB hops \$hops
  # with blanks before it
; and the other kind
  outage at 0s for 1h drop \$outage delay \$delay
columns = hops delay rate outage
0s = 3 15ms 10Mbit 0%
300ms = 7 40ms 2Mbit 0%
400ms = 7 40ms 2Mbit 100%
500ms = 63 15ms 10Mbit 0%
2s = 64 15ms 10Mbit 0%
END
"$wavetank" emu run -n -f table.conf | grep -q "^at 300ms  main.fwd  rate 2Mbit burst 0B limit 64KB hops 7 outage at 0s for 1h drop 0% delay 40ms" || { echo "no row"; exit 1; }
first="hops 3 rate 10Mbit burst 0B limit 64KB outage at 0 for 1h drop 0% delay 15ms"
"$wavetank" emu run -n -f table.conf >check
[ "$(grep -c -e "^fwd  $first" -e "^rev  $first" check)" = 2 ] && ! grep -q '^at 0 ' check || { echo "the first row is not what it begins with: $(cat check)"; exit 1; }
"$wavetank" sim -f table.conf --log one --seed 4 -n 20MB --limit 5s --check --quiet >record 2>&1 || true
grep -q "^  fwd  $first" record && grep -q "^       at the end hops 64 rate 10Mbit " record || { echo "words of a record: $(cat record)"; exit 1; }
"$wavetank" sim -f table.conf -n 1KB --json | grep -q "\"fwd\":\"$first[^_]*\"a\":" || { echo "words that did not change have an end"; exit 1; }
grep -q '"time_ns":4[0-9]*,.*"cause":"outage"' one || { echo "no outage from 400 ms on"; exit 1; }
if grep '"cause":"outage"' one | grep -qv '"time_ns":4........,'; then echo "an outage at another time"; exit 1; fi
grep '"cause":"ttl"' one | head -1 | grep -q '"time_ns":2' || { echo "64 routers let a TTL of 64 pass"; exit 1; }
if grep '"cause":"ttl"' one | grep -q '"time_ns":1'; then echo "63 routers end a TTL of 64"; exit 1; fi
