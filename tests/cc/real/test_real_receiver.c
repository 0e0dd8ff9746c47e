/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TCP-Real receiver, fed by an ideal ACK-clocked sender over a path of fixed rate and delay: it sends up to the
 * highest segment it heard of plus the level announced, as a sender with SACK does.
 */
#include "tests/cc/cc_test.h"

#include "cc/tcp_real/real.h"
#include "stack/text/trace.h"

#define LEVELS 400

struct path {
	struct wt_receiver_choice choice;
	void *state;
	wt_time delay, tx, now;      /* one way; of one segment */
	uint32_t level;              /* what the sender heard last */
	uint32_t lost_every;         /* 0: no loss; counts segments */
	wt_seq next, rcv_nxt;
	uint32_t heard, window;      /* heard: the ACKs speak of everything below this segment */
	wt_time arrivals[4096], link_free;
	bool lost[4096];
	wt_seq arriving;
	wt_time acks[4096];          /* on their way back, with what they say */
	uint32_t said[4096], high[4096];
	unsigned ack_head, ack_tail;
	unsigned waves;
	uint32_t levels[LEVELS];     /* announced after each closed wave */
	uint32_t sizes[LEVELS];      /* segments from start to end */
	struct wt_cc_note last;
};

static void start(struct path *p, const char *text)
{
	struct wt_cc_env env = cc_env();
	struct wt_cc_options peer = {1, {{253, 6, "TR\x10\x02"}}};
	struct wt_cc_option ours = {0};
	char err[512] = "";

	memset(p, 0, sizeof(*p));
	if (wt_receiver_choose(text, &p->choice, err, sizeof(err)))
		fail_msg("%s", err);
	p->state = calloc(1, p->choice.ops->state_size);
	p->choice.ops->init(p->state, p->choice.params, &env);
	p->choice.ops->on_syn_in(p->state, &peer);
	p->choice.ops->on_syn_out(p->state, 0, &ours);
	assert_int_equal(ours.len, 6);
	p->choice.ops->on_event(p->state, WT_CC_ESTABLISHED, &env);
	p->delay = 50 * WT_MS;
	p->tx = WT_MS;
	p->window = 1u << 30;
}

static void finish(struct path *p)
{
	free(p->state);
}

static uint32_t ack(struct path *p)
{
	struct wt_rx_ack a = {.now = p->now, .rcv_nxt = p->rcv_nxt, .option_room = 40, .pure = true};
	struct wt_rx_out out = {.window = p->window};

	p->choice.ops->on_ack_out(p->state, &a, &out);
	assert_int_equal(out.option.len, 6); /* every ACK carries it */
	assert_int_equal(out.window, p->window);
	return (uint32_t)(out.option.data[2] << 8 | out.option.data[3]);
}

static unsigned segment(struct path *p, wt_time now, wt_seq n, uint32_t flags)
{
	struct wt_rx_segment s = {.now = now, .seq = n * MSS, .len = MSS, .rcv_nxt = p->rcv_nxt, .flags = flags};
	unsigned verdict;

	p->now = now;
	p->last.set = false;
	verdict = p->choice.ops->on_segment(p->state, &s, &p->last);
	if (p->last.set) {
		assert_int_equal(p->last.type, WT_TRACE_LEVEL);
		assert_int_equal(verdict, WT_RX_ACK_NOW);
		if (p->waves < LEVELS) {
			p->sizes[p->waves] = (uint32_t)(p->last.field[6] - p->last.field[5]) / MSS;
			p->levels[p->waves++] = (uint32_t)p->last.field[0] / 256;
		}
	}
	return verdict;
}

/* The sender fills its window; each segment takes its turn on the link. */
static void fill(struct path *p, wt_time now)
{
	while (p->next < p->heard + 2 * p->level) {
		wt_time begin = p->link_free > now ? p->link_free : now;

		p->link_free = begin + p->tx;
		p->arrivals[p->next % 4096] = p->link_free + p->delay;
		p->lost[p->next % 4096] = p->lost_every && p->next % p->lost_every == p->lost_every - 1;
		p->next++;
	}
}

/* Runs until `waves` waves have closed: one ACK per segment, one ACK's delay later the window slides. */
static void run(struct path *p, unsigned waves)
{
	p->level = p->level ? p->level : ack(p);
	fill(p, p->now);
	for (int guard = 0; p->waves < waves && guard < 200000; guard++) {
		wt_time data = p->arriving != p->next ? p->arrivals[p->arriving % 4096] : WT_NEVER;
		wt_time back = p->ack_head != p->ack_tail ? p->acks[p->ack_head % 4096] : WT_NEVER;

		assert_true(back != WT_NEVER || data != WT_NEVER);
		if (back <= data) {
			p->now = back;
			p->level = p->said[p->ack_head % 4096];
			p->heard = p->high[p->ack_head++ % 4096];
			fill(p, back);
			continue;
		}
		p->rcv_nxt = (p->arriving + 1) * MSS; /* a lost segment is forgotten: what is measured is the rate */
		if (p->lost[p->arriving++ % 4096])
			continue;
		segment(p, data, p->arriving - 1, p->lost[(p->arriving - 2) % 4096] ? WT_RX_OUT_OF_ORDER : WT_RX_IN_ORDER);
		p->said[p->ack_tail % 4096] = ack(p);
		p->high[p->ack_tail % 4096] = p->arriving;
		p->acks[p->ack_tail++ % 4096] = data + p->delay;
	}
	assert_int_equal(p->waves >= waves, true);
}

static void a_clean_path_is_climbed_1_1_2_4_8_16_24(void **state)
{
	static const uint32_t climb[] = {1, 2, 4, 8, 16, 24, 24, 24};
	struct path p;

	start(&p, "real:profile=paper");
	assert_int_equal(ack(&p), 1); /* the first 1, before any data */
	run(&p, 8);
	for (int i = 0; i < 8; i++)
		assert_int_equal(p.levels[i], climb[i]);
	finish(&p);
}

static void a_coarse_receiver_clock_changes_nothing_on_the_climb(void **state)
{
	static const uint32_t climb[] = {1, 2, 4, 8, 16, 24};
	struct path p;

	start(&p, "real:profile=paper,clock=1ms");
	run(&p, 6);
	for (int i = 0; i < 6; i++)
		assert_int_equal(p.levels[i], climb[i]);
	finish(&p);
}

static void the_profiles_start_and_grow_as_the_table_says(void **state)
{
	struct path p;

	start(&p, "real:profile=paper-slow");
	assert_int_equal(ack(&p), 1);
	run(&p, 9); /* threshold 1: a quarter level per wave, after the first sample */
	assert_int_equal(p.last.field[0], 256 + 8 * 64);
	finish(&p);

	start(&p, "real");
	assert_int_equal(ack(&p), 5);
	run(&p, 4); /* 5, 10, 20, 24 */
	assert_int_equal(p.levels[0], 5);
	assert_int_equal(p.levels[1], 10);
	assert_int_equal(p.levels[2], 20);
	assert_int_equal(p.levels[3], 24);
	finish(&p);

	start(&p, "real:profile=paper,lmax=40");
	run(&p, 8);
	assert_int_equal(p.levels[7], 40);
	finish(&p);
}

static void loss_inside_waves_neither_lowers_the_level_nor_shifts_the_waves(void **state)
{
	struct path p;

	start(&p, "real:profile=paper");
	p.lost_every = 17;
	run(&p, 100);
	for (unsigned i = 6; i < 100; i++) {
		assert_int_equal(p.levels[i], 24);
		assert_in_range(p.sizes[i], 47, 48); /* segments; 47 if the last one was lost */
	}
	finish(&p);
}

static void the_level_falls_when_the_path_gets_slower(void **state)
{
	struct path p;
	uint32_t least = 24;

	start(&p, "real:profile=paper");
	run(&p, 8);
	p.tx = 3 * WT_MS;
	run(&p, 12);
	for (unsigned i = 8; i < 12; i++)
		least = p.levels[i] < least ? p.levels[i] : least;
	assert_true(least < 18);
	finish(&p);
}

static void the_advertised_window_ends_a_wave_in_profile_safe(void **state)
{
	struct path p;

	start(&p, "real:profile=paper,rwnd_edge=on");
	p.window = 6 * MSS;
	segment(&p, 0, 0, WT_RX_IN_ORDER);
	p.rcv_nxt = MSS;
	ack(&p);
	for (unsigned i = 1; i < 60; i++) {
		segment(&p, i * WT_MS, i, WT_RX_IN_ORDER);
		p.rcv_nxt = (i + 1) * MSS;
		ack(&p);
		if (p.last.set) /* no wave reaches beyond seven segments, though the level says 48 */
			assert_true(p.last.field[6] - p.last.field[5] <= 7 * MSS);
	}
	assert_true(p.waves > 8);
	finish(&p);
}

static void silence_halves_the_level_per_interval_down_to_the_first(void **state)
{
	static const struct {
		const char *text;
		wt_time idle;
		uint32_t level;
	} cases[] = {
		{"real", WT_S / 2, 24},        {"real", 1100 * WT_MS, 12}, {"real", 2100 * WT_MS, 6},
		{"real", 3100 * WT_MS, 5},     {"real", 1000 * WT_S, 5},   {"real:profile=paper", 5 * WT_S, 24},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct path p;
		wt_seq n;

		start(&p, cases[i].text);
		run(&p, 12);
		assert_int_equal(p.level, 24);
		n = p.rcv_nxt / MSS;
		while (!p.last.set) { /* to the end of a wave */
			segment(&p, p.now + WT_MS, n, WT_RX_IN_ORDER);
			p.rcv_nxt = ++n * MSS;
		}
		segment(&p, p.now + cases[i].idle, n, WT_RX_IN_ORDER);
		assert_int_equal(ack(&p), cases[i].level);
		finish(&p);
	}
}

/* A full wave of `count` segments from segment `first` on, 1 ms apart, each with a timestamp `late` ms old. */
static void wave(struct path *p, wt_time at, wt_seq first, unsigned count, wt_time late, bool hole, uint32_t flags)
{
	for (unsigned i = 0; i < count; i++) {
		struct wt_rx_segment s = {.now = at + i * WT_MS, .seq = (first + i) * MSS, .len = MSS,
					  .flags = WT_RX_IN_ORDER | flags, .has_ts = true};

		s.tsval = (uint32_t)((s.now - late) / WT_MS);
		p->now = s.now;
		if (!hole || i != count / 2)
			p->choice.ops->on_segment(p->state, &s, &p->last);
	}
}

static void loss_on_a_long_queue_halves_the_level_if_guarded(void **state)
{
	static const char *const texts[] = {"real:l0=8,thr0=8", "real:l0=8,thr0=8,owd_guard=off"};

	for (int guarded = 0; guarded < 2; guarded++)
		for (int hole = 0; hole < 2; hole++) {
			struct path p;

			start(&p, texts[guarded]);
			wave(&p, 0, 0, 16, 20 * WT_MS, false, 0);
			ack(&p);
			wave(&p, 100 * WT_MS, 16, 16, 100 * WT_MS, hole, 0);
			assert_int_equal(ack(&p), hole && !guarded ? 4 : 8);
			finish(&p);
		}
}

static void a_ce_mark_halves_the_level_in_every_profile(void **state)
{
	struct path p;

	start(&p, "real:profile=paper,l0=8,thr0=8");
	wave(&p, 0, 0, 16, 0, false, 0);
	ack(&p);
	wave(&p, 100 * WT_MS, 16, 16, 0, false, WT_RX_CE);
	assert_int_equal(ack(&p), 4);
	finish(&p);
}

static void a_lost_tail_is_decided_at_the_retransmission(void **state)
{
	struct path p;

	start(&p, "real:profile=paper,l0=8");
	wave(&p, 0, 0, 16, 0, false, 0);
	p.rcv_nxt = 16 * MSS;
	ack(&p); /* 1 MB/s is known now; the wave of 16 segments may take 32 ms */
	wave(&p, 100 * WT_MS, 16, 8, 0, false, 0);
	assert_int_equal(segment(&p, 132 * WT_MS, 15, WT_RX_DUPLICATE), WT_RX_DEFAULT);
	assert_int_equal(segment(&p, 200 * WT_MS, 15, WT_RX_DUPLICATE), WT_RX_ACK_NOW);
	assert_true(p.last.field[4]);                 /* timed out */
	assert_int_equal(p.last.field[1], 4 * 256);   /* half the level before */
	/* 15000 bytes in 100 ms against 1 MB/s is clamped to 0.25; falling below the threshold: 8 * 0.8125 */
	assert_int_equal(p.last.field[0], 6 * 256 + 128);
	assert_int_equal(p.last.field[3], 16384);
	finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_path_is_climbed_1_1_2_4_8_16_24),
		cmocka_unit_test(a_coarse_receiver_clock_changes_nothing_on_the_climb),
		cmocka_unit_test(the_profiles_start_and_grow_as_the_table_says),
		cmocka_unit_test(loss_inside_waves_neither_lowers_the_level_nor_shifts_the_waves),
		cmocka_unit_test(the_level_falls_when_the_path_gets_slower),
		cmocka_unit_test(the_advertised_window_ends_a_wave_in_profile_safe),
		cmocka_unit_test(silence_halves_the_level_per_interval_down_to_the_first),
		cmocka_unit_test(loss_on_a_long_queue_halves_the_level_if_guarded),
		cmocka_unit_test(a_ce_mark_halves_the_level_in_every_profile),
		cmocka_unit_test(a_lost_tail_is_decided_at_the_retransmission),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
