#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavetank sim: exit codes, JSON, captures and traces, and that `paper show` tells how to repeat a cell by hand.
. "$(dirname "$0")/shell.sh"
command=sim
link='rate 10Mbit burst 0B limit 64KB delay 15ms'

expect 0 --link "$link" -n 1MiB --check
grep -q 'every byte verified' out.txt || fail "bytes not verified"
grep -q 'simulated seconds per wall second' out.txt || fail "no multiplier"
expect 0 -n 1B
expect 2 -n 5
# On paths that take no time whoever writes for a time never comes to its end: it is said, not aborted.
printf '[port a]\ninterface = tap:x@a\n[port b]\ninterface = tap:x@b\n[link]\nfwd = delay 1ms\n[at 1s]\nboth = outage at 100s for 1s\n' >still.conf
expect 2 -t 2s -f still.conf
grep -q 'simulated time never advances (it stands at 1' err.txt || fail "a path that takes no time: $(cat err.txt)"
expect 2 -C rno
expect 2 --rcc real:profile=nice
expect 2 --recovery none
expect 2 --preset bsd
expect 2 -S tick=500
expect 2 --fwd 'delay 15'
expect 2 --rival nobody
expect 2 --rival-set ecn=maybe

# ^C ends any run within moments, also one whose whole transfer is one instant: a record of what there was, exit code 130.
for link_of in '' "--link 'delay 1ms'"; do
	eval "timeout --preserve-status -s INT -k 10 0.5 $wavetank sim -n 1000GB $link_of --json --trace int.jsonl" >int.json 2>int.err
	code=$?
	[ $code = 130 ] || fail "interrupted sim $link_of: exit code $code, $(cat int.err)"
	grep -q '"ok":false' int.json && grep -q '"outcome":"unfinished"' int.json || fail "record of an interrupted run: $(cat int.json)"
	[ "$(tail -c 1 int.jsonl | od -An -c | tr -d ' ')" = '\n' ] || fail "the journal of an interrupted run ends within a line"
done
rm -f int.jsonl

# Rivals: every other flow, with what differs on top of what all have.
expect 0 -n 200KB -P 3 -C reno -S ecn=on --rival dctcp --rival-rcc dctcp --rival-set ect1=on --link "$link" --json
[ "$(grep -o '"module":"[a-z]*"' out.txt | tr -d '\n')" = '"module":"reno""module":"standard""module":"dctcp""module":"dctcp""module":"reno""module":"standard"' ] ||
	fail "flows and their modules: $(grep -o '"module":"[a-z]*"' out.txt | tr -d '\n')"
[ "$(grep -o '"ect1":"[a-z]*"' out.txt | tr -d '\n')" = '"ect1":"off""ect1":"off""ect1":"on""ect1":"on"' ] || fail "settings of rivals"
expect 2 --fwd 'loss gilbert on 1s 20% off 1s 0% shared'
expect 2 -P 0
expect 2 -P 10001
expect 0 -n 20KB -P 300 -S snd_buffer=64KB -S rcv_buffer=64KB --link "rate 100Mbit burst 0B limit 1MB delay 5ms"
# All begin at one instant and many ACKs of the handshake are lost: the server has an entry for each, and none ends in a reset (as after
# a SYN cookie whose first segments were lost too).
expect 0 -P 1000 -t 1s --link "rate 1Gbit burst 0B limit 1MB delay 10ms"
expect 2 --seed x
expect 2 what
expect 2 --jason
expect 3 --capture /nonexistent/file
expect 3 --capture /dev/full
expect 3 --trace /dev/full

# One file for two things: refused, and it stays what it was.
printf '[port a]\ninterface = tap:x@a\n[port b]\ninterface = tap:x@b\n[link]\nboth = delay 1ms\n' >path.conf
cp path.conf before.conf
ln -s path.conf link.conf
for words in '--capture x --log x' '--capture x --trace ./x' '--trace x --log x' '-f path.conf --log link.conf'; do
	expect 2 $words -n 1KB
	grep -q 'are one file' err.txt || fail "sim $words: $(cat err.txt)"
done
# Words given over a file's, in their order, and each once.
expect 0 -n 1KB -f path.conf --rev 'delay 7ms' --fwd 'delay 9ms'
grep -q 'fwd  delay 9ms' out.txt && grep -q 'rev  delay 7ms' out.txt || fail "words over a file's: $(cat out.txt)"
expect 2 -n 1KB --rev 'delay 7ms' -f path.conf
grep -q 'replace words of the file' err.txt || fail "words before the file: $(cat err.txt)"
expect 2 -n 1KB -f path.conf --rev 'delay 7ms' --link 'delay 8ms'
command='emu run'
expect 2 -n --link 'delay 1ms' --capture x --log ./x
expect 2 -n -f path.conf --capture path.conf
command=
expect 2 send -c 10.0.0.2 --capture x --trace ./x
expect 2 recv -o x --capture x
expect 2 trace convert path.conf -o path.conf --format csv
expect 2 report build path.conf -o link.conf
command=sim
[ ! -e x ] && cmp -s path.conf before.conf || fail "a file that was refused was opened"
expect 0 -n 1KB --trace x --capture y --log z
cp x y
command=
expect 2 trace convert x -o ./x --format csv
cmp -s x y || fail "a journal was overwritten by what it is converted to"
command=sim
rm x y z
expect 4 --fwd 'loss 100%' -n 1KB
expect 124 --link 'delay 1s' -n 1MB --limit 3s
"$wavetank" sim --link 'delay 1s' -n 1MB --limit 3s --json | grep -q '"outcome":"unfinished"' ||
	fail "a transfer cut short by --limit is not called unfinished"
expect 2 -t 5s --limit 2s
grep -q 'expected a --limit of at least --time' err.txt || fail "--time beyond --limit: $(cat err.txt)"
expect 0 -t 1s --limit 1s --link 'delay 5ms rate 1Mbit burst 0B limit 64KB'
grep -q '^  fwd  rate 1Mbit burst 0B limit' out.txt || fail "no unit: $(cat out.txt)"
# A disk that is full costs the file, not the result.
expect 3 --link 'delay 5ms' -n 1MB --trace /dev/full
grep -q '^complete: 1.00 MB in ' out.txt || fail "no result of a run whose trace could not be written: $(cat out.txt)"
# A run that --time ends has the receiver's counts too: as many marks arrived as the queue made.
expect 0 --link 'rate 10Mbit burst 0B limit 1MB queue codel ecn delay 15ms' -S ecn=on -t 5s
grep -q '^stopped by --time: ' out.txt && grep -q '^  b    module standard: ' out.txt && grep -q ' 13 segments arrived marked CE, ' out.txt ||
	fail "a run that --time ended: $(cat out.txt)"
expect 0 --link 'rate 10Mbit burst 0B limit 1MB queue codel ecn delay 15ms' -S ecn=on -t 5s --json
grep -q '"marked_frames":13,' out.txt && grep -q '"ce_segs":13}' out.txt || fail "marks of a run that --time ended: $(cat out.txt)"
"$wavetank" sim -n 1KB >/dev/full 2>err.txt
[ $? = 3 ] || fail "a full standard output is not exit code 3"

# One JSON line, alone on standard output; equal runs but for the wall clock.
for i in 1 2; do
	expect 0 --link "$link loss 1%" -n 1MiB -C real --rcc real --seed 5 --digest --json
	[ "$(grep -c '' out.txt)" = 1 ] || fail "--json is not one line"
	sed 's/"wall_s":[^,]*,//' out.txt >json.$i
done
cmp json.1 json.2 || fail "two equal runs have different records"
for key in '"schema":"wavetank.sim.1"' '"ok":true' '"goodput_kBps":' '"digest":"' '"verified":true' '"dropped_frames":{"loss":'; do
	grep -q "$key" json.1 || fail "no $key in the record"
done

# A capture and a trace can be read, and name the drops.
expect 0 --link "$link loss 2%" -n 300KB -C real:profile=paper --rcc real:profile=paper --capture c.pcapng --trace t.jsonl
grep -q '"event":"tcpreal:level_announced"' t.jsonl || fail "no levels in the trace"
grep -q '"event":"emulation:packet_dropped"' t.jsonl || fail "no drops in the trace"
if command -v tshark >/dev/null; then
	n=$(tshark -n -o tcp.check_checksum:TRUE -o ip.check_checksum:TRUE -r c.pcapng \
		-Y '_ws.malformed or tcp.checksum.status == "Bad" or ip.checksum.status == "Bad"' 2>/dev/null | grep -c '')
	[ "$n" = 0 ] || fail "$n malformed packets or bad checksums"
	drops=$(tshark -n -r c-drops.pcapng -Y 'frame.comment contains "dropped: loss"' 2>/dev/null | grep -c '')
	[ "$drops" = "$(grep -c packet_dropped t.jsonl)" ] || fail "capture and trace disagree about drops"
	# the receiver's option is in every segment with ACK that b sends after the handshake
	bare=$(tshark -n -r c.pcapng -Y 'ip.src == 10.0.0.2 and tcp.flags.syn == 0 and tcp.flags.ack == 1 and not tcp.option_kind == 253' \
		2>/dev/null | grep -c '')
	[ "$bare" = 0 ] || fail "$bare ACKs of a real receiver without its option"
	# datagrams of an odd length, which another program finds whole
	"$wavetank" sim --link 'rate 2Mbit burst 0B limit 64KB delay 15ms' -n 77700B --app cbr:rate=1Mbit,size=777B --capture u.pcapng >u.txt ||
		fail "cbr: $(cat u.txt)"
	for point in u.pcapng u-host-b.pcapng; do
		n=$(tshark -n -o udp.check_checksum:TRUE -r $point -Y 'udp.checksum.status == "Good" and udp.length == 785' 2>/dev/null | grep -c '')
		[ "$n" = 100 ] || fail "$n of 100 datagrams with a right checksum in $point"
	done
fi

# The sender's level in the trace is the receiver's from its first announcement on, not the handshake's bits taken for one.
"$wavetank" sim --link 'rate 10Mbit burst 0B limit 64KB delay 15ms' -C real:profile=paper --rcc real:profile=paper -n 200KB \
	--trace level.jsonl --quiet >/dev/null || fail "no trace of a TCP-Real transfer"
levels=$(grep '"host":"a".*metrics_updated' level.jsonl | grep -o '"level":[0-9]*' | cut -d: -f2 | uniq | tr '\n' ' ')
case $levels in
"1 2 4 8 16 24 "*) ;;
*) fail "the sender's levels are $levels" ;;
esac

# What `paper show` prints as one cell by hand is that cell; also in a table of one row, whose first point is the cell.
for cell in table1:0.10 table9:0.99; do
	table=${cell%:*}
	"$wavetank" paper run "tcp-real-2001/$table" --points "${cell#*:}" --repeats 1 -o "out-$table" >/dev/null 2>&1
	ours=$(sed -n 's/.*"variant":"real".*"goodput_kBps":\([0-9.]*\),.*/\1/p' "out-$table/runs.jsonl")
	command=$("$wavetank" paper show "tcp-real-2001/$table" | sed -n '/^one cell by hand (TCP-Real/,/^the same event by event/p' | sed '1d;$d')
	byhand=$(eval "$(echo "$command" | sed "s|^ *wavetank|\"$wavetank\"|; s|[^\\]\$|& --json|")" |
		sed -n 's/.*"goodput_kBps":\([0-9.]*\),.*/\1/p')
	[ -n "$ours" ] && [ "$ours" = "$byhand" ] || fail "the cell by hand of $table gives '$byhand', the sweep '$ours': $command"
done

exit $failed
