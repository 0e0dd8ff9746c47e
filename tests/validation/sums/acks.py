# SPDX-License-Identifier: BSD-2-Clause
"""A third instrument beside ns-2's Linux agents and ours: one flow over one link, counted ACK by ACK, with the window rule of either.

The rules stand in rules_ns2.py and rules_ours.py. What they share is here: a link of a rate, a delay and a queue, a receiver that acknowledges
every packet with SACK, losses by packet number, recovery by SACK. A packet is lost when `threshold` packets above it have arrived, a copy when
something sent after it has. In recovery the agents let a packet go for every second that arrives until the flight is down to the window (`halves`).
Ours with the preset ns2 sends the first lost packet at once, and nothing more until then (RFC 6675 5).
"""
import collections

RTT = 0.030


class Link:
    def __init__(self, scenario, syn):
        self.time, self.queue = 1054 * 8 / scenario.rate, scenario.queue
        self.free, self.lost, self.passed, self.dropped = 0.0, set(scenario.drops), -syn, 0

    def send(self, now):
        """When the packet arrives, or None."""
        if self.free - now > (self.queue - 1) * self.time: # ns-2 and ours count the packet that leaves
            self.dropped += 1
            return None
        self.free = max(self.free, now) + self.time
        self.passed += 1
        if self.passed in self.lost:
            self.dropped += 1
            return None
        return self.free + RTT + 54 * 8 * self.time / (1054 * 8)


class Flow:
    """Runs `rule` for the scenario's time; then mean (from `since` on, seconds), cuts and drops say what came of it."""

    def __init__(self, rule, scenario, since=0):
        self.since = since
        self.rule, self.link, self.threshold, self.most = rule, Link(scenario, rule.syn), rule.threshold, scenario.window
        self.una = self.next = self.got = 0
        self.fly = collections.deque()   # (arrives, number, sent)
        self.above = set()               # SACKed
        self.lost = []                   # held lost, not sent again
        self.copies = {}                 # number: next when it was sent again
        self.looked = 0                  # what lies below was judged
        self.recover = self.halving = None
        self.cuts = self.area = 0
        self.then = self.begin = None
        self.now = 0.0
        self.run(scenario.seconds)

    def flight(self):
        return self.next - self.una - len(self.above) - len(self.lost)

    def send_one(self):
        if self.lost:
            number = self.lost.pop(0)
            self.copies[number] = self.next
        else:
            number, self.next = self.next, self.next + 1
        arrives = self.link.send(self.now)
        if arrives is not None:
            self.fly.append((arrives, number, self.now))

    def send(self):
        while self.flight() < max(min(int(self.rule.cwnd), self.most), self.halving or 0):
            self.send_one()
            if self.halving is not None:
                self.halving = min(self.halving, max(self.flight() - 1, 1))

    def take(self, number):
        """The ACK of a packet; how many it acknowledges in a row."""
        self.above.add(number)
        before = self.una
        while self.una in self.above:
            self.above.discard(self.una)
            self.copies.pop(self.una, None)
            self.una += 1
        self.lost = [n for n in self.lost if n != number and n >= self.una]
        return self.una - before

    def judge(self, number):
        """Further losses."""
        self.got = max(self.got, number)
        self.looked = max(self.looked, self.una)
        found = False
        while self.looked <= self.got - self.threshold:
            if self.looked not in self.above and self.looked not in self.copies:
                self.lost.append(self.looked)
                found = True
            self.looked += 1
        for copy, after in list(self.copies.items()):
            if copy not in self.above and after <= self.got and copy not in self.lost:
                del self.copies[copy]
                self.lost.append(copy)
                self.lost.sort()
                found = True
        return found

    def mark(self):
        """The mean of what the window was until now."""
        if self.now < self.since:
            return
        if self.begin is None:
            self.begin = self.now
        else:
            self.area += (self.now - self.then) * self.level
        self.then = self.now

    def run(self, seconds):
        self.level = self.rule.cwnd
        self.send()
        while True:
            if not self.fly: # nothing under way: the timer
                self.now += 0.2
                self.rule.timeout(self.now)
                self.cuts += 1
                self.lost = [n for n in range(self.una, self.next) if n not in self.above]
                self.copies.clear()
                self.recover, self.looked, self.halving = self.next, self.next, None
                self.send()
                continue
            arrives, number, sent = self.fly.popleft()
            if arrives > seconds:
                break
            self.now = arrives
            prior = self.flight()
            acked = self.take(number)
            self.mark()
            self.rule.sample(self.now, self.now - sent, acked, self.recover is None)
            self.rule.seen(self)
            if acked and self.recover is None and prior >= min(int(self.rule.cwnd), self.most):
                self.rule.ack(self.now, acked, self)
            found = self.judge(number)
            if self.recover is not None and self.una >= self.recover:
                self.recover = self.halving = None
                self.rule.recovered(self.now, self.flight())
            elif self.recover is None and found:
                self.cuts, self.recover = self.cuts + 1, self.next
                if self.rule.halves:
                    self.halving = int(self.rule.cwnd)
                self.rule.loss(self.now)
                if not self.rule.halves:
                    self.send_one()
            if self.halving is not None:
                self.halving = min(self.halving, self.flight() + 1)
            self.send()
            self.level = min(max(self.rule.cwnd, self.halving or 0) if self.rule.traced_in_recovery else self.rule.recorded(), self.most)
        self.now = seconds
        self.mark()
        self.mean, self.drops = self.area / (seconds - self.begin), self.link.dropped
