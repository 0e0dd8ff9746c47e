/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The controllers against what does not share their code: PIE against its pseudo-code played by a model of its own, packet by
 * packet; both where they come to rest, against closed forms; and the gaps between PIE's drops against their law.
 *
 * The link carries a packet of 1000 bytes each millisecond.
 */
#include "tests/unit/emu/queue_bench.h"

#include <math.h>

static struct wt_rate_counts counts_of(const struct wt_node *node)
{
	struct wt_rate_counts counts;

	wt_rate_counts(node, &counts);
	return counts;
}

struct seen {
	uint64_t out, marked;
	double delay; /* sum of the seconds in the queue */
};

static void take(struct wt_node *node, wt_time now, struct seen *seen)
{
	struct wt_frame *frame;

	while ((frame = bench_output(node, now))) {
		if (seen) {
			seen->out++;
			seen->marked += wt_packet_ecn(frame) == WT_ECN_CE;
			/* the tag is the microsecond of its arrival; the last millisecond was its own on the link */
			seen->delay += (double)frame->time / 1e9 - bench_packet_tag(frame) / 1e6 - 0.001;
		}
		wt_frame_free(frame);
	}
}

static void offer(struct wt_node *node, wt_time now, enum wt_ecn ecn)
{
	bench_input(node, now, bench_packet(1000, (uint32_t)(now / WT_US), ecn, 1));
}

/* ---- PIE, played from RFC 8033 appendices A and B -------------------------------------------------------------- */

enum { LIMIT = 100, RING = 256 };

struct model {
	wt_time arrived[RING];
	unsigned head, count; /* that wait */
	wt_time sent_until;   /* 0: nothing is sent */
	wt_time step;
	double p, delay, old, accumulated, burst;
	uint64_t draws, early, full, marked;
	struct wt_key key;
};

static void model_step(struct model *m)
{
	static const double under[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}, divisor[] = {2048, 512, 128, 32, 8, 2};
	double delay = m->count ? m->delay : 0, move = 0.125 * (delay - 0.015) + 1.25 * (delay - m->old);
	unsigned i = 0;

	while (i < 6 && m->p >= under[i])
		i++;
	if (i < 6)
		move /= divisor[i];
	m->p += m->p >= 0.1 && move > 0.02 ? 0.02 : move;
	if (delay == 0 && m->old == 0)
		m->p *= 0.98;
	m->p = m->p < 0 ? 0 : m->p > 1 ? 1 : m->p;
	m->old = m->delay = delay;
	m->burst = fmax(0, m->burst - 0.015);
	if (m->burst < 1e-9) /* of binary fractions */
		m->burst = 0;
}

static void model_begin(struct model *m, wt_time now)
{
	m->sent_until = 0;
	if (!m->count)
		return;
	m->delay = (double)(now - m->arrived[m->head]) / 1e9;
	m->head = (m->head + 1) % RING;
	m->count--;
	m->sent_until = now + WT_MS;
}

static void model_run(struct model *m, wt_time now)
{
	for (;;) {
		bool leaves = m->sent_until && m->sent_until <= now;

		if (m->step <= now && !(leaves && m->sent_until < m->step)) {
			model_step(m);
			m->step += 15 * WT_MS;
		} else if (leaves) {
			model_begin(m, m->sent_until);
		} else {
			return;
		}
	}
}

static bool model_strikes(struct model *m)
{
	double number;

	if (m->burst > 0 || (m->old < 0.0075 && m->p < 0.2) || (m->count + (m->sent_until > 0)) * 1000 <= 2 * 1024)
		return false;
	number = wt_random_unit(&m->key, UINT64_C(6) << 48 | m->draws++);
	if (m->p == 0)
		m->accumulated = 0;
	m->accumulated += m->p;
	if (m->accumulated < 0.85 || (m->accumulated < 8.5 && number >= m->p))
		return false;
	m->accumulated = 0;
	return true;
}

static void model_arrival(struct model *m, wt_time now, bool ecn)
{
	model_run(m, now);
	if (m->p == 0 && (m->count ? m->delay : 0) < 0.0075 && m->old < 0.0075)
		m->burst = 0.15;
	if (m->count + (m->sent_until > 0) + 1 > LIMIT) {
		m->accumulated = 0;
		m->full++;
		return;
	}
	if (model_strikes(m)) {
		if (!ecn || m->p > 0.1) {
			m->early++;
			return;
		}
		m->marked++;
	}
	m->arrived[(m->head + m->count++) % RING] = now;
	if (!m->sent_until)
		model_begin(m, now);
}

/* Overloads, rests, bursts after rests of every length, a full buffer: from all the states that the rules tell apart. */
static void play(const char *words, bool ecn)
{
	static const struct {
		unsigned packets;
		wt_time gap;
	} phases[] = {{4000, WT_MS / 2}, {1, 3 * WT_S}, {12000, 830 * WT_US}, {3000, 1100 * WT_US}, {8000, WT_MS / 4}, {1, WT_S},
		      {40, 10 * WT_US}, {1, 40 * WT_MS}, {60, 10 * WT_US}, {1, 97 * WT_MS}, {9000, 950 * WT_US}, {200, 9 * WT_MS},};
	struct wt_node *node = bench_words(words);
	struct model m = {.step = 15 * WT_MS, .burst = 0.15, .key = wt_key_derive(1, "fwd.rate")};
	wt_time now = 0;

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned phase = 0; phase < sizeof(phases) / sizeof(phases[0]); phase++) {
			for (unsigned i = 0; i < phases[phase].packets; i++) {
				now += phases[phase].gap + round * 7 * WT_US;
				take(node, now, NULL);
				offer(node, now, ecn ? WT_ECN_ECT0 : WT_ECN_NOT_ECT);
				model_arrival(&m, now, ecn);
				if (fabs(counts_of(node).pressure - m.p) > 1e-9 || node->audit.dropped[WT_DROP_AQM] != m.early ||
				    node->audit.dropped[WT_DROP_QUEUE] != m.full || node->audit.marked != m.marked)
					fail_msg("phase %u.%u, packet %u: p %.9g, the model %.9g", round, phase, i,
						 counts_of(node).pressure, m.p);
			}
		}
	}
	assert_true(m.early > 1000 && m.full > 100 && (m.marked > 10) == ecn);
	wt_path_finish(&bench_path);
}

static void pie_does_packet_by_packet_what_its_pseudo_code_says(void **state)
{
	play("rate 8Mbit burst 0B limit 100packets queue pie", false);
	play("rate 8Mbit burst 0B limit 100packets queue pie ecn", true);
}

/* ---- where controllers rest ------------------------------------------------------------------------------------ */

/* What a source that heeds nothing meets at `load` times the link: the second half of `time`, when all is at rest. */
struct rest {
	double delay, lost, pressure, marked;
};

static struct rest rest(const char *words, double load, enum wt_ecn ecn, wt_time time)
{
	struct wt_node *node = bench_words(words);
	struct seen seen = {0};
	struct rest rest = {0};
	uint64_t offered = 0, before = 0, samples = 0;
	wt_time now = 0, gap = (wt_time)(1e6 / load);

	for (; now < time; now += gap) {
		bool counts = now >= time / 2;

		take(node, now, counts ? &seen : NULL);
		if (counts && !offered++)
			before = wt_audit_dropped(&node->audit);
		offer(node, now, ecn);
		rest.pressure += counts ? counts_of(node).pressure : 0;
		samples += counts;
	}
	rest.lost = (double)(wt_audit_dropped(&node->audit) - before) / (double)offered;
	rest.pressure /= (double)samples;
	rest.delay = seen.delay / (double)seen.out;
	rest.marked = (double)seen.marked / (double)seen.out;
	wt_path_finish(&bench_path);
	return rest;
}

/* What the controller sees is the head's age at its steps; what is sent may be a packet younger. Of the target: */
#define HALF_A_PACKET (0.5 / 15)

static void is_about(const char *what, double value, double expected, double share)
{
	if (!(fabs(value - expected) <= share * expected))
		fail_msg("%s: %.6g, expected %.6g within %.3g", what, value, expected, share);
}

/* Packets from one drop to the next where p stands still: none until the sum is 0.85, certain from 8.5. */
static double mean_gap(double p)
{
	double sum = 0, left = 1;

	for (unsigned n = 1; left > 0; n++) {
		sum += left;
		if (n * p >= 8.5)
			break;
		if (n * p >= 0.85)
			left *= 1 - p;
	}
	return sum;
}

/*
 * An integral controller rests only at its target: then the share it drops is what the link cannot carry. For PIE that share
 * follows from p through the mean gap (5 packets here); p itself, by bisection.
 */
static void pie_rests_at_its_target_and_drops_the_excess(void **state)
{
	struct rest at = rest("rate 8Mbit burst 0B limit 10MB queue pie", 1.25, WT_ECN_NOT_ECT, 400 * WT_S);
	double low = 0.1, high = 0.5;

	for (unsigned i = 0; i < 60; i++)
		*(mean_gap((low + high) / 2) > 5 ? &low : &high) = (low + high) / 2;
	is_about("delay", at.delay, 0.015, HALF_A_PACKET);
	is_about("lost", at.lost, 0.2, 0.002);
	is_about("p", at.pressure, low, 0.05);
}

/* p'^2 of the classic packets are dropped: p' is the root of the excess. */
static void dualpi2_rests_at_its_target_and_drops_the_excess_as_a_square(void **state)
{
	struct rest at = rest("rate 8Mbit burst 0B limit 10MB queue dualpi2", 1.25, WT_ECN_NOT_ECT, 400 * WT_S);

	is_about("delay", at.delay, 0.015, HALF_A_PACKET);
	is_about("lost", at.lost, 0.2, 0.002);
	is_about("p'", at.pressure, sqrt(0.2), 0.01);
}

/* RFC 9332 A.2: no classic traffic at all, and the low latency queue is held to the classic target by drops. */
static void traffic_that_ignores_its_marks_is_held_to_the_classic_target(void **state)
{
	struct rest at = rest("rate 8Mbit burst 0B limit 10MB queue dualpi2", 1.5, WT_ECN_ECT1, 400 * WT_S);

	is_about("delay", at.delay, 0.015, HALF_A_PACKET);
	is_about("lost", at.lost, 1.0 / 3, 0.002);
	is_about("p'", at.pressure, sqrt(1.0 / 3), 0.01);
	is_about("marked", at.marked, 1, 0.001);
}

/* ---- the gaps between PIE's drops ------------------------------------------------------------------------------ */

enum { TRIED = 1000000, MOST = 64 };

/* Brings the controller to about `wanted` and then stills it: alpha and beta of 0, a queue that stands. */
static double stilled(struct wt_node *node, wt_time *now, double wanted)
{
	char err[300];

	while (counts_of(node).pressure < wanted) {
		*now += WT_MS / 4;
		take(node, *now, NULL);
		offer(node, *now, WT_ECN_NOT_ECT);
	}
	assert_int_equal(wt_path_change(&bench_path, "rate 8Mbit burst 0B limit 10MB queue pie alpha 0 beta 0 ecn mark 100%", *now, err,
					sizeof(err)), 0);
	return counts_of(node).pressure;
}

/* Chi-square of the gaps, as deviations from what chance gives: a mean of k for k degrees of freedom, a deviation of sqrt(2k). */
static double misfit(const uint64_t gaps[MOST + 1], double p)
{
	double left = 1, chi = 0, all = 0;
	unsigned cells = 0;

	for (unsigned n = 1; n <= MOST; n++)
		all += (double)gaps[n];
	for (unsigned n = 1; n < MOST; n++) {
		double strike = n * p < 0.85 ? 0 : n * p >= 8.5 ? 1 : p, expected = all * left * strike;

		left *= 1 - strike;
		if (expected < 5) { /* rare ones: no more than a rounding of the law */
			chi += gaps[n] > 30 || (!strike && gaps[n]) ? 1e9 : 0;
			continue;
		}
		chi += ((double)gaps[n] - expected) * ((double)gaps[n] - expected) / expected;
		cells++;
	}
	return (chi - cells) / sqrt(2 * cells);
}

/* Marks stand for drops: so the queue stands, one in and one out. */
static void gaps_follow_their_law(double wanted)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 10MB queue pie");
	uint64_t gaps[MOST + 1] = {0};
	unsigned gap = 0;
	wt_time now = 0;
	double p;

	p = stilled(node, &now, wanted);
	for (unsigned i = 0; i < TRIED; i++) {
		uint64_t marked = node->audit.marked;

		now += WT_MS;
		take(node, now, NULL);
		offer(node, now, WT_ECN_ECT0);
		gap++;
		if (node->audit.marked == marked)
			continue;
		if (marked) /* the first one's gap began before */
			gaps[gap < MOST ? gap : MOST]++;
		gap = 0;
	}
	assert_true(counts_of(node).pressure == p);
	if (!(misfit(gaps, p) < 4))
		fail_msg("p %.4f: %.1f deviations", p, misfit(gaps, p));
	/* of a p two per cent off, they do not */
	assert_true(misfit(gaps, 1.02 * p) > 4 && misfit(gaps, 0.98 * p) > 4);
}

static void the_gaps_between_pies_drops_follow_their_law(void **state)
{
	gaps_follow_their_law(0.12);
	wt_path_finish(&bench_path);
	gaps_follow_their_law(0.3);
	wt_path_finish(&bench_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(pie_does_packet_by_packet_what_its_pseudo_code_says),
		BENCH_TEST(pie_rests_at_its_target_and_drops_the_excess),
		BENCH_TEST(dualpi2_rests_at_its_target_and_drops_the_excess_as_a_square),
		BENCH_TEST(traffic_that_ignores_its_marks_is_held_to_the_classic_target),
		BENCH_TEST(the_gaps_between_pies_drops_follow_their_law),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
