# SPDX-License-Identifier: BSD-2-Clause
"""
BBR version 3 as draft-ietf-ccwg-bbr (revision 4ce5e87d of 2026-08-03) has it in pseudo-code, alone: state machine, bandwidth filter, short-term and
long-term bounds, losses judged one by one by what was in flight when each left (InflightAtLoss). As in probing.py there is no TCP: every packet is
new, its fate is known, a lost one is found when three later ones have arrived, and where nothing can arrive any more a timer ends the wait. It begins
in ProbeBW_DOWN with the truth in its filter. Not here, because these paths do not ask for it: Startup, ProbeRTT, extra_acked, undo, the window
saved in recovery. by_ack=True judges losses as our module does: once per ACK, by the newest packet that it reports. Volumes are in segments.
"""
import collections
import random

from probing import SEGMENT

DOWN, CRUISE, REFILL, UP = "down", "cruise", "refill", "up"
GAIN = {DOWN: 0.9, CRUISE: 1, REFILL: 1, UP: 1.25}
THRESHOLD, BETA, HEADROOM, LEAST, NONE = 0.02, 0.7, 0.15, 4, float("inf")
STARTING, FEEDBACK, STOPPING, REFILLING, INIT = range(5)
Packet = collections.namedtuple("Packet", "sent delivered delivered_at first_sent inflight lost")


class Flow:
    def __init__(self, rate, rtt, queue, seed, loss, before, by_ack):
        self.rate, self.rtt, self.queue, self.loss, self.before = rate / SEGMENT, rtt, queue, loss, before
        self.by_ack = by_ack
        self.chance = random.Random(seed)
        self.now = self.delivered_at = self.first_sent = self.next_send = self.link_free = 0.0
        self.sent = self.delivered = self.lost = self.round_end = self.loss_round = 0
        self.flight, self.arriving = {}, collections.deque()
        self.filters = [self.rate, 0.0]  # max_bw of the last cycle and of this one
        self.bw, self.cwnd, self.limited = self.rate, 2 * self.rate * rtt, False
        self.bw_short = self.inflight_short = self.inflight_long = NONE
        self.bw_latest = self.inflight_latest = 0.0
        self.loss_in_round = self.probe_sample = self.too_high = self.precautionary = False
        self.up_acked, self.up_rounds, self.per_step = 0.0, 0, NONE
        self.full_bw, self.full_count, self.full_now = 0.0, 0, False
        self.down()

    # ---- the states

    def down(self):
        self.loss_in_round, self.bw_latest, self.inflight_latest, self.per_step = False, 0.0, 0.0, NONE
        self.since_up, self.wait, self.cycle_at = self.chance.randint(0, 1), 2 + self.chance.random(), self.now
        self.acks, self.round_end, self.state = STOPPING, self.delivered, DOWN

    def refill(self):
        self.bw_short = self.inflight_short = NONE
        self.up_rounds, self.up_acked, self.precautionary = 0, 0.0, False
        self.acks, self.round_end, self.state = REFILLING, self.delivered, REFILL

    def slope(self):
        self.per_step = max(self.cwnd / (1 << self.up_rounds), 1)
        self.up_rounds = min(self.up_rounds + 1, 30)

    def up(self, sample):
        self.acks, self.round_end, self.state = STARTING, self.delivered, UP
        self.full_bw, self.full_count, self.full_now = sample, 0, False
        self.slope()

    def product(self, bw, gain):
        volume = max(gain * bw * self.rtt, 6, LEAST)  # three offload budgets of two segments
        return volume + 2 if self.state == UP else volume

    def headroom(self):
        return max(self.inflight_long - max(1, HEADROOM * self.inflight_long), LEAST) if self.inflight_long < NONE else NONE

    def target(self):
        return min(self.bw * self.rtt, self.cwnd)

    def too_much(self, lost, inflight):
        return lost > inflight * THRESHOLD

    def find_lost(self, numbers, newest):
        gone = [self.flight.pop(number) for number in numbers]
        for packet in gone[-1:] if self.by_ack else gone:
            self.lost += len(gone) if self.by_ack else 1
            if not self.loss_in_round:
                self.loss_round = self.delivered
            self.loss_in_round = True
            self.judge(newest if self.by_ack else packet)

    def judge(self, packet):
        lost, before = self.lost - packet.lost, packet.inflight - 1
        if not self.probe_sample or not self.too_much(lost, packet.inflight):
            return
        safe = packet.inflight if self.by_ack else before + (THRESHOLD * before - (lost - 1)) / (1 - THRESHOLD)
        self.too_high, self.probe_sample = True, False
        self.inflight_long = max(safe, self.target() * BETA)
        if self.state == UP:
            self.down()

    def adapt_long(self, packet, started):
        if self.acks == STARTING and started:
            self.acks = FEEDBACK
        if self.acks == STOPPING and started:
            self.probe_sample, self.acks = False, INIT
            self.filters = [self.filters[1], 0.0]
            if self.precautionary and not self.too_high:
                self.refill()
                return True
        if not self.too_much(self.lost - packet.lost, packet.inflight) and self.inflight_long < NONE:
            self.inflight_long = max(self.inflight_long, packet.inflight)
            if self.state == UP and self.limited and self.cwnd >= self.inflight_long:
                self.up_acked += 1
                steps = int(self.up_acked / self.per_step) if self.up_acked >= self.per_step else 0
                self.up_acked -= steps * self.per_step if steps else 0
                self.inflight_long += steps
                if started:
                    self.slope()
        return False

    def cycle(self, packet, started, sample):
        if self.adapt_long(packet, started):
            return
        if self.state in (DOWN, CRUISE):
            if self.now > self.cycle_at + self.wait or self.since_up >= min(self.target(), 63):
                self.refill()
            elif self.state == DOWN and len(self.flight) <= min(self.headroom(), self.product(max(self.filters), 1)):
                self.state = CRUISE
        elif self.state == REFILL:
            if started:
                self.probe_sample = True
                self.up(sample)
        elif self.too_high and len(self.flight) >= self.inflight_long:
            self.precautionary, self.too_high = True, False
            self.down()
        elif self.limited and self.cwnd >= self.inflight_long:
            self.full_bw, self.full_count, self.full_now = sample, 0, False
        elif self.full_now:
            self.too_high = False
            self.down()

    # ---- an ACK, in the order of UpdateOnACK()

    def take(self, packet):
        self.delivered += 1
        self.delivered_at, self.first_sent = self.now, packet.sent
        got = self.delivered - packet.delivered
        sample = got / max(packet.sent - packet.first_sent, self.now - packet.delivered_at)
        self.bw_latest, self.inflight_latest = max(self.bw_latest, sample), max(self.inflight_latest, got)
        loss_round = packet.delivered >= self.loss_round
        if loss_round:
            self.loss_round = self.delivered
        started = packet.delivered >= self.round_end
        if started:
            self.round_end, self.since_up = self.delivered, self.since_up + 1
        self.filters[1] = max(self.filters[1], sample)
        if loss_round:
            if self.loss_in_round and self.state not in (REFILL, UP):
                self.bw_short = max(self.bw_latest, BETA * min(self.bw_short, max(self.filters)))
                self.inflight_short = max(self.inflight_latest, BETA * (self.inflight_short if self.inflight_short < NONE else self.cwnd))
            self.loss_in_round = False
        if not self.full_now and started:
            if sample >= 1.25 * self.full_bw:
                self.full_bw, self.full_count = sample, 0
            else:
                self.full_count += 1
                self.full_now = self.full_count >= 3
        self.cycle(packet, started, sample)
        if loss_round:
            self.bw_latest, self.inflight_latest = sample, got
        self.bw = min(max(self.filters), self.bw_short)
        self.bound()

    def bound(self):
        self.cwnd = max(min(self.cwnd + 1, self.product(self.bw, 2.25 if self.state == UP else 2)), LEAST)
        cap = self.headroom() if self.state == CRUISE else self.inflight_long
        self.cwnd = min(self.cwnd, max(min(cap, self.inflight_short), LEAST))

    # ---- the path

    def send(self):
        if not self.flight:
            self.first_sent = self.delivered_at = self.now
        self.flight[self.sent] = Packet(self.now, self.delivered, self.delivered_at, self.first_sent, len(self.flight) + 1, self.lost)
        self.next_send = self.now + 1 / (GAIN[self.state] * self.bw * 0.99)
        waiting = max(self.link_free - self.now, 0) * self.rate
        lost = self.chance.random() < self.loss
        if waiting < self.queue and not (lost and self.before):
            self.link_free = max(self.link_free, self.now) + 1 / self.rate
            if not lost:
                self.arriving.append((self.link_free + self.rtt, self.sent))
        self.sent += 1

    def acknowledge(self):
        self.limited = len(self.flight) + 1 > self.cwnd
        self.now, number = self.arriving.popleft()
        packet = self.flight.pop(number)
        self.find_lost([other for other in self.flight if other <= number - 3], packet)
        self.take(packet)

    def time_out(self):
        self.now = max(self.now, self.flight[max(self.flight)].sent + self.rtt + 0.2)
        self.find_lost(list(self.flight), self.flight[max(self.flight)])
        self.cwnd = 1.0

    def run(self, begin, end):
        """The mean over time of the filter over the link's rate, between two times."""
        area, last = 0.0, begin
        while self.now < end:
            room = len(self.flight) + 1 <= self.cwnd
            if room and (not self.arriving or self.next_send <= self.arriving[0][0]):
                self.now = max(self.now, self.next_send)
                self.send()
            elif self.arriving:
                value = max(self.filters)
                self.acknowledge()
                if self.now > begin:
                    area, last = area + (self.now - last) * value, self.now
            else:
                self.time_out()
        return area / (last - begin) / self.rate


def mean(rate, loss, before, seed, by_ack=False, rtt=0.04, queue=66):
    return Flow(rate, rtt, queue, seed, loss, before, by_ack).run(8, 40)
