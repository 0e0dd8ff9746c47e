# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests of this folder: a sweep of ten thousand small runs, what one machine makes of it, and the tree of a process.
unset MALLOC_PERTURB_ # set by meson test; filling memory would cost ten times what the runs do
. "$(dirname "$0")/../sim/commands/shell.sh"

cat >big.ini <<END
[sweep]
name = big
repeats = 500
seed = 2001
[axes]
loss = 1% 2% 5% 10% 20%
sender = reno tahoe newreno real
[run]
link = rate 10Mbit burst 0B limit 64KB delay 15ms loss {loss}
size = 60KB
END
"$wavetank" sweep run big.ini -o alone --quiet >/dev/null || fail "one machine"
[ "$(grep -c '"record":"run"' alone/runs.jsonl)" = 10000 ] || fail "not ten thousand runs"

# All descendants of a process that run a part of the sweep: "PID SHARD" on a line each.
parts() {
	ps -e -o pid=,ppid=,args= | awk -v root="$1" '
		{ parent[$1] = $2 }
		$3 ~ /wavetank$/ { for (i = 4; i < NF; i++) if ($i == "--shard") shard[$1] = $(i + 1) }
		END {
			for (part in shard) {
				for (above = part; above != root && above in parent; above = parent[above])
					;
				if (above == root) print part, shard[part]
			}
		}'
}
