# SPDX-License-Identifier: BSD-2-Clause
# What the shell tests of this folder begin with: the program ($1) in a folder of its own, which is removed at the end; `exit $failed` ends
# a test. Other files of the tree a test needs in whole words (realpath) before this. $command may hold the first words of what expect runs.
set -u
wavetank=$(realpath "$1") || exit 99
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0
command=

fail() {
	echo "FAILED: $*"
	failed=1
}

# expect CODE WORDS...: the exit code; what fails says so in one line; what was printed is in out.txt and err.txt
expect() {
	want=$1
	shift
	"$wavetank" $command "$@" >out.txt 2>err.txt
	got=$?
	[ "$got" = "$want" ] || fail "exit code $got, not $want: $command $* ($(cat err.txt))"
	case $want in
	2 | 3) [ "$(grep -c '' err.txt)" = 1 ] || fail "not one line: $command $* ($(cat err.txt))" ;;
	esac
}

# every line of a file is an object, and the file ends with a newline
whole() {
	[ -s "$1" ] || fail "$1 is empty"
	[ "$(grep -c '^{.*}$' "$1")" = "$(grep -c '' "$1")" ] || fail "$1 has a torn line"
	[ "$(tail -c 1 "$1" | od -An -tx1 | tr -d ' ')" = 0a ] || fail "$1 ends without newline"
}

# done_in FILE: how many runs it holds
done_in() {
	if [ -e "$1" ]; then grep -Ec '"record":"(done|run)"' "$1"; else echo 0; fi
}

# interrupted DIR WORDS...: a sweep ended while it runs keeps what is done, says so by its exit code, and leaves no worker
interrupted() {
	folder=$1
	shift
	"$wavetank" "$@" -o "$folder" >out.txt 2>err.txt &
	pid=$!
	until_more "$folder/done.jsonl" 20 $pid
	kill -TERM $pid
	wait $pid
	code=$?
	[ $code = 143 ] || fail "exit code $code after SIGTERM, not 143"
	whole "$folder/runs.jsonl"
	grep -q '"complete":false' "$folder/runs.jsonl" || fail "an ended sweep calls itself complete"
	pgrep -P $pid >/dev/null 2>&1 && fail "workers outlive the sweep"
}

# until_more FILE N PID: waits until FILE holds more than N runs, or the process is gone
until_more() {
	while [ "$(done_in "$1")" -le "$2" ] && kill -0 "$3" 2>/dev/null; do
		sleep 0.02
	done
}
