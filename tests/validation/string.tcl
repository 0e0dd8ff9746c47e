# SPDX-License-Identifier: BSD-2-Clause
# A string of eight stations 250 m apart in ns-2, one TCP flow from the first to the H-th; prints kbit/s of payload.
# arguments: agent (Tahoe, Newreno, Sack1, Vegas, Linux:cubic ...), data rate, routing, H, seed, end in seconds, start (10)
# The Linux agents have a SACK sink.
foreach {agent rate routing hops seed end start} [concat $argv 10] break
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
lassign [split $agent :] agent algorithm
set tcp [new Agent/TCP[expr {$agent == "Tahoe" ? "" : "/$agent"}]]
if {$algorithm ne ""} {$ns at 0 "$tcp select_ca $algorithm"}
$tcp set packetSize_ 1500
$tcp set window_ 32
set sink [new Agent/TCPSink[expr {$agent in {Sack1 Linux} ? "/Sack1" : ""}]]
$ns attach-agent $n(0) $tcp
$ns attach-agent $n($hops) $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at $start "$ftp start"
proc over {} {
	global ns tcp start end
	puts "kbps [expr {[$tcp set ack_] * 1500 * 8 / ($end - $start) / 1000.0}]"
	$ns halt
}
$ns at $end over
$ns run
