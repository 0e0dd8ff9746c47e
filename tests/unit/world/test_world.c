/* SPDX-License-Identifier: BSD-2-Clause */
/* Worlds in virtual time against arithmetic, and against each other. */
#include "worlds.h"

#define ROUGH "rate 10Mbit burst 20KB limit 64KB loss 1% duplicate 1% reorder 3% delay 3ms delay 12ms"

static void two_hosts_and_a_link_in_a_file_are_the_same_run_as_without_one(void **state)
{
	struct wt_simulation file, pair;
	struct wt_simulation_result of_file, of_pair;
	struct wt_app_flow flow = {.size = 500000};
	char err[300];

	must_read(&file, "[emulator]\nseed = 13\n[host a]\n[host b]\n[link]\nboth = " ROUGH "\n[flow f]\nbetween = a b\nbytes = 500KB\n");
	file.digest = true;
	wt_simulation_init(&pair);
	wt_tcp_config_init(&flow.a);
	wt_tcp_config_init(&flow.b);
	assert_int_equal(wt_simulation_pair(&pair, ROUGH, ROUGH, &flow, 1, err, sizeof(err)), 0);
	pair.world.seed = 13;
	pair.digest = true;
	must_run(&file, &of_file);
	must_run(&pair, &of_pair);
	assert_true(of_file.digest && of_file.digest == of_pair.digest);
	wt_simulation_result_finish(&of_file);
	wt_simulation_result_finish(&of_pair);
	wt_simulation_finish(&file);
	wt_simulation_finish(&pair);
}

#define DUMBBELL(run)                                                                                                        \
	run "[host a1]\n[host a2]\n[host b1]\n[host b2]\n[router left]\n[router right]\n"                                      \
	"[link la1]\nbetween = a1 left\nboth = delay 1ms\n[link la2]\nbetween = a2 left\nboth = delay 3ms\n"                     \
	"[link lb1]\nbetween = right b1\nboth = delay 1ms\n[link lb2]\nbetween = right b2\nboth = delay 1ms\n"                   \
	"[link narrow]\nbetween = left right\nboth = rate 10Mbit burst 0B limit 60KB delay 10ms\n"                               \
	"[flow one]\nbetween = a1 b1\n[flow two]\nbetween = a2 b2\nstart = 50ms\n"

enum { LA1, LA2, LB1, LB2, NARROW };

static uint64_t dropped(const struct wt_hop_books *hop)
{
	uint64_t sum = 0;

	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		sum += hop->dropped[cause];
	return sum;
}

static void what_leaves_one_hop_enters_the_next(void **state)
{
	struct wt_simulation simulation;
	struct wt_simulation_result r;

	must_read(&simulation, DUMBBELL("[run]\nbytes = 1MB\n"));
	simulation.checked = true;
	must_run(&simulation, &r);
	assert_true(r.hop[NARROW][0].in == r.hop[LA1][0].out + r.hop[LA2][0].out);
	assert_true(r.hop[NARROW][0].out == r.hop[LB1][0].in + r.hop[LB2][0].in);
	assert_true(r.hop[NARROW][1].in == r.hop[LB1][1].out + r.hop[LB2][1].out);
	assert_true(r.hop[NARROW][1].out == r.hop[LA1][1].in + r.hop[LA2][1].in);
	assert_true(dropped(&r.hop[NARROW][0]) > 0 && r.hop[NARROW][0].in == r.hop[NARROW][0].out + dropped(&r.hop[NARROW][0]));
	/* what was sent is what entered, and what was dropped is what was sent again */
	for (unsigned i = 0; i < 2; i++) /* and the ACK of the receiver's FIN, which the flow does not live to count */
		assert_true(r.hop[LA1 + i][0].in == r.flow[i].info.segs_sent + 1);
	assert_true(dropped(&r.hop[NARROW][0]) == r.flow[0].info.retransmits_segs + r.flow[1].info.retransmits_segs);
	assert_true(r.dropped[WT_DROP_QUEUE] == dropped(&r.hop[NARROW][0]));
	wt_simulation_result_finish(&r);
	wt_simulation_finish(&simulation);
}

static void the_books_of_a_hop_hold_whatever_stages_come_and_go(void **state)
{
	/* stages that keep frames go while they keep some, come back, stand first and last; in between there are none at all */
	static const char changes[] =
		"[at 1s]\nboth = delay 15ms\n"
		"[at 2s]\nboth = rate 10Mbit burst 20KB limit 64KB delay 15ms\n"
		"[at 3s]\nboth = loss 1% reorder 5% delay 3ms\n"
		"[at 4s]\nfwd =\nrev = delay 2ms\n"
		"[at 4500ms]\nfwd = delay 5ms | rate 10Mbit burst 0B limit 64KB | duplicate 2%\n"
		"[at 5s]\nfwd = rate 10Mbit burst 20KB limit 64KB delay 15ms\nrev = rate 1Mbit burst 0B limit 64KB\n"
		"[at 6s]\nfwd = only (ip src host 10.0.0.1) { delay 9ms } | rate 10Mbit burst 20KB limit 64KB\n"
		"[at 7s]\nboth = rate 10Mbit burst 20KB limit 64KB delay 15ms\n";
	char text[1200];

	for (unsigned ahead = 0; ahead < 2; ahead++) {
		struct wt_simulation simulation;
		struct wt_simulation_result r;

		snprintf(text, sizeof(text), "[run]\ntime = 8s\n[host a]\n[host b]\n[link]\nboth = rate 10Mbit burst 20KB limit 64KB delay 15ms\n%s"
			 "[flow f]\nbetween = a b\n", changes);
		must_read(&simulation, text);
		simulation.checked = !ahead; /* step by step, no departure ahead of time */
		must_run(&simulation, &r);
		for (unsigned d = 0; d < 2; d++) {
			const struct wt_hop_books *hop = &r.hop[0][d];

			assert_true(hop->hold);
			assert_true(hop->in > 1000 && hop->in + hop->made == hop->out + dropped(hop) + hop->queued);
		}
		/* half a second without stages is nobody's */
		assert_true(r.hop[0][0].in < r.flow[0].info.segs_sent + 1);
		wt_simulation_result_finish(&r);
		wt_simulation_finish(&simulation);
	}
}

/* 10 Mbit/s carry 1250000 bytes a second, of which 1448 of 1514 are payload. */
static void the_narrow_link_of_a_dumbbell_is_as_busy_as_arithmetic_says(void **state)
{
	const double most = 1250000.0 * 1448 / 1514 * 30;
	struct wt_simulation simulation;
	struct wt_simulation_result r;
	struct wt_flow_sum sum;
	double carried;

	must_read(&simulation, DUMBBELL("[run]\ntime = 30s\n"));
	must_run(&simulation, &r);
	assert_true(r.ended && r.simulated == 30 * WT_S);
	sum = wt_simulation_sum(&r);
	/* two round trips to begin with, and at most a queue that no ACK has come back for: 60 KB and 24 ms */
	assert_true((double)sum.payload < most && (double)sum.payload > 0.985 * most);
	/* frames that left the link are so many times 1514 bytes, but for the requests and two SYNs each */
	carried = (double)r.hop[NARROW][0].out * 1514;
	assert_true(carried < 1250000.0 * 30 + 1514 * 10 && carried > 0.99 * 1250000.0 * 30);
	wt_simulation_result_finish(&r);
	wt_simulation_finish(&simulation);
}

static void the_order_in_which_nodes_are_added_changes_no_frame_where_nothing_ties(void **state)
{
	struct wt_simulation simulation;
	struct wt_simulation_result r;
	uint64_t digest[2];

	must_read(&simulation, DUMBBELL("[run]\nbytes = 2MB\n"));
	simulation.digest = true;
	for (unsigned i = 0; i < 2; i++) {
		simulation.ties_reversed = i;
		must_run(&simulation, &r);
		digest[i] = r.digest;
		wt_simulation_result_finish(&r);
	}
	assert_true(digest[0] && digest[0] == digest[1]);
	wt_simulation_finish(&simulation);
}

static void a_round_trip_is_the_sum_of_the_delays_on_the_shortest_way_and_of_the_flows_own(void **state)
{
	/* a ring of five routers, of which the way by r5 has two links and the other three; and a flow with 40 ms of its own */
	static const char ring[] =
		"[run]\nbytes = 1KB\n[host a]\n[host b]\n[router r1]\n[router r2]\n[router r3]\n[router r4]\n[router r5]\n"
		"[link a]\nbetween = a r1\nboth = delay 1ms\n[link b]\nbetween = r4 b\nboth = delay 2ms\n"
		"[link r12]\nbetween = r1 r2\nboth = delay 100ms\n[link r23]\nbetween = r2 r3\nboth = delay 100ms\n"
		"[link r34]\nbetween = r3 r4\nboth = delay 100ms\n[link r45]\nbetween = r4 r5\nfwd = delay 5ms\nrev = delay 6ms\n"
		"[link r51]\nbetween = r5 r1\nboth = delay 7ms\n"
		"[flow f]\nbetween = a b\n[flow g]\nbetween = a b\nstart = 1s\ndelay = 40ms\n[flow h]\nbetween = a b\nstart = 2s\ndirection = rev\n";
	struct wt_simulation simulation;
	struct wt_simulation_result r;

	must_read(&simulation, ring);
	must_run(&simulation, &r);
	assert_int_equal(r.flow[0].info.min_rtt, (1 + 7 + 6 + 2 + 2 + 5 + 7 + 1) * WT_MS);
	assert_int_equal(r.flow[1].info.min_rtt, (1 + 7 + 6 + 2 + 2 + 5 + 7 + 1 + 40) * WT_MS);
	assert_int_equal(r.flow[2].info.min_rtt, r.flow[0].info.min_rtt);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(r.flow[i].connected - r.flow[i].start, r.flow[i].info.min_rtt);
	assert_true(r.hop[2][0].in == 0 && r.hop[3][0].in == 0);
	wt_simulation_result_finish(&r);
	wt_simulation_finish(&simulation);
}

static void flows_start_stop_and_rest_at_their_times(void **state)
{
	static const char text[] = "[host a]\n[host b]\n[link]\nboth = rate 10Mbit burst 0B limit 64KB delay 1ms\n"
				   "[flow f]\nbetween = a b\nstart = 1s\nstop = 3s\nsettings = snd_buffer=16KB\n"
				   "[flow g]\nbetween = a b\nstart = 10s\nstop = 20s\napp = onoff:on=1s,off=3s\nsettings = snd_buffer=16KB\n";
	const double rate = 1250000.0 * 1448 / 1514;
	struct wt_simulation simulation;
	struct wt_simulation_result r;

	must_read(&simulation, text);
	must_run(&simulation, &r);
	assert_true(r.flow[0].start == 1 * WT_S && r.flow[0].acked > 3 * WT_S && r.flow[0].acked < 3 * WT_S + 100 * WT_MS);
	assert_true((double)r.flow[0].written < 2.05 * rate && (double)r.flow[0].written > 1.9 * rate);
	/* on in [10, 11), [14, 15), [18, 19) */
	assert_true((double)r.flow[1].written < 3.1 * rate && (double)r.flow[1].written > 2.8 * rate);
	assert_true(r.flow[1].start == 10 * WT_S && r.flow[1].got_result && r.flow[1].result.verified);
	wt_simulation_result_finish(&r);
	wt_simulation_finish(&simulation);
}

static void a_run_ends_at_its_time_whatever_goes_on(void **state)
{
	struct wt_simulation simulation;
	struct wt_simulation_result r;

	must_read(&simulation, "[run]\ntime = 2500ms\n[host a]\n[host b]\n[link]\nboth = rate 10Mbit burst 0B limit 64KB delay 1ms\n"
			       "[flow f]\nbetween = a b\nbytes = 100MB\n[flow g]\nbetween = a b\nbytes = 1KB\n");
	must_run(&simulation, &r);
	assert_true(r.ended && r.simulated == 2500 * WT_MS);
	assert_true(r.flow[0].cut && !r.flow[0].done && r.flow[0].delivered > 2000000);
	assert_string_equal(wt_bulk_outcome(&r.flow[0]), "unfinished");
	assert_string_equal(wt_bulk_outcome(&r.flow[1]), "complete");
	assert_true(wt_bulk_goodput(&r.flow[0]) == (double)r.flow[0].delivered / 2.5);
	wt_simulation_result_finish(&r);
	wt_simulation_finish(&simulation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_hosts_and_a_link_in_a_file_are_the_same_run_as_without_one),
		cmocka_unit_test(what_leaves_one_hop_enters_the_next),
		cmocka_unit_test(the_books_of_a_hop_hold_whatever_stages_come_and_go),
		cmocka_unit_test(the_narrow_link_of_a_dumbbell_is_as_busy_as_arithmetic_says),
		cmocka_unit_test(the_order_in_which_nodes_are_added_changes_no_frame_where_nothing_ties),
		cmocka_unit_test(a_round_trip_is_the_sum_of_the_delays_on_the_shortest_way_and_of_the_flows_own),
		cmocka_unit_test(flows_start_stop_and_rest_at_their_times),
		cmocka_unit_test(a_run_ends_at_its_time_whatever_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
