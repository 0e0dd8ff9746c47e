# SPDX-License-Identifier: BSD-2-Clause
# The wired networks of paper 004 as they were recovered: n0, n1 - n2 - n3 - n4, n5. A CBR flow over UDP crosses a TCP flow. Writes ns-2's
# trace, which wired.py counts.
#
#   ns wired.tcl NETWORK VARIANT sack|plain TRACE LATER
#       NETWORK: 2Mb 20Mb 2Gb; VARIANT: Tahoe Reno Newreno Sack1 Fack Vegas HSTCP Cubic; LATER: seconds by which the datagrams begin later

lassign $argv network variant sink trace later
switch $network {
	2Mb  { lassign {2Mb 10ms 0.3Mb 100ms 0.5Mb 40ms 552 8000 124 125} access d1 narrow d2 last d3 size window stop end }
	20Mb { lassign {20Mb 5ms 3Mb 5ms 20Mb 5ms 552 8000 40 40} access d1 narrow d2 last d3 size window stop end }
	2Gb  { lassign {2Gb 5ms 1Gb 5ms 2Gb 5ms 1000 500 40 40} access d1 narrow d2 last d3 size window stop end }
}

set ns [new Simulator]
set out [open $trace w]
$ns trace-all $out
for {set i 0} {$i < 6} {incr i} { set n($i) [$ns node] }
foreach {a b rate delay} [list 0 2 $access $d1 1 2 $access $d1 2 3 $narrow $d2 3 4 $last $d3 3 5 $last $d3] {
	$ns duplex-link $n($a) $n($b) $rate $delay DropTail
}
$ns queue-limit $n(2) $n(3) 20

set udp [new Agent/UDP]
$ns attach-agent $n(1) $udp
set null [new Agent/Null]
$ns attach-agent $n(5) $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$cbr set packet_size_ 1000
$cbr set rate_ 0.01mb
$cbr set random_ false

# Linux's modules know timestamps, and the paper's sink answered them without SACK; `sack` gives them one.
switch $variant {
	Tahoe { set tcp [new Agent/TCP] }
	HSTCP { set tcp [new Agent/TCP/Linux] ; $ns at 0.0 "$tcp select_ca highspeed" }
	Cubic { set tcp [new Agent/TCP/Linux] ; $ns at 0.0 "$tcp select_ca cubic" }
	default { set tcp [new Agent/TCP/$variant] }
}
$tcp set window_ $window
$tcp set packetSize_ $size
$tcp set fid_ 2
if {$variant in {HSTCP Cubic}} { $tcp set timestamps_ true }
if {$sink eq "sack" || $variant in {Sack1 Fack}} {
	set receiver [new Agent/TCPSink/Sack1/DelAck]
} else {
	set receiver [new Agent/TCPSink/DelAck]
}
if {$variant in {HSTCP Cubic}} { $receiver set ts_echo_rfc1323_ true }
$ns attach-agent $n(0) $tcp
$ns attach-agent $n(4) $receiver
$ns connect $tcp $receiver
set ftp [new Application/FTP]
$ftp attach-agent $tcp

proc finish {} {
	global ns out
	$ns flush-trace
	close $out
	exit 0
}
$ns at [expr {0.1 + $later}] "$cbr start"
$ns at 1.0 "$ftp start"
$ns at $stop "$ftp stop"
$ns at $stop "$cbr stop"
$ns at $end "finish"
$ns run
