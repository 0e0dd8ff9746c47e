# SPDX-License-Identifier: BSD-2-Clause
# One bulk TCP flow of ns-2 over one link; called by tests/validation/ns2.py.
#
#   ns link.tcl AGENT SINK WINDOW RATE DELAY QUEUE DROPS SECONDS TRACE
#
# AGENT, SINK: classes below Agent/TCP and Agent/ (Reno, TCPSink); Linux:NAME is the Linux agent with that algorithm. DROPS: numbers of data packets from 1, or -.
# TRACE: file for cwnd_, ack_ and drops, one change a line.
lassign $argv agent sink window rate delay queue drops seconds trace

lassign [split $agent :] agent algorithm

set ns [new Simulator]
set out [open $trace w]

# wire sizes as ours: 1000 bytes of payload, 40 of headers, 14 of Ethernet
set class [expr {$agent eq "Tahoe" ? "Agent/TCP" : "Agent/TCP/$agent"}]
# Vegas counts its headers as payload, so its packets are the larger by them
$class set packetSize_ [expr {$agent eq "Vegas" ? 1054 : 1014}]
$class set window_ $window
$class set windowInit_ 2
$class set singledup_ 0
$class set tcpTick_ 0.001
$class set minrto_ 0.2
$class set rtxcur_init_ 1.0
$class set overhead_ 0
$class set maxburst_ 0
Agent/$sink set packetSize_ 54

set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b $rate $delay DropTail
$ns queue-limit $a $b $queue
$ns queue-limit $b $a 10000

set tcp [new $class]
set end [new Agent/$sink]
$ns attach-agent $a $tcp
$ns attach-agent $b $end
$ns connect $tcp $end
if {$algorithm ne ""} {
	$ns at 0.0 "$tcp select_ca $algorithm"
	# round trips by timestamps, as the modules by delay want them; the option's bytes are in packetSize_
	$tcp set timestamps_ true
	$tcp set ts_option_size_ 0
	$end set ts_echo_rfc1323_ true
}
set ftp [new Application/FTP]
$ftp attach-agent $tcp

if {$drops ne "-"} {
	set em [new ErrorModel/List]
	# it counts from 0, and 0 is the SYN
	$em droplist [split $drops ,]
	$em drop-target [new Agent/Null]
	$ns link-lossmodel $em $a $b
}

$tcp attach $out
$tcp tracevar cwnd_
$ns trace-queue $a $b $out
$ns at 0.0 "$ftp start"
$ns at $seconds "finish"

proc finish {} {
	global tcp out
	flush $out
	close $out
	puts "acked [$tcp set ack_] cuts [$tcp set ncwndcuts_] timeouts [$tcp set nrexmit_] sent [$tcp set ndatapack_] resent [$tcp set nrexmitpack_]"
	exit 0
}
$ns run
