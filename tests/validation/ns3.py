#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""
ns-3's TcpBbr over the path of model.py: the median of its pacing rate over that of the link, after 8 s. Not part of any check: it needs the
package ns3 of PyPI (3.44), in an environment of its own, and a minute a run.

  python3 -m venv ns3 && ns3/bin/pip install ns3==3.44.post0
  ns3/bin/python tests/validation/ns3.py SEED LOSS before|behind [SECONDS]
"""
import sys

from ns import ns

RATE = 10e6 * 1448 / 1502  # of payload; ns-3 puts two bytes of PPP before IP, TCP and timestamps

ns.cppyy.cppdef("""
#include <utility>
#include <vector>
std::vector<std::pair<double, double>> paced;
void note(ns3::DataRate, ns3::DataRate now) { paced.push_back({ns3::Simulator::Now().GetSeconds(), (double)now.GetBitRate()}); }
void hook() {
  ns3::Config::ConnectWithoutContext("/NodeList/0/$ns3::TcpL4Protocol/SocketList/0/PacingRate", ns3::MakeCallback(&note));
}
void hook_soon() { ns3::Simulator::Schedule(ns3::Seconds(0.001), &hook); }
""")


def defaults():
    set_default = ns.Config.SetDefault
    set_default("ns3::TcpL4Protocol::SocketType", ns.StringValue("ns3::TcpBbr"))
    set_default("ns3::TcpSocket::SndBufSize", ns.UintegerValue(8000000))
    set_default("ns3::TcpSocket::RcvBufSize", ns.UintegerValue(8000000))
    set_default("ns3::TcpSocket::SegmentSize", ns.UintegerValue(1448))
    set_default("ns3::TcpSocketBase::MinRto", ns.TimeValue(ns.Seconds(0.2)))


def link(nodes, first, rate, delay, packets):
    helper, pair = ns.PointToPointHelper(), ns.NodeContainer()
    helper.SetDeviceAttribute("DataRate", ns.StringValue(rate))
    helper.SetChannelAttribute("Delay", ns.StringValue(delay))
    helper.SetQueue("ns3::DropTailQueue", "MaxSize", ns.StringValue(f"{packets}p"))
    pair.Add(nodes.Get(first))
    pair.Add(nodes.Get(first + 1))
    return helper.Install(pair)


def main():
    seed, loss, place, seconds = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], float((sys.argv[4:] or ["40"])[0])
    ns.RngSeedManager.SetRun(seed)
    defaults()
    nodes = ns.NodeContainer()
    nodes.Create(3)
    near, narrow = link(nodes, 0, "1Gbps", "0ms", 1000), link(nodes, 1, "10Mbps", "20ms", 66)
    chance = ns.CreateObject[ns.RateErrorModel]()
    chance.SetUnit(ns.RateErrorModel.ERROR_UNIT_PACKET)
    chance.SetRate(loss)
    (near if place == "before" else narrow).Get(1).SetAttribute("ReceiveErrorModel", ns.PointerValue(chance))
    ns.InternetStackHelper().Install(nodes)
    addresses = ns.Ipv4AddressHelper()
    for net, devices in ("10.1.1.0", near), ("10.1.2.0", narrow):
        addresses.SetBase(ns.Ipv4Address(net), ns.Ipv4Mask("255.255.255.0"))
        ends = addresses.Assign(devices)
        ns.TrafficControlHelper().Uninstall(devices)
    ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 9).ConvertTo()).Install(nodes.Get(2))
    sink.Start(ns.Seconds(0))
    source = ns.BulkSendHelper("ns3::TcpSocketFactory", ns.InetSocketAddress(ends.GetAddress(1), 9).ConvertTo())
    source.SetAttribute("MaxBytes", ns.UintegerValue(0))
    source.Install(nodes.Get(0)).Start(ns.Seconds(0))
    ns.cppyy.gbl.hook_soon()
    ns.Simulator.Stop(ns.Seconds(seconds))
    ns.Simulator.Run()
    points = [(point.first, point.second) for point in ns.cppyy.gbl.paced]
    spans = sorted((rate, until - begin) for (begin, rate), (until, _) in zip(points, points[1:]) if begin > 8)
    half, median = sum(span for _, span in spans) / 2, 0
    for rate, span in spans:
        half -= span
        if half <= 0:
            median = rate
            break
    print(f"seed {seed}, loss {loss} {place}: pacing {median / RATE:.3f} of the link, goodput {sink.Get(0).GetTotalRx() * 8 / seconds / RATE:.3f}")


main()
