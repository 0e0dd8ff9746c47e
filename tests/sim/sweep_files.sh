#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A bad sweep file is refused before the first run, by every verb: one line with file, line number and what was expected, exit code 2,
# and no results folder. (What each fault is called is tested in tests/unit/test_sweep_file.c and test_sweep_point.c.)
set -u
wavetank=$(realpath "$1") || exit 99
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0

# refused LINE WORD...: the file bad.ini, at that line, with a message that has the word
refused() {
	for verb in plan run resume status merge 'shard --shards 2'; do
		"$wavetank" sweep $verb bad.ini >out.txt 2>err.txt
		code=$?
		[ $code = 2 ] && [ "$(grep -c '' err.txt)" = 1 ] && grep -q "bad.ini:$1: .*$2" err.txt || {
			echo "FAILED: sweep $verb: exit code $code: $(cat err.txt) (expected line $1, $2)"
			cat bad.ini
			failed=1
		}
		[ ! -e results ] && [ ! -s out.txt ] || { echo "FAILED: sweep $verb began"; failed=1; }
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

"$wavetank" sweep run nothing.ini 2>err.txt
[ $? = 2 ] && grep -q 'nothing.ini: No such file' err.txt || { echo "FAILED: a missing file: $(cat err.txt)"; failed=1; }
printf '[sweep]\nname = x\n' >good.ini
for words in '' 'good.ini other.ini' 'good.ini --shard 3/3' 'good.ini --shard 1' 'good.ini --jobs 0' 'good.ini --jobbs 1'; do
	"$wavetank" sweep run $words >/dev/null 2>err.txt
	[ $? = 2 ] && [ "$(grep -c '' err.txt)" = 1 ] || { echo "FAILED: sweep run $words: $(cat err.txt)"; failed=1; }
done
"$wavetank" sweep resume good.ini >/dev/null 2>err.txt
[ $? = 2 ] && grep -q 'nothing to go on with' err.txt || { echo "FAILED: resume began anew"; failed=1; }
exit $failed
