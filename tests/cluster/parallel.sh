#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Ten thousand runs in twenty parts by GNU parallel; parts are killed (-9) in between and started again by parallel; merged, the result is
# that of one machine, byte for byte.
set -u
command -v parallel >/dev/null || { echo "GNU parallel is not installed"; exit 77; }
. "$(dirname "$0")/big.sh"

"$wavetank" sweep shard big.ini --shards 20 --format parallel -o parts --at-once 4 >parts.sh || fail "sweep shard"
sh parts.sh --will-cite >out.txt 2>err.txt &
pid=$!
killed=" "
kills=0
while kill -0 $pid 2>/dev/null; do
	parts $pid >now.txt
	while read -r part shard; do
		case $killed in *" $shard "*) continue ;; esac
		[ $kills -lt 12 ] && [ -s "parts/done-${shard%/*}-of-20.jsonl" ] && kill -9 "$part" 2>/dev/null || continue
		killed="$killed$shard "
		kills=$((kills + 1))
	done <now.txt
	sleep 0.1
done
wait $pid || fail "exit code $? of the script: $(tail -3 err.txt)"
[ $kills -ge 5 ] || fail "only $kills parts were killed"
[ "$(ls parts/done-*-of-20.jsonl | grep -c '')" = 20 ] || fail "not one file of each part"
cmp alone/runs.jsonl parts/runs.jsonl || fail "parts and one machine differ"
echo "$kills parts killed: $killed"
exit $failed
