#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""decode.py MESH_CAPTURE: tshark reads what each routing module sends: every message is of its protocol, none is malformed, and the kinds of
message that must occur do."""
import os
import subprocess
import sys
import tempfile

# routing: filter of its messages, dissector, field of their type, types that must occur
EXPECTED = {
    'aodv:hello=on': ('udp.port == 654', 'aodv', 'aodv.type', {'1', '2', '3'}),
    'dsr': ('ip.proto == 48', 'dsr', 'dsr.option.type', {'1', '2', '3', '96'}),
    'olsr': ('udp.port == 698', 'olsr', 'olsr.message_type', {'1', '2'}),
    'dsdv:period=2s': ('udp.port == 1994', 'udp', None, set()), # no dissector: ours is the only format
}


def tshark(path, *arguments):
    run = subprocess.run(['tshark', '-r', path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    return [line for line in run.stdout.split('\n') if line]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for routing, (select, name, field, types) in EXPECTED.items():
            path = os.path.join(folder, 'mesh.pcap')
            delivered = subprocess.run([sys.argv[1], routing, path], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
            messages = tshark(path, '-Y', select)
            wrong = tshark(path, '-Y', '_ws.malformed or ip.checksum.status == "Bad" or udp.checksum.status == "Bad"', '-o', 'ip.check_checksum:TRUE',
                           '-o', 'udp.check_checksum:TRUE')
            known = tshark(path, '-Y', '(%s) and %s' % (select, name))
            seen = {value for line in tshark(path, '-Y', name, '-T', 'fields', '-e', field) for value in line.split(',')} if field else set()
            good = messages and not wrong and len(known) == len(messages) and types <= seen and int(delivered[0]) >= 40
            print('%s %s: %d messages, %d decoded, %d malformed, types %s, %s delivered' %
                  ('ok' if good else 'not ok', routing, len(messages), len(known), len(wrong), ' '.join(sorted(seen)), delivered[0]))
            failures += not good
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
