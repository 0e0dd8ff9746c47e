# SPDX-License-Identifier: BSD-2-Clause
# ns ns2_speed.tcl RATE FLOWS SECONDS LIMIT: FLOWS bulk transfers over three links, the middle one of RATE Mbit/s with LIMIT packets of
# queue, the others ten times as fast; 30 ms there and back, 1000-byte segments, an ACK each, SACK. Prints the data packets sent.
set rate [lindex $argv 0]
set flows [lindex $argv 1]
set seconds [lindex $argv 2]
set limit [lindex $argv 3]
remove-all-packet-headers
add-packet-header Common IP TCP Flags
set ns [new Simulator]
$ns use-scheduler Heap
foreach name {a r s b} {
	set $name [$ns node]
}
$ns duplex-link $a $r [expr 10 * $rate]Mb 1ms DropTail
$ns duplex-link $r $s ${rate}Mb 13ms DropTail
$ns duplex-link $s $b [expr 10 * $rate]Mb 1ms DropTail
foreach {from to} [list $a $r $r $a $s $b $b $s $s $r] {
	$ns queue-limit $from $to 1000000
}
$ns queue-limit $r $s $limit
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 1000000
for {set i 0} {$i < $flows} {incr i} {
	set tcp($i) [new Agent/TCP/Sack1]
	set sink($i) [new Agent/TCPSink/Sack1]
	$ns attach-agent $a $tcp($i)
	$ns attach-agent $b $sink($i)
	$ns connect $tcp($i) $sink($i)
	set source($i) [new Application/FTP]
	$source($i) attach-agent $tcp($i)
	$ns at 0.0 "$source($i) start"
}
proc finish {} {
	global tcp flows
	set sent 0
	for {set i 0} {$i < $flows} {incr i} {
		incr sent [$tcp($i) set ndatapack_]
	}
	puts $sent
	exit 0
}
$ns at $seconds finish
$ns run
