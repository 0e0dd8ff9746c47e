#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A bad sweep file is refused before the first run, by every verb: one line with file, line number and what was expected, exit code 2,
# and no results folder. (What each fault is called is tested in tests/unit/sweep/test_file.c and test_point.c.)
. "$(dirname "$0")/shell.sh"

# refused LINE WORD...: the file bad.ini, at that line, with a message that has the word
refused() {
	for verb in plan run resume status merge 'shard --shards 2'; do
		"$wavetank" sweep $verb bad.ini >out.txt 2>err.txt
		code=$?
		[ $code = 2 ] && [ "$(grep -c '' err.txt)" = 1 ] && grep -q "bad.ini:$1: .*$2" err.txt || {
			fail "sweep $verb: exit code $code: $(cat err.txt) (expected line $1, $2)"
			cat bad.ini
		}
		[ ! -e results ] && [ ! -s out.txt ] || fail "sweep $verb began"
	done
}

printf '[sweep]\nname = x\nrepeets = 3\n' >bad.ini
refused 3 "did you mean 'repeats'"
printf '[sweep]\nname = x\n\n[axes]\nloss = 1%% 500%%\n\n[run]\nlink = delay 1ms\n  loss {loss}\n' >bad.ini
refused 8 'loss=500%'
printf '[sweep]\nname = x\n[axes]\nsender = reno rno\n' >bad.ini
refused 4 rno
printf '[sweep]\nname = x\n[run]\nstack = kernel:cubic\n' >bad.ini
refused 4 'tap or packet'
printf '[sweep]\nname = x\n[run]\nsize = 5\n' >bad.ini
refused 4 ''

: >bad.ini # a line that is not there is the first
refused 1 'no name'
rm bad.ini
mkdir bad.ini
"$wavetank" sweep run bad.ini 2>err.txt
[ $? = 2 ] && grep -q 'bad.ini: Is a directory' err.txt || fail "a folder: $(cat err.txt)"
rmdir bad.ini
printf '[sweep]\nname = x\n\nmetric = speed\n' >bad.ini
refused 4 "'speed': expected one of goodput_kBps"

# Every kind of bad line: the text of the file, the line at fault, what is expected. The lines before are [sweep] and name = x.
while IFS='|' read -r text line word; do
	printf "[sweep]\nname = x\n$text\n" >bad.ini
	"$wavetank" sweep run bad.ini >out.txt 2>err.txt
	code=$?
	[ $code = 2 ] && [ "$(grep -c '' err.txt)" = 1 ] && grep -q "bad.ini:$line: .*$word" err.txt && [ ! -e results ] && [ ! -s out.txt ] || {
		fail "exit code $code: $(cat err.txt) (expected line $line, $word)"
		cat bad.ini
	}
done <<'END'
name = y|3|first on line 2
metric = success_percent|3|app = playback
repeats = 0|3|expected 1 to
repeats = 1.5|3|repeats: '1.5': expected 1 to 1000000
seed = -1|3|seed: '-1': expected 0 to
attempts = 1000|3|expected 1 to 100
late = 5|3|a time with its unit
backend = ether|3|expected sim, tap or packet
stop = 2%%|3|expected .rel SHARE max N.
repeats = 2\nstop = rel 5%% max 9|4|repeats of 3 or more
what|3|neither .section. nor name = value
[empty]|3|expected .sweep., .axes., .run. or .variant NAME.
[variant a b]|3|named by letters
[variant p]\nsnder = reno|4|did you mean .sender.
[variant p]\n[variant p]|4|first on line 3
[axes]\na = 1 2|4|changes nothing
[axes]\na =|4|expected a list
[axes]\nsize = 1KiB 1KiB|4|twice
[axes]\nsize = '1KiB|4|not closed
[axes]\na b = 1|4|expected letters
[axes]\nsettings.nosuch = 1 2|4|known: mss
[axes]\nsender.lmax = 1 2|4|no sender is given
[axes]\nloss = 1%%\n[run]\nlink = loss {los}|6|not an axis
[run]\nlink = delay 15|4|a time with its unit
[run]\nlink = delai 15ms|4|did you mean .delay.
[run]\nfwd = delay 1ms\nrev = loss 200%%|5|rev: 
[run]\nsize = 0B|4|more than 0B
[run]\ntime = soon|4|a time with its unit
[run]\nlimit = 0s|4|more than 0s
[run]\nmtu = 20B|4|expected 128B
[run]\nflows = 10001|4|expected 1 to 10000
[run]\nsender = nosuch|4|known: tahoe
[run]\nrecovery = nosuch|4|known: tahoe
[run]\nreceiver = nosuch|4|known: standard
[run]\npreset = nosuch|4|known: modern
[run]\nsettings = mss=x|4|a size with its unit
[run]\nstack = linux|4|expected user
[run]\napp = film|4|known: bulk
[run]\ntokens = gold|4|expected tokens
[run]\nsize = 1KiB\nsize = 2KiB|5|first on line 4
[under linux]|3|changes nothing: expected preset
[without x]\ntext = words alone|3|changes nothing: expected preset
[expected] foo|3|'foo': expected nothing after the ]
END

# A congestion control that this kernel has not: refused before the first run; a plan for another host only says so.
printf '[sweep]\nname = x\nbackend = tap\nrepeats = 1\n[axes]\nstack = user kernel:nosuch\n[run]\nlink = delay 1ms\n' >elsewhere.ini
"$wavetank" sweep run elsewhere.ini >out.txt 2>err.txt
[ $? = 2 ] && [ "$(grep -c '' err.txt)" = 1 ] && grep -q "elsewhere.ini:6: stack: .*'nosuch'; it has .*reno.*(at stack=kernel:nosuch)" err.txt &&
	[ ! -e results ] || fail "a run that this kernel cannot do: $(cat err.txt)"
"$wavetank" sweep plan elsewhere.ini >out.txt 2>err.txt
[ $? = 0 ] && [ "$(grep -c '' err.txt)" = 1 ] && grep -q "^note: elsewhere.ini:6: .*'nosuch'.*another host" err.txt &&
	grep -q '^runs:  2' out.txt || fail "the plan of a sweep for another host: $(cat err.txt)"
mkdir other && : >other/done.jsonl
"$wavetank" sweep status elsewhere.ini -o other >out.txt 2>err.txt
[ $? = 0 ] && [ ! -s err.txt ] || fail "the status of a sweep for another host: $(cat err.txt)"

"$wavetank" sweep run nothing.ini 2>err.txt
[ $? = 2 ] && grep -q 'nothing.ini: No such file' err.txt || fail "a missing file: $(cat err.txt)"
printf '[sweep]\nname = x\n' >good.ini
for words in '' 'good.ini other.ini' 'good.ini --shard 3/3' 'good.ini --shard 1' 'good.ini --jobs 0' 'good.ini --jobbs 1'; do
	"$wavetank" sweep run $words >/dev/null 2>err.txt
	[ $? = 2 ] && [ "$(grep -c '' err.txt)" = 1 ] || fail "sweep run $words: $(cat err.txt)"
done
"$wavetank" sweep resume good.ini >/dev/null 2>err.txt
[ $? = 2 ] && grep -q 'no results to resume' err.txt || fail "resume began anew"
exit $failed
