#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""make_corpus.py SOURCES DIRECTORY: writes the seeds of the fuzz targets, one folder per target; SOURCES is the top of the project."""
import glob
import os
import struct
import sys

US, PEER, OTHER = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]), bytes([10, 0, 0, 3])
OUR_MAC, PEER_MAC = bytes([2, 0, 0, 0, 0, 1]), bytes([2, 0, 0, 0, 0, 2])
BROADCAST = b"\xff" * 6


def csum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


# ---- TCP segments ----------------------------------------------------------------------------------------


def segment(flags, options=b"", payload=b"", offset=None):
    words = (20 + len(options)) // 4 if offset is None else offset
    return struct.pack("!HHIIBBHHH", 40000, 80, 0x01020304, 0x0A0B0C0D, words << 4, flags, 65535, 0, 0) + options + payload


def ts(value=1, echo=2):
    return b"\x01\x01\x08\x0a" + struct.pack("!II", value, echo)


def sack(blocks):
    return b"\x01\x01\x05" + bytes([2 + 8 * blocks]) + b"".join(struct.pack("!II", 100 * i, 100 * i + 50) for i in range(blocks))


def tcp_seeds():
    exid = b"\x01\x01\xfd\x06TR\x01\x18"
    yield segment(16)
    yield segment(24, payload=b"GET / HTTP/1.0\r\n\r\n")
    yield segment(2, b"\x02\x04\x05\xb4")
    yield segment(2, b"\x02\x04\x05\xb4\x04\x02\x08\x0a" + bytes(8) + b"\x01\x03\x03\x07")
    yield segment(2, b"\x02\x04\x05\xb4\x01\x01\x04\x02\x01\x03\x03\x0e")
    yield segment(16, ts())
    for blocks in (1, 2, 3):
        yield segment(16, ts() + sack(blocks))
    yield segment(16, sack(4))
    yield segment(16, ts() + sack(2) + exid)
    yield segment(16, exid + exid + exid + exid + exid)
    yield segment(16, b"\xfe\x28" + bytes(38))
    yield segment(16, b"\x00\x02\x04\x05")
    yield segment(16, b"\x08\x00\x00\x00")
    yield segment(16, b"\x08\x01\x00\x00")
    yield segment(16, b"\x08\xff\x00\x00")
    yield segment(16, b"\x01\x01\x01\x08")
    yield segment(16, b"\x13\x12" + bytes(16) + b"\x01\x01")
    yield segment(16, offset=4)
    yield segment(16, offset=15)
    yield segment(0xFF, b"\x01" * 40)
    yield b"\x00" * 19


# ---- frames for the IP layer -----------------------------------------------------------------------------


def ipv4(payload, protocol, src=PEER, dst=US, frag=0x4000, ident=1, tos=0, total=None, options=b""):
    ihl = 5 + len(options) // 4
    header = struct.pack("!BBHHHBBH4s4s", 4 << 4 | ihl, tos, total or ihl * 4 + len(payload), ident, frag, 64, protocol, 0, src, dst)
    header += options
    return header[:10] + struct.pack("!H", csum(header)) + header[12:] + payload


def eth(payload, kind=0x0800, dst=OUR_MAC):
    return dst + PEER_MAC + struct.pack("!H", kind) + payload


def icmp(kind, code, rest=0, body=b""):
    head = struct.pack("!BBHI", kind, code, 0, rest)
    return head[:2] + struct.pack("!H", csum(head + body)) + head[4:] + body


def arp(op, sender=PEER, target=US, mac=PEER_MAC, dst=BROADCAST):
    return eth(struct.pack("!HHBBH", 1, 0x0800, 6, 4, op) + mac + sender + OUR_MAC + target, 0x0806, dst)


def record(frame, control=0):
    return struct.pack("<BH", control, len(frame)) + frame


def transmit(dst, control=0):
    return record(dst + bytes(16), 16 | control)


def ip_seeds():
    quoted = ipv4(segment(16)[:8], 6, US, PEER, total=1500)
    yield record(eth(ipv4(segment(2), 6)))
    yield record(eth(ipv4(icmp(8, 0, 7, b"ping" * 14), 1)))
    yield record(eth(ipv4(icmp(8, 0, 7, bytes(1480)), 1)), 4)
    for code in (0, 1, 2, 3, 4):
        yield record(eth(ipv4(icmp(3, code, 1400, quoted), 1)))
    yield record(eth(ipv4(icmp(11, 0, 0, quoted), 1)))
    yield record(eth(ipv4(icmp(4, 0, 0, quoted), 1)))
    yield record(eth(ipv4(icmp(3, 3, 0, quoted[:20]), 1)), 4)
    yield record(eth(ipv4(bytes(30), 17))) * 30
    yield record(eth(ipv4(bytes(1400), 132)))
    yield record(arp(1))
    yield record(arp(2, OTHER, dst=OUR_MAC))
    yield record(arp(1, PEER, OTHER)) + record(arp(1, US, US)) + record(arp(1, bytes(4)))
    yield transmit(OTHER) + record(arp(2, OTHER, mac=bytes([2, 0, 0, 0, 0, 3]), dst=OUR_MAC), 1) + transmit(OTHER)
    yield transmit(OTHER) * 20 + transmit(OTHER, 2) * 5
    yield b"".join(transmit(bytes([10, 0, 0, 100 + i])) for i in range(80))
    yield transmit(bytes([192, 168, 1, 1])) + transmit(US) + transmit(bytes([255] * 4)) + transmit(PEER, 3)
    yield record(eth(ipv4(segment(16), 6, src=US))) + record(eth(ipv4(segment(16), 6, src=bytes([127, 0, 0, 1]))))
    yield record(eth(ipv4(segment(16), 6, dst=OTHER))) + record(eth(ipv4(segment(16), 6), dst=BROADCAST))
    yield record(eth(ipv4(segment(16), 6, total=2000))) + record(eth(ipv4(segment(16), 6, total=10)))
    yield record(eth(ipv4(segment(16), 6, options=b"\x94\x04\x00\x00")))
    yield record(eth(ipv4(segment(16), 6))[:33]) + record(eth(b"", 0x86DD)) + record(b"\x02")
    first, last = ipv4(bytes(64), 6, frag=0x2000), ipv4(bytes(30), 6, frag=8)
    yield record(eth(first)) + record(eth(last))
    yield record(eth(last)) + record(eth(first), 1)
    yield record(eth(first)) + record(eth(ipv4(b"\x01" * 64, 6, frag=0x2004))) + record(eth(last), 3)
    echo = icmp(8, 0, 1, bytes(100))
    yield record(eth(ipv4(echo[:56], 1, frag=0x2000))) + record(eth(ipv4(echo[56:], 1, frag=7)))
    yield b"".join(record(eth(ipv4(bytes(8), 6, frag=0x2000, ident=i))) for i in range(40))
    yield b"".join(record(eth(ipv4(bytes(8), 6, src=bytes([11, 0, 0, i]), frag=0x2000))) for i in range(40))
    yield record(eth(ipv4(bytes(8), 6, frag=0x1FFF))) + record(eth(ipv4(b"", 6, frag=0x2000)), 3)


# ---- fragments -------------------------------------------------------------------------------------------


def piece(start, length, more, datagram=0, fill=0, wait=0):
    return struct.pack("<BHHBB", datagram | (4 if more else 0), start // 8, length, fill, wait)


def fragment_seeds():
    yield piece(0, 512, True) + piece(512, 512, True) + piece(1024, 333, False)
    yield piece(1024, 333, False) + piece(512, 512, True) + piece(0, 512, True)
    yield piece(0, 64, True) + piece(0, 64, True) + piece(64, 8, False)
    yield piece(0, 64, True) + piece(56, 64, True) + piece(120, 8, False)
    yield piece(0, 64, True) + piece(0, 64, True, fill=1) + piece(64, 8, False)
    yield piece(0, 64, True) + piece(64, 64, False) + piece(128, 8, True)
    yield piece(128, 8, False) + piece(64, 8, False) + piece(0, 64, True)
    yield piece(0, 64, True) + piece(64, 64, False, wait=119)
    yield piece(0, 64, True) + piece(64, 64, False, wait=120)
    yield piece(0, 63, True) + piece(0, 0, True) + piece(65528, 2000, False)
    yield piece(2000, 14, False) + piece(2008, 8, False)
    yield piece(1000, 1014, False) + piece(0, 1000, True)
    yield piece(1000, 1015, False) + piece(0, 1000, True)
    yield b"".join(piece(8 * i, 8, i < 199) for i in range(200))
    yield b"".join(piece(8 * i, 8, i < 199) for i in reversed(range(200)))
    yield b"".join(piece(16 * i, 8, True) for i in range(100)) + b"".join(piece(16 * i + 8, 8, i < 99) for i in range(100))
    yield b"".join(piece(64 * i, 64, i < 5, datagram=d) for i in range(6) for d in range(4))
    yield b"".join(piece(0, 512, True, datagram=d, wait=40) for d in range(4)) * 3 + piece(512, 9, False, datagram=3)
    yield piece(0, 1, False) + piece(8, 1, False) + piece(0, 8, True)
    yield piece(448, 128, True) + piece(0, 448, True) + piece(576, 64, False)


# ---- big frames behind a virtio header -------------------------------------------------------------------


def big(frame, more, kind, size, flags=1, start=34, offset=16):
    return struct.pack("<BBHHHH", flags, kind, 54, size, start, offset) + struct.pack("!H", more) + frame


def ipv6(payload, protocol, more):
    return struct.pack("!IHBB", 6 << 28, len(payload) + more, protocol, 64) + bytes(16) + bytes(15) + b"\x01" + payload


def udp(more):
    return struct.pack("!HHHH", 4000, 443, 8 + more, 0)


def tagged(frame):
    return frame[:12] + b"\x81\x00\x00\x07" + frame[12:]


def offload_seeds():
    for more in (100, 1960, 5000, 65000):
        yield big(eth(ipv4(segment(0x99, ts()), 6, total=52 + more)), more, 1, 1448)
        yield big(eth(ipv6(segment(16), 6, more), 0x86DD), more, 4, 1440, start=54)
        yield big(eth(ipv4(udp(more), 17, total=28 + more)), more, 5, 1200, offset=6)
        yield big(eth(ipv6(udp(more), 17, more), 0x86DD), more, 0x85, 1200, offset=6)
        yield big(tagged(eth(ipv4(segment(16), 6, total=40 + more))), more, 0x81, 1000)
        yield big(eth(ipv4(segment(16), 6, total=40 + more)), more, 0, 0)
    yield big(eth(ipv4(segment(16), 6, total=65535)), 65495, 1, 9)
    yield big(eth(ipv4(segment(16), 6, total=65535)), 65495, 1, 5000)
    yield big(eth(ipv4(segment(16), 6, total=40)), 0, 1, 100)
    yield big(eth(ipv4(segment(16, b"\x01" * 40), 6, options=b"\x01" * 40, total=1120)), 1000, 1, 65535)
    yield big(b"", 0, 1, 1)
    yield big(eth(b""), 6, 4, 1, flags=2)


# ---- a router and the stages that answer by ICMP ----------------------------------------------------------


HOST6, GATEWAY6 = bytes.fromhex("20010db8000100000000000000000002"), bytes.fromhex("20010db8000100000000000000000001")
NEXT6, FAR6 = bytes.fromhex("20010db8000200000000000000000002"), bytes.fromhex("20010db8000300000000000000000002")
ALL6, ANY6, LINK6 = bytes.fromhex("ff02") + bytes(13) + b"\x01", bytes(16), bytes.fromhex("fe80") + bytes(13) + b"\x09"
SOLICITED = bytes.fromhex("ff0200000000000000000001ff000001")


def packet6(payload, protocol, src=HOST6, dst=NEXT6, hops=64):
    return eth(struct.pack("!IHBB", 6 << 28, len(payload), protocol, hops) + src + dst + payload, 0x86DD)


def message6(kind, body=b"", code=0):
    return struct.pack("!BBH", kind, code, 0) + body


def discovery(kind, target, src=HOST6, dst=SOLICITED, flags=0, option=b"\x01\x01" + PEER_MAC, hops=255):
    return packet6(message6(kind, struct.pack("!I", flags << 24) + target + option), 58, src, dst, hops)


def router_seeds():
    repaired, ours, next_port, peer, stage = 64, 128, 1, 2, 3
    hello = record(discovery(135, GATEWAY6), repaired)
    advertised = record(discovery(136, NEXT6, NEXT6, bytes.fromhex("fe80000000000000007774fffe100101"), 0x60, b"\x02\x01" + PEER_MAC),
                        repaired | next_port | ours)
    yield hello + record(packet6(udp(0), 17), ours) * 3 + advertised + record(packet6(udp(0), 17), ours)
    yield hello + record(packet6(udp(0), 17), ours) + record(packet6(udp(0), 17), ours | 32) * 4
    yield hello + advertised + record(packet6(udp(0), 17), ours | 48) + record(packet6(udp(0), 17), ours | 32) * 4
    yield record(discovery(135, GATEWAY6, ANY6, option=b""), repaired) + record(discovery(135, GATEWAY6, ANY6), repaired)
    yield record(discovery(135, GATEWAY6, option=b"\x01\x00" + PEER_MAC), repaired) + record(discovery(135, GATEWAY6, hops=254), repaired)
    yield record(discovery(135, GATEWAY6, option=b"\x05\x01" + bytes(6) + b"\x01\x01" + PEER_MAC), repaired)
    yield hello + record(packet6(message6(128, bytes(36)), 58, dst=GATEWAY6), repaired | ours)
    yield hello + b"".join(record(packet6(udp(0), 17, dst=FAR6, hops=hops), ours) for hops in (0, 1, 2))
    yield hello + record(packet6(udp(0), 17, dst=bytes([0x20]) + bytes(15)), ours) * 3
    yield record(packet6(message6(130, bytes(20)), 58, LINK6, ALL6, 1), repaired)
    yield record(packet6(udp(0), 17, src=FAR6, dst=HOST6), peer | ours) + hello
    yield b"".join(record(packet6(udp(0), 17, dst=NEXT6[:15] + bytes([i])), ours) for i in range(100)) + record(b"", 48)
    options = b"\x3c\x00" + bytes(6)
    headers = b"\x2c\x00" + bytes(6) + b"\x11\x00\x00\x01" + bytes(4) + udp(0)
    for control in (stage, stage | 4, stage | 8 | 32):
        yield record(packet6(bytes(1400), 17, hops=2), control) + record(eth(ipv4(bytes(1400), 17)), control)
        yield record(packet6(options * 7 + headers, 60, hops=3), control) + record(packet6(options * 20, 60, hops=3), control)
        yield record(packet6(message6(3, bytes(1300)), 58, hops=1), control) + record(packet6(message6(128, bytes(1300)), 58, hops=1), control)
        yield record(packet6(bytes(1300), 17, dst=ALL6[:1] + b"\x0e" + ALL6[2:], hops=1), control)
        yield record(eth(ipv4(icmp(8, 0, 7, bytes(1200)), 1)), control | repaired) * 120
    yield record(arp(1, bytes([10, 0, 1, 2]), bytes([10, 0, 1, 1]))) + record(eth(ipv4(bytes(30), 17, bytes([10, 0, 1, 2]), bytes([10, 0, 2, 9]))), ours) * 2
    yield record(eth(ipv4(icmp(8, 0, 7, bytes(30)), 1, bytes([10, 0, 1, 2]), bytes([10, 0, 1, 1]))), ours | repaired)
    yield record(eth(ipv4(bytes(30), 17, bytes([10, 0, 1, 2]), bytes([11, 0, 2, 9]))), ours) * 120


# ---- lives of a host ---------------------------------------------------------------------------------------


def life(steps, modules=0, buffers=0x3F, settings=0, habits=0x0B):
    return bytes([modules, buffers, settings, habits]) + steps


def peer_says(ack="all", above=0, length=0, window=None, sack=None, experiment=None, flags=0, who=0, ts=True):
    """A segment in the order in which fuzz_host.c draws it. above: by how many hundred bytes it leaves a hole."""
    how = {"all": 8, "old": 16, "half": 0}[ack] | (4 | above << 3 & 0x18 if above else 0) | (64 if window is not None else 0)
    options = (32 if length else 0) | (4 if sack else 0) | (8 if experiment else 0)
    data = bytes([who << 5, flags, options, 0, how]) + (struct.pack("<H", window) if window is not None else b"")
    data += b"\0" if ts else b""
    data += bytes([len(sack)]) + b"".join(bytes([1 | place << 1]) for place in sack) if sack else b""
    data += bytes([1, 6]) + experiment if experiment else b""
    return data + (struct.pack("<H", length) if length else b"")


def passes(index):
    """Time: 0 1ns 1ms 10ms 50ms 200ms 1s 3s 20s 70s 700s 25d."""
    return bytes([16, index])


def writes(length, handle=0):
    return bytes([18, handle]) + struct.pack("<H", length)


def syn(port=0, options=15, seq=7):
    return bytes([25, port, options]) + struct.pack("<IHHBI", seq, 60000, 1460, 3, 500)


def host_seeds():
    data, above = peer_says(length=1000), peer_says(length=100, above=1)
    sacks = lambda *places: peer_says("old", sack=places)
    yield life(writes(20000) + peer_says() * 8)
    yield life(data * 20 + bytes([19, 0]) + struct.pack("<H", 40000) + data, habits=0)
    yield life(above * 5 + data * 3 + passes(5) + data)
    yield life(writes(60000) + passes(3) + sacks(20) + sacks(20, 40) + sacks(20, 40, 60) + sacks(30) + peer_says("half") * 3 + passes(6) * 3)
    yield life(writes(60000) + passes(3) + peer_says("old") * 5 + peer_says("half") * 4 + peer_says(), settings=32)
    yield life((writes(60000) + passes(3) + peer_says("old", ts=False) * 5 + peer_says("half", ts=False) * 4 + peer_says(ts=False)) * 3, 0, settings=32)
    yield life(writes(60000) + (passes(6) + passes(7)) * 8 + peer_says())
    yield life(writes(3000) + bytes([20, 0]) + peer_says() + peer_says(flags=0x87) + passes(9) * 3)
    yield life(peer_says(length=900, flags=0x87) + bytes([21, 0]) + peer_says() + passes(9))
    yield life(writes(3000) + bytes([22, 0]) + data)
    yield life(syn() + peer_says() + data * 4 + peer_says(flags=0x87), settings=128)
    yield life(b"".join(syn(port) for port in range(16)) + peer_says(who=1) * 3 + passes(9), settings=128)
    yield life(writes(30000) + b"".join(bytes([28, 0, kind, code, 0x40, 3, 0]) for kind, code in ((3, 4), (2, 4), (1, 0), (1, 3), (11, 0), (4, 0))))
    yield life(writes(30000) + peer_says("old", window=0) + passes(7) * 6 + peer_says())
    yield life(passes(9) * 12 + peer_says(), settings=8)
    yield life(data + passes(11) + data + writes(500) + peer_says())
    yield life(bytes([24, 1, 0]) + bytes([24, 2, 1]) + passes(7) * 8)
    yield life(bytes([27 | 32, 60]) + eth(ipv4(segment(16), 6))[:54] + bytes(6) + bytes([27 | 32, 40]) + bytes(40))
    yield life(bytes([223]) + syn() + bytes([31]) + syn(1))
    for modules in (1, 2, 3, 4, 5 | 24, 6 | 32, 1 | 8, 4 | 16, 66):
        yield life((writes(60000) + passes(3) + data * 4 + peer_says(length=500, experiment=b"\x10\x05\0\0") * 3 + peer_says("old") * 4 + passes(6)
                    + peer_says(flags=0x30) * 3 + writes(9000)) * 3, modules, settings=2, habits=10)
    yield life((writes(60000) + passes(3) + peer_says("half", ts=False) * 9) * 3, settings=1)
    yield life((writes(60000) + passes(3) + peer_says("half") * 9) * 3, buffers=0x40 | 0x12, settings=64)
    yield life(writes(9000) + peer_says() * 4, habits=0xFF)


# ---- words and files -----------------------------------------------------------------------------------------


WORDS = (
    "", "delay 15ms", "rate 10Mbit burst 0B limit 64KB", "rate 100Mbit burst 20KB limit 1MB delay 15ms", "rate 20KB every 30ms burst 20KB limit 64KB",
    "rate 10Mbit burst 3KB limit 50packets overhead 24B queue red min 10KB max 40KB prob 5% weight 0.004 gentle ecn",
    "rate 1Gbit burst 9KB limit 1MB queue codel target 4ms interval 90ms ecn", "rate 1Mbit burst 0B limit 1MB queue fq_codel flows 64 quantum 300B",
    "rate 10Mbit burst 0B limit 1MB queue pie target 10ms update 9ms allowance 100ms alpha 0.2 beta 1 mark 20% ecn",
    "rate 10Mbit burst 0B limit 1MB queue dualpi2 target 12ms update 10ms alpha 0.1 beta 3 coupling 2 min 1ms range 300us share 1/8",
    "rate 5Mbit burst 0B limit 64KB queue head", "hops 5 from 10.0.0.9 fd00::9 | mtu 1280B drop silent", "mtu 1400B from 192.0.2.9",
    "outage at 3s for 300ms drop 50%", "outage every 3s for 300ms at 1s unreachable from 10.1.1.1",
    "handoff every 5s for 40ms at 1s flush to-delay 20ms then to-delay 40ms", "handoff mean 5s for 100ms keep to-rate 1Mbit to-loss 3%",
    "loss 1%", "loss twice 0.5%", "loss gilbert on 100ms 20% off 1s 0.1% shared start off", "loss gilbert on 1s 20% off 1s 0% twice",
    "loss markov state 1s 0% to 2 30% to 3 70% state 100ms 5% state 10ms 50% start 2", "loss elliott p 1% r 10% h 50% k 99%",
    "loss elliott mean 2% burst 3packets", "loss list 3,17,100-120", "loss copy 3:2,17-18:1-3", "corrupt 0.1% bits 3", "duplicate 2%", "reorder 3% delay 3ms",
    "delay 10ms at 1s 20ms at 2s 5ms every 10s", "delay 10ms jitter normal 3ms", "delay 10ms jitter pareto 2ms shape 2.5 reordering",
    "loss 20% | rate 2Mbit burst 0B limit 64KB delay 15ms", "only (tcp dst port 80) { loss 20% } | delay 15ms",
    "only (udp or icmp) { rate 1Mbit burst 3KB limit 32KB delay 5ms } | only (ip6 and greater 615) { loss 100% } | duplicate 1%",
)


def words_seeds():
    for i, words in enumerate(WORDS):
        yield words.encode()
        yield words.encode() + b"\0" + WORDS[(i + 7) % len(WORDS)].encode()


PORTS = "[port a]\ninterface = tap:wt0@left\n[port b]\ninterface = packet:eth1\n"
LINK = "[link]\nboth = rate 10Mbit burst 0B limit 64KB loss 1% delay 15ms\n"
PLANS = (
    PORTS + LINK,
    "[emulator]\nseed = 7\ntime = 9s\nframes = 2000\nlate = 2ms\nicmp-limit = 50\nuser = nobody\nrelease = guard\nawake = yes\n" + PORTS + LINK,
    PORTS + LINK + "[at 2s]\nfwd = rate 2Mbit burst 0B limit 64KB delay 40ms\nqueue = flush\nnote = slower\n[at 3s every 2s times 5]\nrev = delay 1ms\n",
    "[port a]\ninterface = tap:wta\ngateway = 10.0.1.1/24, 2001:db8:1::1/64\n[port b]\ninterface = tap:wtb\ngateway = 10.0.2.1/24\n"
    "[router r]\naddress = 10.255.0.1\n[router s]\n[link x]\nbetween = a r\nboth = delay 1ms\n[link y]\nbetween = r s\nfwd = loss 2%\n"
    "[link z]\nbetween = s b\n[at 500ms]\nlink = y\nboth = loss 50%\n",
    PORTS + "[link]\nboth = rate 10Mbit burst 0B limit 64KB\n  only (tcp dst port 9000) { delay 1ms }\n  | delay 15ms ; a comment\n# another\n",
)


def sources(top, *patterns):
    for pattern in patterns:
        for name in sorted(glob.glob(os.path.join(top, pattern), recursive=True)):
            with open(name, "rb") as file:
                yield file.read()[:6000]


def world_seeds(top):
    for text in PLANS:
        yield text.encode()
    yield from sources(top, "tools/data/**/*.conf", "docs/**/*.conf", "tests/**/*.conf")


MOVEMENTS = (
    "$node_(0) set X_ 5.0\n$node_(0) set Y_ 5.0\n$node_(0) set Z_ 0.0\n$node_(1) set X_ 490.0\n$node_(1) set Y_ 285.0\n"
    "$ns_ at 10.0 \"$node_(0) setdest 250.0 250.0 3.0\"\n$ns_ at 12.5 \"$node_(1) setdest 45.0 285.0 5.0\"\n"
    "$ns_ at 14.0 \"$node_(0) setdest 480.0 300.0 5.0\"\n",
    "# nodes: 2, pause: 0.00\n$god_ set-dist 0 1 3\n$node_(1) set X_ 1e2\n$node_(1) set Y_ .5\n$node_(0) set X_ -7\n$node_(0) set Y_ 0\n"
    "$ns_ at 1e-3 \"$node_(1) setdest 1 2 0.0\"\n$ns_ at 2 \"$god_ set-dist 0 1 2\"\n",
    "0.0 5.0 5.0 10.0 5.0 5.0 91.7 250.0 250.0\n0 490 285 15 490 285 104 45 285\n0 150 240\n",
    "0 0 0 1 1000000 0\n\n3.5 -1e3 2.25 3.5 0 0\n",
)


def movement_seeds():
    for text in MOVEMENTS:
        yield text.encode()


SWEEPS = (
    "[sweep]\nname = a\nrepeats = 3\nseed = 9\n[axes]\nsender = newreno real:profile=paper\nloss = 0% 1%\nmtu = 1500B 576B\n"
    "[run]\nlink = delay 15ms loss {loss}\nsize = 100KiB\nlimit = 1h\n",
    "[sweep]\nname = b\nmetric = goodput_kBps\nstop = rel 2% max 9\n[run]\nfwd = rate 1Mbit burst 3KB limit 32KB\nrev = delay 9ms\ntime = 5s\n"
    "flows = 4\n[variant x]\nsender = reno\nset = sack=off,initial_window=4\n[variant y]\npreset = bsd90\n",
)


def sweep_seeds(top):
    for text in SWEEPS:
        yield text.encode()
    yield from sources(top, "tools/data/sweeps/*.ini")


# ---- routing: records of fuzz_routing.c ------------------------------------------------------------------


def heard(control, message=b""):
    return bytes([control, len(message)]) + message


def station(i):
    return bytes([10, 0, 0, i + 1])


def aodv_messages():
    yield b"\x01\x08\0\x02" + struct.pack("!I", 7) + station(0) + bytes(4) + station(5) + struct.pack("!I", 3)
    yield b"\x01\0\0\x02" + struct.pack("!I", 8) + station(6) + bytes(4) + station(5) + struct.pack("!I", 4)
    yield b"\x02\0\0\x01" + station(6) + struct.pack("!I", 9) + station(0) + struct.pack("!I", 10000)
    yield b"\x02\0\0\0" + station(2) + bytes(8) + struct.pack("!I", 2000)
    yield b"\x03\0\0\x02" + station(6) + struct.pack("!I", 10) + station(5) + struct.pack("!I", 5)
    yield b"\x03\x80\0\x01" + station(6) + struct.pack("!I", 10)
    yield b"\x01\0\0\x01" + bytes(20) + b"\x01\x04\0\0\x03\xe8"


def dsdv_messages():
    def update(kind, *entries):
        return bytes([kind, 0, 0, len(entries)]) + b"".join(station(i) + struct.pack("!IB", seq, metric) + bytes(3) for i, seq, metric in entries)

    yield update(1, (2, 4, 0), (5, 8, 1), (6, 10, 2))
    yield update(2, (2, 6, 0), (6, 11, 255))
    yield update(1, (3, 4, 0), (6, 12, 200), (0, 7, 255))
    yield update(2, (2, 6, 0), (0, 9, 255), (5, 8, 254))


def olsr_messages():
    def packet(*messages):
        body = b"".join(messages)
        return struct.pack("!HH", 4 + len(body), 1) + body

    def message(kind, orig, body, ttl=255, seq=1, code=0x86):
        return struct.pack("!BBH", kind, code, 12 + len(body)) + station(orig) + struct.pack("!BBH", ttl, 0, seq) + body

    def group(code, *stations):
        return struct.pack("!BBH", code, 0, 4 + 4 * len(stations)) + b"".join(station(i) for i in stations)

    head = b"\0\0\x05\x03"
    yield packet(message(1, 1, head + group(1, 0), 1))
    yield packet(message(1, 1, head + group(10, 0) + group(6, 5, 6), 1))
    yield packet(message(1, 2, head + group(6, 0, 5) + group(3, 6), 1))
    yield packet(message(1, 1, head + group(10, 0), 1), message(2, 5, b"\0\x01\0\0" + station(6) + station(7), seq=2))
    yield packet(message(2, 5, b"\0\0\0\0" + station(6), seq=3), message(4, 6, bytes([192, 168, 0, 0, 255, 255, 0, 0]), seq=9))
    yield packet(message(3, 6, station(7), seq=4)) + packet(message(9, 6, b"", seq=4))


def dsr_messages():
    def header(options, follows=59, payload=b""):
        return struct.pack("!BBH", follows, 0, len(options)) + options + payload

    def option(kind, body):
        return bytes([kind, len(body)]) + body

    def over(*stations):
        return b"".join(station(i) for i in stations)

    yield header(option(1, struct.pack("!H", 7) + over(0, 5)))
    yield header(option(1, struct.pack("!H", 8) + over(6, 5, 2)) + b"\xe0\xe0")
    yield header(b"\xe0" + option(2, b"\0" + over(2, 6)) + option(96, b"\0\x01" + over(0)))
    yield header(b"\xe0" + option(2, b"\0" + over(2, 0, 6, 7)) + option(96, b"\0\x02" + over(2, 0)))
    yield header(option(3, b"\1\0" + over(2, 0, 6)) + option(96, b"\0\0"))
    yield header(option(96, b"\0\x01" + over(0)), 253, bytes(20))
    yield header(option(96, b"\x03\xc1" + over(3, 0)), 253, bytes(20))
    yield header(option(0, bytes(5)) + option(160, bytes(2)), 253, bytes(20))


def routing_seeds(messages):
    messages = list(messages)
    for message in messages:
        yield heard(0, message) + heard(0x24, message) + heard(0x88, station(6)[3:])
    yield heard(0x80, b"\x06") + b"".join(heard(0x11 + i % 3, message) + heard(0x95, message) for i, message in enumerate(messages)) + heard(0x2c)


def main():
    top, into = sys.argv[1:3]
    for name, seeds in (("tcp", tcp_seeds()), ("ip", ip_seeds()), ("fragment", fragment_seeds()), ("offload", offload_seeds()),
                        ("router", router_seeds()), ("host", host_seeds()), ("words", words_seeds()), ("world", world_seeds(top)),
                        ("movement", movement_seeds()),
                        ("sweep", sweep_seeds(top)), ("paper", sources(top, "tools/data/papers/**/*.ini")), ("aodv", routing_seeds(aodv_messages())),
                        ("dsdv", routing_seeds(dsdv_messages())), ("dsr", routing_seeds(dsr_messages())),
                        ("olsr", routing_seeds(olsr_messages()))):
        folder = os.path.join(into, name)
        os.makedirs(folder, exist_ok=True)
        for i, seed in enumerate(seeds):
            with open(os.path.join(folder, f"{i:02}"), "wb") as file:
                file.write(seed)
    with open(os.path.join(into, "corpus.stamp"), "w", encoding="ascii") as file:
        file.write("made by make_corpus.py\n")


main()
