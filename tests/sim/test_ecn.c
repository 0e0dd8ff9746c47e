/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ECN end to end (RFC 3168): a saturating flow over 10 Mbit/s and 30 ms of round trip through each queue that marks. What the
 * queue would have dropped it marks, so nothing is sent again, and the flow keeps its share of the link.
 */
#include "tests/sim/scenarios.h"

#include "stack/base/ecn.h"
#include "stack/base/seq.h"

#define LINK "rate 10Mbit burst 0B limit 1MB"
#define BACK "delay 15ms"
#define RED "red min 15KB max 45KB gentle"
#define SETTLED (10 * WT_S) /* slow start into a buffer of a megabyte is over, and what it overshot is repaired */

struct watch {
	uint64_t again; /* segments sent again since SETTLED */
};

static void on_interval(void *arg, const struct wt_bulk_interval *interval)
{
	struct watch *watch = arg;

	if (interval->from >= SETTLED)
		watch->again += interval->retransmits_segs;
}

struct outcome {
	double used; /* share of the link that payload got */
	uint64_t marked, aqm_drops, again;
	struct wt_bulk_sender flow;
};

static struct outcome transfer(const char *queue, const char *settings, const char *sender, const char *receiver)
{
	struct setup setup = {.settings = settings, .sender = sender, .receiver = receiver, .rev = BACK};
	struct wt_simulation_result result;
	struct scenario scenario;
	struct watch watch = {0};
	struct outcome outcome;
	char fwd[128];

	snprintf(fwd, sizeof(fwd), LINK " queue %s delay 15ms", queue);
	setup.fwd = fwd;
	prepare(&scenario, &setup);
	scenario.flow.time = 30 * WT_S;
	scenario.how.interval = 100 * WT_MS;
	scenario.how.on_interval = on_interval;
	scenario.how.arg = &watch;
	scenario.how.checked = true;
	result = run(&scenario, &outcome.flow);
	if (!wt_simulation_ok(&result))
		fail_msg("%s: %s", queue, wt_bulk_fail_text(result.fail));
	outcome.used = wt_bulk_goodput(&outcome.flow) / (1250000.0 * 1448 / 1514);
	outcome.marked = result.marked;
	outcome.aqm_drops = result.dropped[WT_DROP_AQM];
	outcome.again = watch.again;
	return outcome;
}

/* One segment per ACK in slow start: the overshoot of the first second would colour all thirty. */
static void every_marking_queue_slows_a_flow_down_without_a_drop(void **state)
{
	static const char *const queues[] = {RED " ecn", "codel ecn", "fq_codel ecn", "pie ecn", "dualpi2"};
	static const char *const senders[] = {"tahoe", "reno", "newreno"};

	for (unsigned q = 0; q < sizeof(queues) / sizeof(queues[0]); q++) {
		struct outcome without = transfer(queues[q], "ecn=off,slow_start_limit=1", "newreno", "standard");

		assert_int_equal(without.marked, 0);
		assert_true(without.aqm_drops > 10);
		for (unsigned s = 0; s < 3; s++) {
			struct outcome with = transfer(queues[q], "ecn=on,slow_start_limit=1", senders[s], "standard");
			const struct wt_tcp_info *info = &with.flow.info;

			if (with.marked < 10 || with.again || with.used < 0.95 * without.used)
				fail_msg("%s, %s: %u marks, %u sent again, %.3f used, %.3f without", queues[q], senders[s],
					 (unsigned)with.marked, (unsigned)with.again, with.used, without.used);
			/* what the queue did, the receiver saw, and the sender was told of; marks of one window count once */
			assert_int_equal(with.flow.result.ce_segs, with.marked);
			assert_true(info->ecn && info->ecn_reductions > 5 && info->ecn_reductions <= with.marked);
			assert_true(info->ece_received_segs >= info->ecn_reductions);
			if (info->cwr_sent_segs + 1 < info->ecn_reductions || /* the last one may find nothing to ride on */
			    info->cwr_sent_segs > info->ecn_reductions + info->fast_recoveries + info->timeouts)
				fail_msg("%s, %s: %u times CWR for %u reductions", queues[q], senders[s],
					 (unsigned)info->cwr_sent_segs, (unsigned)info->ecn_reductions);
		}
	}
}

/* Both have to want it, and the one who opens has to ask. */
static void without_agreement_nothing_is_marked(void **state)
{
	static const char *const pairs[][2] = {{"off", "on"}, {"passive", "on"}, {"on", "off"}, {"passive", "passive"}};

	for (unsigned i = 0; i < 4; i++) {
		struct setup setup = {.sender = "newreno", .receiver = "standard", .fwd = LINK " queue codel ecn delay 15ms",
				      .rev = BACK, .size = 4 << 20};
		char err[256], words[32];
		struct wt_simulation_result result;
		struct scenario scenario;
		struct wt_bulk_sender flow;

		prepare(&scenario, &setup);
		for (unsigned side = 0; side < 2; side++) {
			snprintf(words, sizeof(words), "ecn=%s", pairs[i][side]);
			assert_int_equal(wt_param_set_list(wt_tcp_params, wt_tcp_param_count,
							   side ? &scenario.flow.b.settings : &scenario.flow.a.settings, words, err,
							   sizeof(err)), 0);
		}
		result = run(&scenario, &flow);
		assert_whole(&result, &flow, 4 << 20);
		assert_int_equal(result.marked, 0);
		assert_false(flow.info.ecn);
		assert_true(result.dropped[WT_DROP_AQM] > 0);
	}
}

/* A queue that only drops, or a path that wipes the field before it: loss does what it always did. */
static void a_path_that_drops_what_is_capable_costs_what_it_costs_without_ecn(void **state)
{
	struct outcome with = transfer("codel", "ecn=on", "newreno", "standard");
	struct outcome without = transfer("codel", "ecn=off", "newreno", "standard");

	/* not the same to the frame: CWR follows every recovery, and is acknowledged at once */
	assert_int_equal(with.marked, 0);
	if (with.used < 0.98 * without.used || with.used > 1.02 * without.used)
		fail_msg("%.3f used with ECN, %.3f without", with.used, without.used);
}

/* ---- TCP-Real: specification 6 (a marked wave is the guard's verdict) and 8 (ECE halves, whatever the level) ---------- */

#define MARKS 64

struct receiver_watch {
	struct wt_trace_sink sink;
	wt_seq marked[MARKS];
	unsigned marks, waves, marked_waves;
	uint64_t level; /* Q8, before the next wave closes */
};

static bool wave_is_marked(const struct receiver_watch *watch, wt_seq start, wt_seq end)
{
	for (unsigned i = 0; i < watch->marks; i++)
		if (wt_seq_ge(watch->marked[i], start) && wt_seq_lt(watch->marked[i], end))
			return true;
	return false;
}

static void watch_waves(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct receiver_watch *watch = (struct receiver_watch *)sink;
	uint64_t level = event->field[0];

	if (event->type == WT_TRACE_RECEIVED && event->field[5] == WT_ECN_CE) {
		assert_true(watch->marks < MARKS);
		watch->marked[watch->marks++] = (wt_seq)event->field[0];
	}
	if (event->type != WT_TRACE_LEVEL)
		return;
	/* the first wave only makes the rate known; one that timed out halves its threshold and goes by the formula */
	if (watch->waves++ && !event->field[4] && wave_is_marked(watch, (wt_seq)event->field[5], (wt_seq)event->field[6])) {
		watch->marked_waves++;
		if (level > 256 && level > watch->level / 2 + 1)
			fail_msg("level %.2f after %.2f and a mark", (double)level / 256, (double)watch->level / 256);
	}
	watch->level = level;
}

struct sender_watch {
	struct wt_trace_sink sink;
	uint64_t cwnd;
	unsigned reductions;
	wt_time last;
};

static void watch_window(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct sender_watch *watch = (struct sender_watch *)sink;

	if (event->type == WT_TRACE_METRICS)
		watch->cwnd = event->field[0];
	if (event->type != WT_TRACE_ECN)
		return;
	/* once per round trip, of at least 30 ms; to half, but not below two segments */
	assert_true(!watch->reductions || event->time - watch->last >= 30 * WT_MS);
	assert_true(event->field[2] <= (watch->cwnd + 1) / 2 || event->field[2] <= 2 * 1448);
	watch->last = event->time;
	watch->reductions++;
}

static void tcp_reals_receiver_lowers_the_level_for_a_marked_wave_and_its_sender_halves(void **state)
{
	struct setup setup = {.settings = "ecn=on", .sender = "real", .receiver = "real", .fwd = LINK " queue " RED " ecn delay 15ms",
			      .rev = BACK};
	struct receiver_watch receiver = {.sink = {watch_waves}};
	struct sender_watch sender = {.sink = {watch_window}};
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_bulk_sender flow;

	prepare(&scenario, &setup);
	scenario.flow.time = 30 * WT_S;
	scenario.how.sink[0] = &sender.sink;
	scenario.how.sink[1] = &receiver.sink;
	result = run(&scenario, &flow);
	assert_true(wt_simulation_ok(&result));
	assert_false(flow.info.fallback);
	assert_true(flow.info.retransmits_segs == 0 && result.dropped[WT_DROP_AQM] == 0);
	assert_true(receiver.marks == result.marked && receiver.marked_waves > 5);
	assert_true(sender.reductions == flow.info.ecn_reductions && sender.reductions > 5);
	if (wt_bulk_goodput(&flow) < 0.75 * 1250000.0 * 1448 / 1514)
		fail_msg("%.0f bytes/s", wt_bulk_goodput(&flow));
}

/* ---- DualPI2, and what happens without it ------------------------------------------------------------------------------ */

struct pair {
	double scalable, classic; /* shares of the link */
	double delay;             /* of the scalable flow: mean smoothed round trip above the empty path's, ms */
	uint64_t again;
};

struct mean {
	double sum;
	unsigned count;
};

static void on_sample(void *arg, const struct wt_bulk_interval *interval)
{
	struct mean *mean = arg;

	if (interval->from < SETTLED)
		return;
	mean->sum += (double)interval->info.srtt / WT_MS;
	mean->count++;
}

/* A DCTCP flow with ECT(1) beside a NewReno flow with ECT(0), over 40 Mbit/s and 10 ms. */
static struct pair side_by_side(const char *queue)
{
	struct setup scalable = {.settings = "ecn=on,ect1=on", .sender = "dctcp", .receiver = "dctcp", .rev = "delay 5ms"};
	struct setup classic = {.settings = "ecn=on", .sender = "newreno", .receiver = "standard"};
	struct scenario scenario, rival;
	struct wt_simulation_result result;
	struct mean mean = {0};
	char err[256], fwd[128];
	struct pair pair;

	snprintf(fwd, sizeof(fwd), "rate 40Mbit burst 0B limit 1MB queue %s delay 5ms", queue);
	scalable.fwd = fwd;
	prepare(&scenario, &scalable);
	prepare(&rival, &classic);
	scenario.rival = &rival.flow;
	scenario.flows = 2;
	scenario.flow.time = 60 * WT_S;
	scenario.how.interval = 100 * WT_MS;
	scenario.how.on_interval = on_sample;
	scenario.how.arg = &mean;
	if (simulate(&scenario, &result, err, sizeof(err)))
		fail_msg("%s", err);
	assert_true(wt_simulation_ok(&result));
	pair = (struct pair){
		.scalable = wt_bulk_goodput(&result.flow[0]) / (5000000.0 * 1448 / 1514),
		.classic = wt_bulk_goodput(&result.flow[1]) / (5000000.0 * 1448 / 1514),
		.delay = mean.sum / mean.count - 10.3, /* a full frame on the link: 0.3 ms */
		.again = result.flow[0].info.retransmits_segs + result.flow[1].info.retransmits_segs,
	};
	wt_simulation_result_finish(&result);
	return pair;
}

/* RFC 9332: like shares by the coupling of both controllers, and a queue of about Th for the one that needs no more. */
static void dualpi2_gives_a_scalable_and_a_classic_flow_like_shares_and_the_first_a_short_queue(void **state)
{
	struct pair pair = side_by_side("dualpi2");

	if (pair.classic < 0.6 * pair.scalable || pair.scalable < 0.6 * pair.classic || pair.scalable + pair.classic < 0.95 ||
	    pair.delay > 2 || pair.again)
		fail_msg("%.3f scalable, %.3f classic, %.2f ms, %u again", pair.scalable, pair.classic, pair.delay,
			 (unsigned)pair.again);
}

/* Why DCTCP is no sender for queues that see one kind of traffic only; queues per flow need no coupling. */
static void without_coupling_a_scalable_flow_starves_a_classic_one_unless_each_has_a_queue(void **state)
{
	struct pair one = side_by_side("pie ecn mark 100%"), each = side_by_side("fq_codel ecn");

	if (one.classic > 0.25 || one.scalable < 0.75)
		fail_msg("%.3f scalable, %.3f classic in one queue", one.scalable, one.classic);
	if (each.classic < 0.45 || each.scalable < 0.45)
		fail_msg("%.3f scalable, %.3f classic in a queue each", each.scalable, each.classic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_marking_queue_slows_a_flow_down_without_a_drop),
		cmocka_unit_test(without_agreement_nothing_is_marked),
		cmocka_unit_test(a_path_that_drops_what_is_capable_costs_what_it_costs_without_ecn),
		cmocka_unit_test(dualpi2_gives_a_scalable_and_a_classic_flow_like_shares_and_the_first_a_short_queue),
		cmocka_unit_test(without_coupling_a_scalable_flow_starves_a_classic_one_unless_each_has_a_queue),
		cmocka_unit_test(tcp_reals_receiver_lowers_the_level_for_a_marked_wave_and_its_sender_halves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
