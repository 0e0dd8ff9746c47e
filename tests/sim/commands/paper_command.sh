#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavetank paper: same results for any number of jobs; ^C, kill -9 and a full disk keep what is finished, and it can be gone on with; exit
# codes as documented.
ini=$(realpath "$2") || exit 99
. "$(dirname "$0")/shell.sh"
table=tcp-real-2001/table1

expect 0 paper list
grep -q "^$table " out.txt || fail "paper list does not name $table"
expect 0 paper show $table
expect 0 paper show tcp-real-2001/figure4
grep -q '^tcp-real-2001/table4: ' out.txt || fail "Figure 4 is not Table 4"
expect 2 paper run tcp-real-2001/figure1
grep -q 'without numbers' err.txt || fail "no reason why Figure 1 cannot be run: $(cat err.txt)"
expect 2 paper show
expect 2 paper show nothing
printf '[sweep]\nbase = ./loop.ini\n' >loop.ini
expect 2 paper show ./loop.ini
grep -q 'show: ./loop.ini:2: base: the files of base form a loop' err.txt || fail "a table based on itself: $(cat err.txt)"
printf '[sweep]\nbase = tcp-real-2001/table1\n' >bare.ini
expect 2 paper show ./bare.ini
grep -q 'no name: .*; a base does not give' err.txt || fail "a table that is all base: $(cat err.txt)"
printf '[sweep]\nname = plain\n' >plain.ini
expect 2 paper run ./plain.ini
grep -q 'plain.ini:1: no printed numbers' err.txt || fail "a sweep that is no table: $(cat err.txt)"
expect 2 paper run
expect 2 paper run $table --points 0.07
expect 2 paper run $table --points 0,0.00
expect 2 paper run $table --backend ether
expect 2 paper run $table --repeats many

# Set-ups that answer a question beside a table take its rows.
for file in "$(dirname "$ini")"/../what-if/*.ini; do
	expect 0 paper show "$file"
	grep -q '^published .* by ' out.txt || fail "$file has no printed numbers"
done

# The results do not depend on how many worked on them.
expect 0 paper run $table --points 0,0.2 --repeats 3 --jobs 1 -o one
expect 0 paper run $table --points 0,0.2 --repeats 3 --jobs 5 -o five
for d in one five; do
	whole $d/runs.jsonl
	[ "$(grep -c '"record":"run"' $d/runs.jsonl)" = 18 ] || fail "$d: not 18 runs"
done
cmp one/runs.jsonl five/runs.jsonl || fail "runs differ between 1 and 5 jobs"
cmp one/table.csv five/table.csv || fail "tables differ between 1 and 5 jobs"
# Each table has a folder of its own below results/. What is done is not done again, whichever rows are asked for.
expect 0 paper run $table --points 0 --repeats 1
[ -f results/tcp-real-2001-table1-sim/table.csv ] || fail "no folder of its own"
expect 0 paper run $table --points 0,0.2 --repeats 1
grep -q '6 runs on sim, 3 done already' err.txt || fail "runs were done again: $(cat err.txt)"
# A table is a sweep: the same words, the same runs, the same names.
expect 0 sweep run $table -o sweep --jobs 2
expect 0 paper run $table -o sweep
grep -q ', 630 done already' err.txt || fail "a sweep over a table does other runs: $(cat err.txt)"
grep -q '^cells: ' sweep/table.txt || fail "no verdicts on the runs of a sweep"
# Rows whose order is open go on to nine times the repeats, the others stop.
expect 0 paper run $table --points 0,0.33 --repeats 3 --until-decided -o until
[ "$(grep -c '"record":"run".*"row":"0.00"' until/runs.jsonl)" -lt 81 ] || fail "a row without losses goes on"
grep -q '"most_repeats":27,.*"looks":3,' until/runs.jsonl || fail "the plan does not say how often was looked"
[ "$(grep -c '"record":"run".*"row":"0.33"' until/runs.jsonl)" -gt 9 ] || fail "a row that is open stops"

# A paper's name runs all its tables, each with its folder, and says how they went.
expect 0 paper run tcp-real-2001 --repeats 2 -o all
[ "$(grep -c '^tcp-real-2001/[a-z0-9]* *cells:' all/summary.txt)" = "$(find all -name table.csv | wc -l)" ] || fail "summary.txt"
[ -s all/table9/table.csv ] || fail "no table 9 of all tables"
expect 2 paper run tcp-real

grep -q '^tcp-real-2001/figure11 *cells: 21 not printed' all/summary.txt || fail "$(grep figure11 all/summary.txt)"

# The card: a hundred claims, the same card from the same results, and from other seeds' results another.
expect 0 paper score --results all
[ "$(grep -c '^00[0-4]-' out.txt)" = 100 ] || fail "not a hundred claims"
grep -q '^100 claims, 90 distinct: 59 not yet,' out.txt || fail "$(tail -1 out.txt)"
cmp out.txt all/score.txt || fail "score.txt is another card"
[ "$(grep -c '"record":"claim"' all/score.jsonl)" = 100 ] || fail "score.jsonl"
grep -q 'incomplete' out.txt err.txt && fail "whole tables are called incomplete"
cp -r all part
sed -i 's/"complete":true/"complete":false/' part/table9/runs.jsonl
mv out.txt card.txt
expect 0 paper score --results part
grep -q 'incomplete: runs of tcp-real-2001/table9 are missing' out.txt && grep -q 'judged by tables of which runs are missing' err.txt ||
	fail "a table of which runs are missing is judged as if it were whole: $(cat err.txt)"
expect 0 paper score --results all
cmp card.txt out.txt || fail "two cards of the same results differ"
expect 2 paper score --results nowhere --paper 003
grep -q -- '--results nowhere: No such file' err.txt || fail "$(cat err.txt)"
expect 0 paper score --paper 003 --json
[ "$(grep -c '"verdict":"not yet"' out.txt)" = 23 ] || fail "a verdict without results"
expect 2 paper score --paper 005

# What was fitted, and what is prediction.
expect 0 paper calibration --results all
grep -q '^  table9 .* 3 cells' out.txt || fail "Table 9 is no prediction"
expect 2 paper calibration --results nowhere
expect 0 paper calibration
expect 2 paper calibration all

# --json: one line per cell, nothing else on standard output
expect 0 paper run $table --points 0 --repeats 2 --json -o json
[ "$(grep -c '^{"record":"cell"' out.txt)" = 3 ] && [ "$(grep -c '' out.txt)" = 3 ] || fail "--json printed something else"

# ^C: what is done is kept.
interrupted stopped paper run $table --repeats 20000
[ "$(done_in stopped/runs.jsonl)" -gt 20 ] || fail "nothing kept of an ended sweep"

# All tables of a paper, ended early, are not called all.
timeout --preserve-status -s INT 2 "$wavetank" paper run tcp-real-2001 -o early >out.txt 2>err.txt
[ $? = 130 ] || fail "all tables and ^C: $(cat err.txt)"
grep -q 'ended by a signal after' err.txt && ! grep -q 'all tables in' err.txt || fail "what is said of tables that were not run: $(cat err.txt)"

# kill -9 at any moment, a torn line as a crash of the machine leaves it, and then the same files as if nothing had been.
expect 0 paper run $table --points 0.05,0.2 --repeats 20 -o undisturbed
for try in 1 2 3 4 5; do # again where the host kept this script from killing until all was done
	rm -rf killed
	for more in 5 0 20; do
		before=$(done_in killed/done.jsonl)
		"$wavetank" paper run $table --points 0.05,0.2 --repeats 20 -o killed >out.txt 2>err.txt &
		pid=$!
		until_more killed/done.jsonl $((before + more)) $pid
		kill -9 $pid
		wait $pid 2>/dev/null
	done
	kept=$(done_in killed/done.jsonl)
	[ "$kept" -eq 120 ] || break
done
whole killed/done.jsonl
[ "$kept" -gt 5 ] && [ "$kept" -lt 120 ] || fail "$kept runs kept after kill -9: too few or all to test anything"
printf '{"record":"done","id":"0' >>killed/done.jsonl
expect 0 paper run $table --points 0.05,0.2 --repeats 20 -o killed
grep -q ", $kept done already" err.txt || fail "runs were done again: $(cat err.txt)"
diff -r -x facts.jsonl -x done.jsonl undisturbed killed || fail "kill -9 and going on changed the results"
expect 0 paper run $table --points 0.05,0.2 --repeats 20 -o killed
grep -q ', 120 done already' err.txt || fail "a finished table was begun again: $(cat err.txt)"
diff -r -x facts.jsonl -x done.jsonl undisturbed killed || fail "a finished table that is run again changed"
# Runs of another program are other runs: their names say so.
cp -r killed changed
sed -i -E 's/"id":"./"id":"x/' changed/done.jsonl
expect 0 paper run $table --points 0.05 --repeats 2 -o changed
grep -q 'done already' err.txt && fail "runs of another program were taken for ours"
rm -r changed
rm -r all/table9 all/table2/table.txt
cp all/summary.txt summary.before
expect 0 paper run tcp-real-2001 --repeats 2 -o all
cmp summary.before all/summary.txt || fail "all tables once more"
[ -s all/table9/table.csv ] && [ -s all/table2/table.txt ] || fail "all tables once more left one out"

# A full disk (a limit on file sizes stands for it): one line, exit code 3, whole lines; nothing more is run; with room again it goes on.
(
	ulimit -f 80
	exec "$wavetank" paper run $table --points 0.05,0.2 --repeats 20 -o full >out.txt 2>err.txt
)
code=$?
[ $code = 3 ] || fail "exit code $code on a full disk, not 3"
grep -q 'full: .*; finished runs are kept' err.txt || fail "a full disk is not told: $(cat err.txt)"
whole full/done.jsonl
[ "$(done_in full/done.jsonl)" -gt 10 ] || fail "nothing kept on a full disk"
ls full/runs.jsonl* >/dev/null 2>&1 && fail "half a result file was left"
expect 0 paper run $table --points 0.05,0.2 --repeats 20 -o full
diff -r -x facts.jsonl -x done.jsonl undisturbed full || fail "a full disk and going on changed the results"

# A run that cannot finish within the table's limit is a failed run, and the sweep goes on: exit code 5.
mkdir -p data/papers/tcp-real-2001
sed 's/^limit .*/limit = 20s/' "$ini" >data/papers/tcp-real-2001/table1.ini
WAVETANK_DATA=$dir/data
export WAVETANK_DATA
expect 5 paper run $table --points 0,0.5 --repeats 2 -o limited
grep -q 'not finished after 20 simulated seconds' limited/runs.jsonl || fail "no failed run in the records"
unset WAVETANK_DATA

# A broken table says where.
sed 's/^repeats/repeets/' "$ini" >broken.ini
expect 2 paper run ./broken.ini
grep -q 'broken.ini:[0-9]*: unknown key .repeets' err.txt || fail "a broken table does not say where: $(cat err.txt)"

exit $failed
