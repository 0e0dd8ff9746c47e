/* SPDX-License-Identifier: BSD-2-Clause */
/* The playback application in virtual time: what is counted, when the clock starts, how it ends. */
#include <errno.h>
#include <string.h>

#include "tests/sim/scenarios.h"

#define CLEAN "rate 2Mbit burst 0B limit 128KB delay 15ms"

/* Plays `size` bytes over `path` both ways; 0: what the attempts take. Every byte must arrive as sent. */
static struct wt_bulk_result play(const char *words, const char *path, uint64_t size, struct wt_bulk_sender *flow)
{
	struct setup setup = {.preset = "bsd90", .sender = "reno", .fwd = path, .rev = path};
	struct wt_playback_config config;
	struct scenario scenario;
	struct wt_simulation_result result;
	char err[200];

	if (wt_playback_parse(words, &config, err, sizeof(err)))
		fail_msg("%s", err);
	prepare(&scenario, &setup);
	scenario.flow.plays = true;
	scenario.flow.playback = config;
	scenario.flow.size = size ? size : config.read * config.attempts;
	scenario.how.checked = true;
	result = run(&scenario, flow);
	assert_whole(&result, flow, scenario.flow.size);
	return flow->result;
}

static void a_clean_link_of_twice_the_rate_has_every_read_in_time(void **state)
{
	struct wt_bulk_sender flow;
	struct wt_bulk_result r = play("playback:attempts=500,preroll=80ms", CLEAN, 0, &flow);

	assert_int_equal(r.attempts, 500);
	assert_int_equal(r.successes, 500);
	/* A live source: 20 s of stream take 20 s, though the link could do it in 11. */
	assert_true(flow.acked - flow.start > 19900 * WT_MS && flow.acked - flow.start < 20300 * WT_MS);
}

static void a_stored_film_is_limited_by_the_player_through_the_window(void **state)
{
	struct wt_bulk_sender flow;
	struct wt_bulk_result r = play("playback:attempts=500,source=bulk,preroll=80ms", CLEAN, 0, &flow);

	assert_int_equal(r.successes, 500);
	/* No more than the receive buffer (0.52 s of stream) is ahead of the player. */
	assert_true(flow.acked - flow.start > 19400 * WT_MS && flow.acked - flow.start < 20100 * WT_MS);
}

static void half_the_rate_gives_half_the_reads(void **state)
{
	struct wt_bulk_sender flow;
	struct wt_bulk_result r = play("playback:attempts=1000", "rate 527Kbit burst 0B limit 128KB delay 15ms", 0, &flow);
	double success = wt_playback_success(&r);

	assert_int_equal(r.attempts, 1000); /* the count ends, the rest is read as it comes */
	if (success < 48 || success > 52)
		fail_msg("%.1f %% of the reads at half the rate", success);
}

static void without_a_number_of_attempts_the_count_ends_with_the_stream(void **state)
{
	struct wt_bulk_sender flow;
	struct wt_bulk_result r = play("playback:read=12.5KB,interval=100ms,preroll=200ms", CLEAN, 100 * 12500 + 77, &flow);

	assert_int_equal(r.attempts, 100); /* the 77 bytes at the end are no read */
	assert_int_equal(r.successes, 100);
	r = play("playback:attempts=50,preroll=80ms", CLEAN, 20 * 5000, &flow);
	assert_int_equal(r.attempts - r.successes, 0);
	assert_int_equal(r.attempts, 20);
}

/* Five segments make a read; one, two and four of them come 30 ms apart. */
static void the_clock_starts_with_the_connection_its_first_byte_or_a_full_read(void **state)
{
	struct wt_bulk_sender flow;
	struct wt_bulk_result connect = play("playback:attempts=200,start=connect,preroll=0,source=bulk", CLEAN, 0, &flow);
	struct wt_bulk_result data = play("playback:attempts=200,start=data,preroll=0,source=bulk", CLEAN, 0, &flow);
	struct wt_bulk_result full = play("playback:attempts=200,start=full,preroll=0,source=bulk", CLEAN, 0, &flow);

	if (connect.successes > data.successes || data.successes >= 200 || full.successes <= data.successes)
		fail_msg("%u, %u and %u of 200 reads", connect.successes, data.successes, full.successes);
}

static void the_same_losses_give_the_same_count_and_another_seed_another(void **state)
{
	const char *lossy = CLEAN " loss gilbert on 1s 20% off 1s 0% shared";
	struct wt_bulk_sender flow;
	struct wt_bulk_result a = play("playback:attempts=300", lossy, 0, &flow), b = play("playback:attempts=300", lossy, 0, &flow);

	assert_int_equal(a.successes, b.successes);
	assert_true(a.successes > 60 && a.successes < 290);
	assert_true(a.attempts == 300);
}

static void what_cannot_be_played_is_refused(void **state)
{
	static const char *const bad[] = {"film", "playbac", "playbackk", "playback:read=0B", "playback:raed=5KB", "playback:start=now",
					  "playback:interval=40", "playback:attempts=16777216"};
	struct setup setup = {.preset = "bsd90", .sender = "reno", .size = 1000};
	struct wt_playback_config config;
	struct wt_simulation_result result;
	struct scenario scenario;
	char err[200];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (wt_playback_parse(bad[i], &config, err, sizeof(err)) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(wt_playback_parse("playback:read=80KB", &config, err, sizeof(err)), 0);
	prepare(&scenario, &setup);
	scenario.flow.plays = true;
	scenario.flow.playback = config;
	assert_int_equal(simulate(&scenario, &result, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "does not fit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_link_of_twice_the_rate_has_every_read_in_time),
		cmocka_unit_test(a_stored_film_is_limited_by_the_player_through_the_window),
		cmocka_unit_test(half_the_rate_gives_half_the_reads),
		cmocka_unit_test(without_a_number_of_attempts_the_count_ends_with_the_stream),
		cmocka_unit_test(the_clock_starts_with_the_connection_its_first_byte_or_a_full_read),
		cmocka_unit_test(the_same_losses_give_the_same_count_and_another_seed_another),
		cmocka_unit_test(what_cannot_be_played_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
