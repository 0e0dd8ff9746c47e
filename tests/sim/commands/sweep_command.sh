#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavetank sweep: the same bytes for any number of cores, for shards, after kill -9 of the sweep or of its workers; a full disk and ^C
# keep what is finished; a run that fails is recorded and the sweep goes on; only what is missing is run.
unset MALLOC_PERTURB_ # set by meson test; filling memory would cost ten times what the runs do
example=$(realpath "$2") || exit 99
. "$(dirname "$0")/shell.sh"
command=sweep

# same FILE FILE WHAT
same() {
	cmp -s "$1" "$2" || fail "$3: $1 and $2 differ"
}

cat >few.ini <<END
[sweep]
name = few
repeats = 6
stop = rel 8% max 30
[axes]
loss = 0% 2% 5%
[run]
link = rate 2Mbit burst 0B limit 64KB delay 15ms loss {loss}
size = 100KB
[variant reno]
sender = reno
[variant real]
sender = real
receiver = real
END
cat >many.ini <<END
[sweep]
name = many
repeats = 200
seed = 7
[axes]
loss = 1% 2% 5% 10% 20%
sender = reno tahoe newreno
[run]
link = rate 10Mbit burst 0B limit 64KB delay 15ms loss {loss}
size = 40KB
END

# The example of the manual runs.
expect 0 plan "$example"
grep -q '^runs:  120 to 480' out.txt || fail "plan counts wrong: $(cat out.txt)"
grep -q '^time: .* s on ' out.txt && grep -q '^disk: .* MB in results/loss' out.txt || fail "plan says neither time nor disk"
[ ! -e results ] || fail "plan wrote something"

# So do the others that ship; status reads and checks all of their points.
for file in "$(dirname "$example")"/*.ini; do
	expect 0 status "$file" -o nowhere
	grep -q ' of [0-9]* points settled' out.txt || fail "$file: $(head -1 out.txt)"
done

# One core, two, five, shards: one result.
expect 0 run few.ini --jobs 1 -o one
expect 0 run few.ini --jobs 2 -o two
expect 0 run few.ini --jobs 5 -o five
whole one/runs.jsonl
whole one/facts.jsonl
same one/runs.jsonl two/runs.jsonl "two cores"
same one/runs.jsonl five/runs.jsonl "five workers"
same one/runs.csv five/runs.csv "five workers, as a table"
head -1 one/runs.csv | grep -q '^point,repeat,seed,loss,variant,outcome,goodput_kBps,connection_time_s,' || fail "runs.csv: $(head -1 one/runs.csv)"
[ "$(grep -c ',ok,' one/runs.csv)" = "$(grep -c '"record":"run"' one/runs.jsonl)" ] || fail "runs.csv has other runs"
grep -q '"record":"end","runs":[0-9]*,"failed":0,"invalid":0,"complete":true' one/runs.jsonl || fail "not complete"
[ "$(grep -c '"record":"run"' one/runs.jsonl)" -gt 36 ] || fail "the stop rule asked for no more repeats"
[ "$(grep -c '"loss":"0%","variant":"reno"},"outcome"' one/runs.jsonl)" = 6 ] || fail "the stop rule went on without need"
for i in 2 0 1; do
	expect 0 run few.ini --shard $i/3 -o parts
	[ ! -e parts/runs.jsonl ] || fail "a shard wrote the result file"
done
expect 0 run few.ini --shard 1/3 -o parts
grep -q 'shards are done' err.txt || fail "a shard does not say what comes next"
expect 0 merge few.ini -o parts
same one/runs.jsonl parts/runs.jsonl "three shards"
grep -Eq 'wall|started|host' one/runs.jsonl && fail "the result file holds facts of the host"
for i in 0 1 2 3; do
	expect 0 run many.ini --shard $i/4 -o four
done
expect 0 run many.ini -o whole
expect 0 merge many.ini -o four
same whole/runs.jsonl four/runs.jsonl "four shards without a stop rule"
rm four/done-2-of-4.jsonl
expect 1 merge many.ini -o four
grep -q '750 runs are missing' err.txt || fail "merge does not say what is missing: $(cat err.txt)"
expect 0 status many.ini -o four
grep -q '2250 of 3000 runs done' out.txt || fail "status counts wrong: $(head -1 out.txt)"

# Variants meet the same losses: with the same seed a lossless and short transfer sees the same seed in each variant.
[ "$(grep '"repeat":3,' one/runs.jsonl | grep -o '"seed":[0-9]*' | sort -u)" = '"seed":4' ] || fail "seeds are not paired"

# Only what is new is run, and what was done stays: by content, not by name or number of the point.
sed 's/loss = 0% 2% 5%/loss = 0% 1% 2.0% 5%/' few.ini >more.ini
old=$(grep -c '"record":"done"' one/done.jsonl)
expect 0 run more.ini -o one
[ "$(grep -c '"record":"done"' one/done.jsonl)" -lt $((old + 61)) ] || fail "runs were done again"
expect 0 run more.ini -o fresh
same one/runs.jsonl fresh/runs.jsonl "a sweep that grew"
n=$(grep -c '"record":"start"' one/done.jsonl)
expect 0 run more.ini -o one
grep -q 'also keeps' err.txt && fail "a folder that holds this sweep alone: $(cat err.txt)"
[ "$(grep -c '"record":"start"' one/done.jsonl)" = "$n" ] || fail "a finished sweep was begun again"

# A sweep whose file has changed, into its old folder: the result is that of the new file, and a line says what the folder holds besides.
sed 's/rate 2Mbit/rate 4Mbit/' more.ini >other.ini
expect 0 run other.ini -o one
grep -q 'note: one also keeps [0-9]* runs of other settings or seeds than other.ini' err.txt || fail "a changed sweep: $(cat err.txt)"
expect 0 run other.ini -o anew
same one/runs.jsonl anew/runs.jsonl "a sweep in the folder of another"

# kill -9 at any moment, several times; then a torn line, as a crash of the machine leaves it.
for more in 20 0 100; do
	before=$(done_in killed/done.jsonl)
	"$wavetank" sweep run many.ini -o killed >/dev/null 2>&1 &
	pid=$!
	until_more killed/done.jsonl $((before + more)) $pid
	kill -9 $pid
	wait $pid 2>/dev/null
done
whole killed/done.jsonl
kept=$(done_in killed/done.jsonl)
[ "$kept" -gt 20 ] && [ "$kept" -lt 3000 ] || fail "$kept runs kept after kill -9: too few or all to test anything"
printf '{"record":"done","id":"0123' >>killed/done.jsonl
expect 0 resume many.ini -o killed
same whole/runs.jsonl killed/runs.jsonl "kill -9 and resume"
[ "$(grep -c '"record":"done"' killed/done.jsonl)" = 3000 ] || fail "runs were done twice after kill -9"

# The workers are killed, again and again: their runs are done by others.
"$wavetank" sweep run many.ini -o orphans >out.txt 2>err.txt &
pid=$!
kills=0
while kill -0 $pid 2>/dev/null; do
	for child in $(pgrep -P $pid); do
		[ $kills -lt 25 ] && kill -9 "$child" 2>/dev/null && kills=$((kills + 1))
	done
	sleep 0.02
done
wait $pid
code=$?
[ $code = 0 ] || fail "exit code $code with workers killed: $(cat err.txt)"
[ $kills -gt 3 ] || fail "only $kills workers could be killed"
same whole/runs.jsonl orphans/runs.jsonl "$kills workers killed"

# ^C: finished runs are kept, the exit code says so, no worker is left.
sed 's/name = many/name = long/; s/repeats = 200/repeats = 2000/' many.ini >long.ini
interrupted stopped sweep run long.ini

# A full disk (a limit on file sizes stands for it): one line, exit code 3, whole lines; with room again it goes on.
(
	ulimit -f 200
	exec "$wavetank" sweep run many.ini -o full >out.txt 2>err.txt
)
code=$?
[ $code = 3 ] || fail "exit code $code on a full disk, not 3: $(cat err.txt)"
grep -q 'full: .*; finished runs are kept' err.txt || fail "a full disk is not told: $(cat err.txt)"
whole full/done.jsonl
[ "$(grep -c '"record":"done"' full/done.jsonl)" -gt 40 ] || fail "nothing kept on a full disk"
expect 0 resume many.ini -o full
same whole/runs.jsonl full/runs.jsonl "a full disk and resume"

# A run that fails is recorded with its reason, and the sweep goes on.
sed 's/^size = .*/size = 100KB\nlimit = 1s/; s/^stop.*//' few.ini >limited.ini
expect 5 run limited.ini -o limited
grep -q '"outcome":"failed","why":"not finished after 1 simulated seconds"' limited/runs.jsonl || fail "no reason of a failed run"
grep -q '"outcome":"ok"' limited/runs.jsonl || fail "all runs failed; the test tests nothing"
grep -q '"complete":true' limited/runs.jsonl || fail "a sweep with failed runs is not complete"
expect 5 run limited.ini -o limited

# Two sweeps do not write one file.
sed 's/^size = .*/size = 50MB/; s/name = long/name = longer/' long.ini >longer.ini
"$wavetank" sweep run longer.ini -o busy >/dev/null 2>&1 &
pid=$!
until [ -e busy/done.jsonl ]; do sleep 0.02; done
expect 3 run longer.ini -o busy
grep -q 'another sweep is writing it' err.txt || fail "two sweeps in one folder: $(cat err.txt)"
kill -TERM $pid
wait $pid

"$wavetank" sweep status few.ini -o one >/dev/full 2>err.txt
[ $? = 3 ] || fail "a full standard output is not exit code 3"
exit $failed
