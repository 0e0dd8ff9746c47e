# SPDX-License-Identifier: BSD-2-Clause
"""Window rules for acks.py: what both sides have in common. rules_ns2.py has those of ns-2 2.35, rules_ours.py ours with the preset ns2; a rule
of ours is Name, that of the agent NameAgent. `off` names habits of a rule that are taken away, to see what each of them does.
"""


class Rule:
    traced_in_recovery = False # whether what is recorded as the window is the flight, where that is larger
    syn = 0                    # packets of the window that are no data
    threshold = 3
    halves = False             # in recovery a packet goes for every second that arrives, until the flight is down to the window

    def __init__(self, *off):
        self.off, self.cwnd, self.ssthresh = off, 2, 1 << 30

    def sample(self, now, rtt, acked, open_):
        pass

    def seen(self, flow):
        pass

    def recorded(self):
        return self.cwnd

    def recovered(self, now, flight):
        pass

    def ack(self, now, acked, flow):
        """Slow start up to ssthresh, then `avoid`."""
        if self.cwnd <= self.ssthresh:
            self.cwnd += 1
        else:
            self.avoid(now, acked, flow)

    def timeout(self, now):
        self.ssthresh, self.cwnd = max(2, self.cwnd // 2), 1
