/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stage is held against two naive models in 128-bit integers that share nothing with it: the definition of a token
 * bucket as a bound on every window of departures, and a serial line as a sum of transmission times over a
 * common denominator.
 */
#include "tests/unit/emu/emu_bench.h"

__extension__ typedef __int128 i128;

enum { FRAMES = 1500, MILLION = 1000000 };

struct offered {
	wt_time at;
	uint32_t len;
	wt_time out; /* by the model; -1: dropped */
};

static i128 units(const struct wt_rate_config *config, uint32_t len)
{
	return (i128)(len + config->overhead) * 8 * 1000000000;
}

/* Frames come in clumps, with idle times now and then, at about 1.2 times the rate. */
static void offer(struct offered *frames, const struct wt_rate_config *config, uint64_t seed)
{
	struct wt_key key = wt_key_derive(seed, "offer");
	wt_time now = 0;
	uint64_t n = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		uint32_t len = 60 + (uint32_t)wt_random_below(&key, n++, 1455);
		wt_time gap = (wt_time)(units(config, len) / config->rate * 8 / 10);

		if (wt_random_below(&key, n++, 3))
			now += gap / 7;
		else
			now += (wt_time)wt_random_below(&key, n++, (uint64_t)gap * 5 + 1);
		if (!wt_random_below(&key, n++, 60))
			now += gap * 60;
		frames[i] = (struct offered){now, len, 0};
	}
}

static bool fits(const struct offered *frames, unsigned i, const struct wt_rate_config *config)
{
	uint64_t waiting = 0;

	for (unsigned k = 0; k < i; k++)
		if (frames[k].out > frames[i].at)
			waiting += frames[k].len;
	return waiting + frames[i].len <= config->limit;
}

/* The first instant at which no window that ends with frame i holds more than burst + rate * its length. */
static wt_time bucket_model(const struct offered *frames, unsigned i, const struct wt_rate_config *config)
{
	i128 burst = (i128)config->burst * 8 * 1000000000, sum = units(config, frames[i].len);
	wt_time out = frames[i].at;

	for (unsigned k = i; k-- > 0;) {
		i128 excess;
		wt_time earliest;

		if (frames[k].out < 0)
			continue;
		sum += units(config, frames[k].len);
		excess = sum - burst;
		earliest = frames[k].out;
		if (excess > 0)
			earliest += (wt_time)((excess + config->rate - 1) / config->rate);
		out = out > earliest ? out : earliest;
	}
	return out;
}

static void check_bucket(uint64_t rate, uint64_t burst, uint64_t limit, uint64_t overhead)
{
	static struct offered frames[FRAMES];
	struct wt_rate_config config = {rate, burst, limit, overhead};
	struct wt_node *node = wt_rate_create("fwd.rate", NULL, &config);
	unsigned next = 0, dropped = 0, waited = 0;
	wt_time time;
	uint32_t tag;

	offer(frames, &config, rate + burst);
	for (unsigned i = 0; i < FRAMES; i++) {
		wt_time out = bucket_model(frames, i, &config);

		frames[i].out = out == frames[i].at || fits(frames, i, &config) ? out : -1;
		dropped += frames[i].out < 0;
		waited += frames[i].out > frames[i].at;
	}
	if (!dropped || waited <= 100 || waited + dropped >= FRAMES - 15) /* the offer tests nothing */
		fail_msg("%u dropped, %u waited of %d", dropped, waited, FRAMES);
	for (unsigned i = 0; i <= FRAMES; i++) {
		while (node->ops->deadline(node) != WT_NEVER && (i == FRAMES || node->ops->deadline(node) <= frames[i].at)) {
			assert_true(bench_next(node, &time, &tag));
			while (frames[next].out < 0)
				next++;
			assert_int_equal(tag, next);
			assert_int_equal(time, frames[next].out);
			next++;
		}
		if (i < FRAMES)
			bench_input(node, frames[i].at, bench_tcp(frames[i].len, i));
	}
	assert_int_equal(node->audit.dropped[WT_DROP_QUEUE], dropped);
	assert_int_equal(node->audit.out, FRAMES - dropped);
	node->ops->destroy(node);
}

static void departures_are_those_of_the_window_model_to_the_nanosecond(void **state)
{
	static const uint64_t rates[] = {1000000, 10000000, 100000000, 1000000000, 333333333, 7};

	for (unsigned i = 0; i < 6; i++) {
		check_bucket(rates[i], 20000, 20000, 0);
		check_bucket(rates[i], 3000, 9000, 24);
		check_bucket(rates[i], 1600, 9000, 0);
	}
}

static void with_no_burst_a_frame_leaves_with_its_last_bit(void **state)
{
	static const uint64_t rates[] = {1000000, 2000000, 100000000, 999999937};
	static struct offered frames[FRAMES];

	for (unsigned r = 0; r < 4; r++) {
		struct wt_rate_config config = {rates[r], 0, 1 << 30, 0};
		struct wt_node *node = wt_rate_create("fwd.rate", NULL, &config);
		i128 finish = 0; /* times the rate */
		unsigned next = 0;
		wt_time time;
		uint32_t tag;

		offer(frames, &config, r);
		for (unsigned i = 0; i < FRAMES; i++) {
			i128 start = (i128)frames[i].at * config.rate;

			finish = (finish > start ? finish : start) + units(&config, frames[i].len);
			frames[i].out = (wt_time)((finish + config.rate - 1) / config.rate);
		}
		for (unsigned i = 0; i <= FRAMES; i++) {
			while (node->ops->deadline(node) != WT_NEVER &&
			       (i == FRAMES || node->ops->deadline(node) <= frames[i].at)) {
				assert_true(bench_next(node, &time, &tag));
				assert_int_equal(tag, next);
				assert_int_equal(time, frames[next++].out);
			}
			if (i < FRAMES)
				bench_input(node, frames[i].at, bench_tcp(frames[i].len, i));
		}
		assert_int_equal(next, FRAMES);
		node->ops->destroy(node);
	}
}

/* Backlogged for 3 s: the bytes that left, after the first burst, against the rate. */
static void a_backlogged_rate_is_exact_over_three_seconds(void **state)
{
	static const uint64_t rates[] = {1000000, 10000000, 12000000, 100000000, 1000000000};

	for (unsigned r = 0; r < 5; r++) {
		struct wt_rate_config config = {rates[r], 20000, 200000, 0};
		struct wt_node *node = wt_rate_create("fwd.rate", NULL, &config);
		uint64_t bytes = 0, expected = rates[r] / 8 * 3 + config.burst;
		unsigned i = 0;
		wt_time time = 0;
		uint32_t tag;

		while (node->audit.queued < 100)
			bench_input(node, 0, bench_tcp(1514, i++));
		for (;;) {
			assert_true(bench_next(node, &time, &tag));
			if (time > 3 * WT_S)
				break;
			bytes += 1514;
			bench_input(node, time, bench_tcp(1514, i++));
		}
		assert_true(bytes <= expected);
		assert_true(expected - bytes < 1514); /* at 1 Mbit/s 0.4 per cent is one frame; the next leaves in time */
		if (rates[r] >= 10000000)
			assert_true((double)(expected - bytes) / (double)expected < 0.0005);
		node->ops->destroy(node);
	}
}

static void after_idle_time_no_more_than_the_bucket_passes_at_once(void **state)
{
	struct wt_rate_config config = {10000000, 20000, 1000000, 0};
	struct wt_node *node = wt_rate_create("fwd.rate", NULL, &config);
	unsigned at_once = 0;
	struct wt_frame *frame;

	for (unsigned i = 0; i < 100; i++)
		bench_input(node, 3600 * WT_S, bench_tcp(1000, i));
	while ((frame = bench_output(node, 3600 * WT_S))) {
		wt_frame_free(frame);
		at_once++;
	}
	assert_int_equal(at_once, 20);
	node->ops->destroy(node);
}

static void a_caller_that_stalls_does_not_turn_the_queue_into_a_burst(void **state)
{
	struct wt_rate_config config = {8000000, 1000, 1000000, 0};
	struct wt_node *node = wt_rate_create("fwd.rate", NULL, &config);
	struct wt_frame *frame;

	for (unsigned i = 0; i < 50; i++)
		bench_input(node, 0, bench_tcp(1000, i));
	/* asked a second late: the frames still carry the times they were due, 1 ms apart */
	for (unsigned i = 0; i < 50; i++) {
		frame = bench_output(node, WT_S);
		assert_int_equal(frame->time, (wt_time)i * WT_MS);
		wt_frame_free(frame);
	}
	node->ops->destroy(node);
}

static void a_frame_larger_than_the_bucket_passes_when_its_tokens_are_there(void **state)
{
	struct wt_rate_config config = {8000000, 500, 10000, 0};
	struct wt_node *node = wt_rate_create("fwd.rate", NULL, &config);
	wt_time time;
	uint32_t tag;

	bench_input(node, WT_S, bench_tcp(1500, 1));
	assert_true(bench_next(node, &time, &tag));
	assert_int_equal(time, WT_S + WT_MS);
	node->ops->destroy(node);
}

/* A million packets in clumps and pauses: the most that any window held beyond rate * t, in bytes. */
static double worst_window(const struct wt_rate_config *config, double rate)
{
	struct wt_node *node = wt_rate_create("fwd.rate", NULL, config);
	struct wt_key key = wt_key_derive(1, "windows");
	double sent = 0, least = 0, worst = 0;
	wt_time now = 0;
	uint64_t n = 0;

	for (unsigned i = 0; i < MILLION; i++) {
		struct wt_frame *frame;

		while ((frame = bench_output(node, now))) {
			double flowed = rate / 8e9 * (double)frame->time;

			/* windows begin just before a frame and end just after one */
			least = sent - flowed < least ? sent - flowed : least;
			sent += frame->len;
			worst = sent - flowed - least > worst ? sent - flowed - least : worst;
			wt_frame_free(frame);
		}
		bench_input(node, now, bench_tcp(60 + (uint32_t)wt_random_below(&key, n++, 1455), i));
		if (!wt_random_below(&key, n++, 8))
			now += (wt_time)wt_random_below(&key, n++, 13 * WT_MS); /* mean load: about 0.97 */
	}
	assert_true(node->audit.out > MILLION / 2);
	node->ops->destroy(node);
	return worst;
}

static void no_window_of_a_million_packets_holds_more_than_the_bucket_and_the_rate(void **state)
{
	const struct wt_rate_config config = {8000000, 20000, 40000, 0}, deeper = {8000000, 20400, 40000, 0};
	const struct wt_rate_config faster = {8160000, 20000, 40000, 0};
	double worst = worst_window(&config, 8e6);

	/* and the bucket is used: to the last packet's length, often to the byte */
	if (worst > 20000 + 1e-3 || worst < 20000 - 60)
		fail_msg("%.3f bytes", worst);
	/* two per cent more of either would be seen */
	assert_true(worst_window(&deeper, 8e6) > 20000 + 300);
	assert_true(worst_window(&faster, 8e6) > 20000 + 300);
}

/* Nobody asks for a second. What waited leaves by its own times; what comes then finds the bucket, and no second's worth. */
static void after_a_stall_what_comes_finds_no_more_than_the_bucket(void **state)
{
	struct wt_rate_config config = {8000000, 20000, 60000, 0};
	struct wt_node *node = wt_rate_create("fwd.rate", NULL, &config);
	unsigned before = 0, at_once = 0, later = 0;
	struct wt_frame *frame;

	for (unsigned i = 0; i < 1000; i++)
		bench_input(node, 0, bench_tcp(1000, 0));
	for (unsigned i = 0; i < 1000; i++)
		bench_input(node, WT_S, bench_tcp(1000, 1));
	while ((frame = bench_output(node, WT_S))) {
		bool old = !bench_tag(frame);

		before += old;
		at_once += !old;
		assert_true(old ? frame->time <= 60 * WT_MS : frame->time == WT_S);
		wt_frame_free(frame);
	}
	assert_int_equal(before, 20 + 60); /* the bucket and the buffer: that is all there was */
	assert_int_equal(at_once, 20);
	while (node->ops->deadline(node) != WT_NEVER) {
		frame = bench_output(node, node->ops->deadline(node));
		assert_int_equal(frame->time, WT_S + ++later * WT_MS);
		wt_frame_free(frame);
	}
	assert_int_equal(later, 60);
	node->ops->destroy(node);
}

static void limit_zero_is_a_policer(void **state)
{
	struct wt_rate_config config = {8000000, 2000, 0, 0};
	struct wt_node *node = wt_rate_create("fwd.rate", NULL, &config);

	assert_true(bench_passes(node, 0, bench_tcp(1500, 1)));
	assert_false(bench_passes(node, 0, bench_tcp(1500, 2)));
	assert_true(bench_passes(node, WT_MS, bench_tcp(1500, 3)));
	assert_int_equal(node->audit.dropped[WT_DROP_QUEUE], 1);
	node->ops->destroy(node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(departures_are_those_of_the_window_model_to_the_nanosecond),
		BENCH_TEST(with_no_burst_a_frame_leaves_with_its_last_bit),
		BENCH_TEST(a_backlogged_rate_is_exact_over_three_seconds),
		BENCH_TEST(after_idle_time_no_more_than_the_bucket_passes_at_once),
		BENCH_TEST(a_caller_that_stalls_does_not_turn_the_queue_into_a_burst),
		BENCH_TEST(a_frame_larger_than_the_bucket_passes_when_its_tokens_are_there),
		BENCH_TEST(no_window_of_a_million_packets_holds_more_than_the_bucket_and_the_rate),
		BENCH_TEST(after_a_stall_what_comes_finds_no_more_than_the_bucket),
		BENCH_TEST(limit_zero_is_a_policer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
