# SPDX-License-Identifier: BSD-2-Clause
# A string of eight stations 250 m apart in ns-2, one TCP flow from the first to the H-th from 10 s on; prints kbit/s of payload.
# arguments: agent (Newreno ...), data rate, routing, H, seed, end in seconds
foreach {agent rate routing hops seed end} $argv break
set ns [new Simulator]
ns-random $seed
Mac/802_11 set dataRate_ $rate
$ns trace-all [open /dev/null w]
set topo [new Topography]
$topo load_flatgrid 2100 100
create-god 8
set queue [expr {$routing == "DSR" ? "CMUPriQueue" : "Queue/DropTail/PriQueue"}]
$ns node-config -adhocRouting $routing -llType LL -macType Mac/802_11 -ifqType $queue -ifqLen 50 -antType Antenna/OmniAntenna \
	-propType Propagation/TwoRayGround -phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] -topoInstance $topo \
	-agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
for {set i 0} {$i < 8} {incr i} {
	set n($i) [$ns node]
	$n($i) random-motion 0
	$n($i) set X_ [expr 250.0 * $i + 1]
	$n($i) set Y_ 1
	$n($i) set Z_ 0
}
set tcp [new Agent/TCP/$agent]
$tcp set packetSize_ 1500
$tcp set window_ 32
set sink [new Agent/TCPSink]
$ns attach-agent $n(0) $tcp
$ns attach-agent $n($hops) $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 10.0 "$ftp start"
proc over {} {
	global ns tcp end
	puts "kbps [expr {[$tcp set ack_] * 1500 * 8 / ($end - 10) / 1000.0}]"
	$ns halt
}
$ns at $end over
$ns run
