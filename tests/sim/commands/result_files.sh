#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same plan and seed write the same bytes: result files of a sweep and of published tables on one core, on two, by five workers, in
# shards put together. Their digests are left in the build folder, where tools/check compares those of all its builds:
# gcc and clang, sanitizers, -O3 and -O0.
unset MALLOC_PERTURB_ # set by meson test; filling memory would cost ten times what the runs do
digests=$(realpath "$2")/result-files.sha256 || exit 99
. "$(dirname "$0")/shell.sh"
one_core="taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')"

# run WORDS...: exit code 0, or 5: some of these runs do not come to their end, and that must be the same everywhere, too
run() {
	$prefix "$wavetank" "$@" >out.txt 2>err.txt
	code=$?
	[ $code = 0 ] || [ $code = 5 ] || fail "exit code $code: wavetank $* ($(cat err.txt))"
}

# A stop rule, draws of every kind, several flows, a player; some runs reach their limit.
cat >sweep.ini <<END
[sweep]
name = same
repeats = 3
stop = rel 20% max 5
[axes]
loss = 0% 3%
[run]
fwd = rate 2Mbit burst 3KB limit 64KB delay 15ms jitter normal 2ms loss {loss}
rev = delay 15ms loss gilbert on 1s 5% off 1s 0%
size = 60KB
limit = 8s
[variant reno]
sender = reno
[variant newreno]
sender = newreno
flows = 3
[variant tahoe-bsd]
sender = tahoe
preset = bsd90
[variant real]
sender = real
receiver = real
[variant player]
sender = reno
app = playback
size = 100KB
END

prefix=$one_core
run sweep run sweep.ini --jobs 1 -o one
prefix=
run sweep run sweep.ini --jobs 2 -o two
run sweep run sweep.ini --jobs 5 -o five
for i in 1 2 0; do
	run sweep run sweep.ini --shard $i/3 -o shards
done
run sweep merge sweep.ini -o shards
for how in two five shards; do
	cmp one/runs.jsonl $how/runs.jsonl || fail "a sweep on one core and by $how"
done
grep -q '"outcome":"ok"' one/runs.jsonl || fail "no run of the sweep is ok"

# Of very many flows the record has each.
cat >many.ini <<END
[sweep]
name = many
repeats = 1
[axes]
flows = 700
[run]
flows = {flows}
link = rate 100Mbit burst 0B limit 10MB delay 5ms
size = 2KB
END
run sweep run many.ini -o many
[ "$(grep -o '"outcome":"complete"' many/runs.jsonl | wc -l)" = 700 ] || fail "700 flows: $(tail -2 many/runs.jsonl | cut -c1-300)"

for table in table1 table4 figure10; do
	prefix=$one_core
	run paper run tcp-real-2001/$table --repeats 2 --jobs 1 -o paper-one-$table
	prefix=
	run paper run tcp-real-2001/$table --repeats 2 --jobs 2 -o paper-two-$table
	diff -r -x facts.jsonl -x done.jsonl paper-one-$table paper-two-$table || fail "$table on one core and on two"
	[ -s paper-one-$table/facts.jsonl ] || fail "$table has no facts of the machine"
	rm paper-one-$table/facts.jsonl paper-one-$table/done.jsonl
done
# and so do the statistics made of them
for how in one shards; do
	"$wavetank" report stats $how --json >$how.stats || fail "report stats $how"
done
cmp one.stats shards.stats || fail "statistics"
grep -q '"bootstrap_low":[0-9]' one.stats && grep -q '"jain":0' one.stats || fail "no bootstrap interval, or no index of fairness"
run sweep merge sweep.ini -o shards --stats
grep -q 'order: .* > .* (Kendall tau' out.txt || fail "sweep merge --stats: $(cat out.txt)"
"$wavetank" report stats one >one.txt || fail "report stats"
head -n -2 out.txt | diff - one.txt || fail "sweep merge --stats says other than report stats"

ls paper-one-figure10/tokens-*.csv >/dev/null || fail "no curves of tokens were compared"

grep -lE 'wall|"started"|"host"|"compiler"' one/runs.jsonl paper-one-*/* && fail "facts of the host in result files"
sha256sum one.stats one/runs.jsonl paper-one-*/* >"$digests" || failed=1
exit $failed
