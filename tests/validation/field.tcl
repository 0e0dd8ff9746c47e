# SPDX-License-Identifier: BSD-2-Clause
# Many stations that walk, AODV, and flows of 4 datagrams of 1024 bytes per second, in ns-2. air.py fills in what stands between @.
set ns [new Simulator]
Mac/802_11 set dataRate_ 2Mb
$ns trace-all [open /dev/null w]
set topo [new Topography]
$topo load_flatgrid 2400 1800
set god_ [create-god @STATIONS@]
set chan [new Channel/WirelessChannel]
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 100 -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy -channel $chan -topoInstance $topo -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
set ns_ $ns
for {set i 0} {$i<@STATIONS@} {incr i} { set node_($i) [$ns node]; $node_($i) random-motion 0 }
source @WALK@
for {set f 0} {$f < @FLOWS@} {incr f} {
  set u($f) [new Agent/UDP]; set k($f) [new Agent/Null]
  $ns attach-agent $node_([expr 2*$f]) $u($f); $ns attach-agent $node_([expr 2*$f+1]) $k($f); $ns connect $u($f) $k($f)
  set c($f) [new Application/Traffic/CBR]; $c($f) set packetSize_ 1024; $c($f) set interval_ 0.25; $c($f) attach-agent $u($f)
  $ns at [expr 5.0+$f*0.1] "$c($f) start"
}
$ns at @END@ "$ns halt"
$ns run
