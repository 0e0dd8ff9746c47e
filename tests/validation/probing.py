# SPDX-License-Identifier: BSD-2-Clause
"""
BBR's bandwidth filter as draft-cardwell-iccrg-bbr-congestion-control-00 and draft-cheng-iccrg-delivery-rate-estimation-00 describe it, alone: ProbeBW
with its eight phases, the greatest delivery rate of ten round trips, a window of two products, random losses. No TCP is in it: every packet is new,
its fate is known, a lost one leaves the flight when three later ones have arrived. So it says what the algorithm gives, not what a stack makes of it.
"""
import collections
import random

SEGMENT = 1448


class Flow:
    def __init__(self, rate, rtt, queue, seed, loss, before, gain):
        self.rate, self.rtt, self.queue, self.loss, self.before = rate, rtt, queue, loss, before
        self.chance = random.Random(seed)
        self.gains = [gain, 0.75, 1, 1, 1, 1, 1, 1]
        self.now = self.delivered_at = self.first_sent = self.next_send = self.link_free = self.phase_at = 0.0
        self.phase, self.delivered, self.sent, self.rounds, self.round_end = 2, 0, 0, 0, 0
        self.flight = {}  # number: (sent, delivered, delivered_at, first_sent) as they were when it left
        self.arriving = collections.deque()  # (time of the ACK, number), in order
        self.best = collections.deque([(0, float(rate))])  # (round, rate), falling: the front is the filter. It begins with the truth

    def filter(self):
        return self.best[0][1]

    def send(self):
        if not self.flight:
            self.first_sent = self.delivered_at = self.now
        self.flight[self.sent] = (self.now, self.delivered, self.delivered_at, self.first_sent)
        self.next_send = self.now + SEGMENT / (self.gains[self.phase] * self.filter())
        waiting = max(self.link_free - self.now, 0) * self.rate / SEGMENT
        lost = self.chance.random() < self.loss
        if waiting < self.queue and not (lost and self.before):
            self.link_free = max(self.link_free, self.now) + SEGMENT / self.rate
            if not lost:
                self.arriving.append((self.link_free + self.rtt, self.sent))
        self.sent += 1

    def sample(self, number):
        """One rate, and the filter over ten rounds of packets."""
        sent, delivered, delivered_at, first_sent = self.flight.pop(number)
        self.delivered += SEGMENT
        self.delivered_at, self.first_sent = self.now, sent
        if delivered >= self.round_end:
            self.rounds += 1
            self.round_end = self.delivered
        rate = (self.delivered - delivered) / max(sent - first_sent, self.now - delivered_at)
        while self.best and self.best[-1][1] <= rate:
            self.best.pop()
        self.best.append((self.rounds, rate))
        while self.best[0][0] <= self.rounds - 10:
            self.best.popleft()

    def acknowledge(self):
        self.now, number = self.arriving.popleft()
        before = len(self.flight)
        gone = [other for other in self.flight if other <= number - 3]
        for other in gone:
            del self.flight[other]
        self.sample(number)
        product = self.filter() * self.rtt / SEGMENT
        over, gain = self.now - self.phase_at > self.rtt, self.gains[self.phase]
        if over and (gain <= 1 or gone or before >= gain * product) or gain < 1 and before <= product:
            self.phase, self.phase_at = (self.phase + 1) % 8, self.now

    def run(self, begin, end):
        """The mean of the filter over the link's rate, between two times."""
        area, last = 0.0, begin
        while self.now < end:
            window = max(2 * self.filter() * self.rtt / SEGMENT + 6, 4)
            may = self.next_send if len(self.flight) < window else end
            if not self.arriving or may <= self.arriving[0][0]:
                self.now = max(self.now, may)
                self.send()
            else:
                value = self.filter()
                self.acknowledge()
                if self.now > begin:
                    area, last = area + (self.now - last) * value, self.now
        return area / (last - begin) / self.rate


def mean(rate, loss, before, seed, gain=1.25, rtt=0.04, queue=66):
    return Flow(rate, rtt, queue, seed, loss, before, gain).run(8, 40)
