#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Table 1 against an independent simulation of the same set-up, made before this engine existed from the specification alone. That
# simulation's timer waited a full second at least, where ours, as BSD's, ends at the second tick, after half a second to one; so the
# comparison runs with one tick more. It had 8 to 10 seeds: its own means are some 5 % off below p = 0.2, and up to 40 % above, where
# time-outs decide (one run's time spreads by 40 to 73 %). Our means of 60 must stay within 15 % and 40 % of it. And, with BSD's timer, what the
# paper claims: TCP-Real is not beaten by Reno at any loss rate.
set -u
wavetank=$(realpath "$1")
table=$(realpath "$2")
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
sed 's/^settings = .*/&,rto_min=1500ms/' "$table" >later.ini
grep -q '^settings = .*rto_min=1500ms' later.ini || { echo "FAILED: the table has no settings to add to"; exit 1; }
"$wavetank" paper run tcp-real-2001/table1 --repeats 60 -o out >out.txt 2>err.txt || { cat err.txt; exit 1; }
"$wavetank" paper run later.ini --repeats 60 -o later >out.txt 2>err.txt || { cat err.txt; exit 1; }
cat >expected <<END
0.00 real 235
0.00 reno 235
0.00 tahoe 235
0.01 real 233
0.01 reno 211
0.01 tahoe 182
0.05 real 156
0.05 reno 112
0.05 tahoe 97
0.10 real 85
0.10 reno 76
0.10 tahoe 71
0.20 real 51
0.20 reno 34
0.20 tahoe 33
0.33 real 29
0.33 reno 21
0.33 tahoe 18
0.50 real 25
0.50 reno 14
0.50 tahoe 13
END
tr -d '\r' <later/table.csv | awk -F, '
	FILENAME == "expected" { split($0, w, " "); want[w[1] "," w[2]] = w[3]; next }
	$1 == "point" { next }
	{
		off = $5 / want[$1 "," $2] - 1
		if (off < 0) off = -off
		limit = $1 + 0 < 0.15 ? 0.15 : 0.40
		if (!(($1 "," $2) in want) || off > limit) {
			print "FAILED: " $1 " " $2 ": " $5 " KB/s, the independent simulation had " want[$1 "," $2]
			bad = 1
		}
		rows++
	}
	END {
		if (rows != 21) { print "FAILED: " rows " rows, not 21"; bad = 1 }
		exit bad
	}' expected - || exit 1
tr -d '\r' <out/table.csv | awk -F, '
	$1 != "point" { ours[$1 "," $2] = $5; rows++ }
	END {
		if (rows != 21) { print "FAILED: " rows " rows, not 21"; bad = 1 }
		for (key in ours) {
			split(key, w, ",")
			if (w[2] == "real" && ours[key] < ours[w[1] ",reno"]) { print "FAILED: Reno ahead at " w[1]; bad = 1 }
		}
		exit bad
	}'
