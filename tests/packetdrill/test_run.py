# SPDX-License-Identifier: BSD-2-Clause
"""What `run` does to scripts, and how it counts, without packetdrill."""
import importlib.machinery
import importlib.util
import os
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
loader = importlib.machinery.SourceFileLoader('run', os.path.join(HERE, 'run'))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader('run', loader))
loader.exec_module(run)


class Rewrite(unittest.TestCase):
    def test_push_is_taken_from_what_leaves_and_only_there(self):
        text = '+0 > P. 1:2(1) ack 1\n+.1 < P. 1:2(1) ack 2\n* > FP. 2:3(1) ack 1\n+0~+.1 > [ect0] P. 1:2(1)\n+0 write(4, ..., 1) = 1'
        self.assertEqual(run.rewrite(text, True, False),
                         '+0 > . 1:2(1) ack 1\n+.1 < P. 1:2(1) ack 2\n* > F. 2:3(1) ack 1\n+0~+.1 > [ect0] . 1:2(1)\n+0 write(4, ..., 1) = 1')

    def test_nothing_changes_without_a_reason(self):
        text = '+0 > SP. 0:0(0) ack 1 win 5 <mss 1460,nop,wscale 6>\n'
        self.assertEqual(run.rewrite(text, False, False), text)

    def test_a_syn_of_freebsd_has_our_order_and_no_window(self):
        for theirs, ours in (('mss 1460,nop,wscale 6,sackOK,TS val 100 ecr 0', 'mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 1'),
                             ('mss 1460,sackOK,eol,eol', 'mss 1460,nop,nop,sackOK'), ('mss 1460', 'mss 1460'),
                             ('mss 1460,nop,nop,TS val 1 ecr 2', 'mss 1460,nop,nop,TS val 1 ecr 2')):
            self.assertEqual(run.rewrite('+0.00 > S  0:0(0) win 65535 <%s>' % theirs, False, True), '+0.00 > S  0:0(0)  <%s>' % ours)
        self.assertEqual(run.rewrite('+0 < S 0:0(0) win 9 <mss 1460,sackOK,eol,eol>', False, True), '+0 < S 0:0(0) win 9 <mss 1460,sackOK,eol,eol>')


class Table(unittest.TestCase):
    def rows(self, *verdicts):
        return [{'script': 'a/%d.pkt' % i, 'verdict': verdict, 'aside': '', 'reason': 'said'} for i, verdict in enumerate(verdicts)]

    def explain(self, rows, *reasons):
        run.known_reasons = lambda: iter(reasons)
        return run.explain(rows)

    def test_the_first_reason_that_fits_counts(self):
        rows = self.rows('failed', 'failed', 'passed')
        self.assertEqual(self.explain(rows, ('a/0.pkt', 'first'), ('a/[01].pkt', 'second')), [])
        self.assertEqual([row['verdict'] for row in rows], ['known', 'known', 'passed'])
        self.assertEqual([row['reason'] for row in rows[:2]], ['first', 'second'])

    def test_a_reason_for_a_script_that_passes_is_stale(self):
        self.assertEqual(self.explain(self.rows('passed'), ('a/0.pkt', 'why')), ['a/0.pkt'])

    def test_a_reason_for_scripts_that_did_not_run_is_not(self):
        self.assertEqual(self.explain(self.rows('passed'), ('b/*', 'why')), [])

    def test_a_failure_without_a_reason_stays_one(self):
        rows = self.rows('failed')
        self.explain(rows, ('b/*', 'why'))
        self.assertEqual(rows[0]['verdict'], 'failed')


class Reasons(unittest.TestCase):
    def test_every_line_has_a_pattern_and_a_reason(self):
        found = KNOWN
        self.assertGreater(len(found), 30)
        for pair in found:
            self.assertEqual(len(pair), 2, pair)
            self.assertTrue(all(pair), pair)


KNOWN = tuple(run.known_reasons())

if __name__ == '__main__':
    unittest.main()
