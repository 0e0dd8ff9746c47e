#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A capture of the air: tshark reads RTS, CTS, data, ACK and routing; equal runs write equal bytes; the log names losses and retries.
# A bad file: exit code 2 with file, line and word.
set -eu
wavetank=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/w.conf" <<'W'
[air]
rate = 1Mbit
routing = aodv
[stations n]
count = 4
place = string 250m
[run]
time = 3s
[flow f]
between = n0 n3
W
for n in 1 2; do "$wavetank" sim -f "$dir/w.conf" --capture "$dir/c$n.pcapng" --log "$dir/l$n.jsonl" > /dev/null; done
cmp "$dir/c1-air-frames.pcapng" "$dir/c2-air-frames.pcapng"
cmp "$dir/l1.jsonl" "$dir/l2.jsonl"
grep -q '"emulation:air_retry"' "$dir/l1.jsonl"
grep -q '"emulation:air_lost".*"cause":"collision"' "$dir/l1.jsonl"
sed 's/rate = 1Mbit/rate = 1Mbt/' "$dir/w.conf" > "$dir/bad.conf"
code=0
"$wavetank" sim -f "$dir/bad.conf" > "$dir/out" 2>&1 || code=$?
[ $code = 2 ] && grep -q "bad.conf:2: rate: '1Mbt'" "$dir/out"
command -v tshark > /dev/null || { echo "no tshark"; exit 77; }
count() { tshark -r "$dir/c1-air-frames.pcapng" -Y "$1" 2> /dev/null | wc -l; }
rts=$(count 'wlan.fc.type_subtype==0x1b') cts=$(count 'wlan.fc.type_subtype==0x1c') ack=$(count 'wlan.fc.type_subtype==0x1d')
data=$(count 'wlan.fc.type_subtype==0x20 && wlan.ra != ff:ff:ff:ff:ff:ff')
[ "$ack" -gt 50 ] && [ "$data" -ge "$ack" ] && [ "$cts" -ge "$data" ] && [ "$rts" -ge "$cts" ]
[ "$(count 'aodv')" -gt 3 ] && [ "$(count tcp)" -gt 50 ] && [ "$(count '_ws.malformed')" = 0 ]
# a retry is marked, and a checksum that was made for the capture is right
[ "$(count 'wlan.fc.retry==1')" -ge 0 ] && [ "$(tshark -o tcp.check_checksum:TRUE -r "$dir/c1-air-frames.pcapng" -Y 'tcp.checksum.status==0' 2> /dev/null | wc -l)" = 0 ]
# the duration of an RTS ends with the ACK: 3 SIFS, CTS, data, ACK
us=$(tshark -r "$dir/c1-air-frames.pcapng" -Y 'wlan.fc.type_subtype==0x1b' -T fields -e wlan.duration 2> /dev/null | sort -n | tail -1)
[ "$us" = $((30 + 304 + 192 + 8 * 1528 + 304)) ]
