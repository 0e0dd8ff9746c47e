/* SPDX-License-Identifier: BSD-2-Clause */
/* Tokens per round trip, where the right answer can be worked out by hand. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/sim/scenarios.h"
#include "tests/unit/scratch.h"

#define BUCKET "rate 21560B every 30ms burst 21560B limit 128KB | rate 10Mbit burst 0B limit 128KB delay 15ms"
#define LINK "rate 10Mbit burst 0B limit 128KB delay 15ms"

static struct wt_simulation_result measure(const char *settings, const char *path, const char *trace)
{
	struct setup setup = {.preset = "bsd90", .settings = settings, .sender = "reno", .fwd = path, .rev = LINK, .size = 1024 * 2000};
	struct wt_token_config config;
	struct wt_simulation_result result;
	struct wt_bulk_sender flow;
	struct scenario scenario;
	char err[200];

	if (wt_token_parse("tokens:token=1078B,slot=30ms,per=slot", &config, err, sizeof(err)))
		fail_msg("%s", err);
	prepare(&scenario, &setup);
	scenario.how.tokens = &config;
	scenario.how.tokens_trace = trace;
	scenario.how.checked = true;
	result = run(&scenario, &flow);
	assert_whole(&result, &flow, setup.size);
	return result;
}

static void between(double low, double value, double high, const char *what)
{
	if (!(value >= low && value <= high))
		fail_msg("%s: %f, not between %f and %f", what, value, low, high);
}

static void a_window_larger_than_the_bucket_uses_every_token(void **state)
{
	struct wt_simulation_result r = measure("mss=1024B,initial_window=60", BUCKET, NULL);

	between(19, r.tokens[WT_TOKEN_SLOT].mean, 20, "per slot");
	between(19.5, r.tokens[WT_TOKEN_BUSY].mean, 20.2, "per busy slot");
	/* Behind the bucket a round trip takes 31 ms and more, so the round is over with the second lump. */
	between(37, r.tokens[WT_TOKEN_ROUND].mean, 41, "per round trip");
	between(0, r.tokens[WT_TOKEN_BUSY].spread, 0.2, "spread");
}

static void a_small_window_uses_a_window_per_round_trip(void **state)
{
	struct wt_simulation_result r = measure("mss=1024B,rcv_buffer=8KiB,initial_window=8", BUCKET, NULL);

	between(7, r.tokens[WT_TOKEN_ROUND].mean, 8.2, "per round trip");
	between(5, r.tokens[WT_TOKEN_SLOT].mean, 8, "per slot");
	assert_true(r.tokens[WT_TOKEN_BUSY].mean >= r.tokens[WT_TOKEN_SLOT].mean);
	assert_true(r.tokens[WT_TOKEN_BUSY].units <= r.tokens[WT_TOKEN_SLOT].units);
}

static void the_trace_holds_every_slot_and_every_token(void **state)
{
	char name[SCRATCH_PATH], line[128];
	struct wt_simulation_result r;
	double from, duration, tokens, sum = 0, at = 0;
	int fd = scratch_file(name);
	unsigned lines = 0;
	FILE *file;

	assert_true(fd >= 0);
	r = measure("mss=1024B", BUCKET, name);
	file = fopen(name, "re");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, "from_s,duration_s,tokens_kB\r\n");
	for (; fgets(line, sizeof(line), file); lines++) {
		assert_int_equal(sscanf(line, "%lf,%lf,%lf", &from, &duration, &tokens), 3);
		assert_true(fabs(from - at) < 1e-9 && fabs(duration - 0.03) < 1e-9);
		at += duration;
		sum += tokens;
	}
	fclose(file);
	close(fd);
	assert_int_equal(lines, r.tokens[WT_TOKEN_SLOT].units);
	assert_true(fabs(sum / lines - r.tokens[WT_TOKEN_SLOT].mean) < 1e-3);
	between(2000, sum, 2003, "2000 segments, SYN and FIN"); /* and the header of the request */
}

static void without_a_bucket_there_is_nothing_to_count(void **state)
{
	struct setup setup = {.preset = "bsd90", .sender = "reno", .fwd = "delay 15ms", .rev = LINK, .size = 1000};
	struct wt_token_config config;
	struct wt_simulation_result result;
	struct scenario scenario;
	char err[200];

	assert_int_equal(wt_token_parse("tokens", &config, err, sizeof(err)), 0);
	prepare(&scenario, &setup);
	scenario.how.tokens = &config;
	assert_int_equal(simulate(&scenario, &result, err, sizeof(err)), -EINVAL);
	assert_int_equal(wt_token_parse("coins", &config, err, sizeof(err)), -EINVAL);
	assert_int_equal(wt_token_parse("tokens:per=year", &config, err, sizeof(err)), -EINVAL);
	assert_int_equal(wt_token_parse("tokens:token=0B", &config, err, sizeof(err)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_larger_than_the_bucket_uses_every_token),
		cmocka_unit_test(a_small_window_uses_a_window_per_round_trip),
		cmocka_unit_test(the_trace_holds_every_slot_and_every_token),
		cmocka_unit_test(without_a_bucket_there_is_nothing_to_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
