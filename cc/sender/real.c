/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP-Real's sender (Zhang and Tsaoussidis, NOSSDAV 2001): the window is the wave level the receiver announces in
 * every ACK. No slow start, no threshold, no growth and no reduction of its own, but bounds: a receiver that lies
 * gets no faster start than slow start would give, and (cap) no more than half of what keeps being lost.
 *
 * If the peer does not speak TCP-Real, or its option stops arriving, the connection is NewReno from there on.
 */
#include <string.h>

#include "cc/tcp_real/real.h"
#include "cc/shared/aimd.h"
#include "stack/text/trace.h"

enum fallback {
	FALLBACK_NOT_AGREED = 1, /* the handshake did not agree on it */
	FALLBACK_FIRST_ACK = 2,  /* the first ACK of data came without the option */
	FALLBACK_STOPPED = 3,    /* options stopped arriving */
};

enum { RESTART_RAMP, RESTART_FULL };
enum { START_STACK, START_LEVEL };

struct real_params {
	uint64_t profile, opt, exid, unit_shift, lmax, l0, start, restart, cap, rtt_guard, rto_window, ts_check, silent_rtts;
	wt_time guard_floor;
	double cap_share;
	struct wt_aimd_params reno;
};

struct real {
	struct real_params params;
	struct wt_real_side side;
	struct wt_aimd reno; /* after a fallback */
	bool fallen, established, acked_any, timestamps;
	uint32_t mss, buffer, unit, level_max, initial_window;
	uint32_t level;          /* in force */
	uint32_t rto_limit;      /* window after a timeout without news from the receiver; 0: none */
	uint64_t earned;         /* what slow start could have reached: the start plus all bytes acknowledged */
	bool has_una, has_tsval;
	wt_seq una;              /* highest SEG.ACK seen */
	uint32_t tsval;          /* newest that carried an option */
	unsigned silent_acks;    /* ACKs of new data since an option came */
	wt_time silent_since;
	uint32_t ramped;         /* bytes acknowledged since the ramp began */

	/* round trips, for the cap */
	bool has_round;
	wt_seq sent_high, round_end;
	uint64_t round_sent, round_resent;
	unsigned bad_rounds, calm_rounds;
	uint32_t cap;            /* bytes; 0: none */
	uint32_t timeout_flight; /* in flight at the first timeout in a row */
	wt_time rtt, rtt_min, rtt_max;
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t level_window(const struct real *r)
{
	return wt_real_window(r->unit, r->level, r->mss);
}

/* The window in force: the level's, within everything that limits a receiver's word. */
static void put_window(const struct real *r, struct wt_sender_out *out)
{
	uint32_t window = smaller(level_window(r), r->buffer);

	if (r->earned < window)
		window = (uint32_t)r->earned;
	if (r->rto_limit)
		window = smaller(window, r->rto_limit);
	if (r->cap)
		window = smaller(window, r->cap);
	out->cwnd = larger(window, r->mss);
	out->gauge[0] = r->level;
}

static void fall_back(struct real *r, enum fallback why, struct wt_sender_out *out)
{
	r->fallen = true;
	out->fallback = true;
	out->burst = 0;
	out->gauge[0] = 0;
	if (why != FALLBACK_STOPPED)
		out->cwnd = larger(r->initial_window, r->mss);
	out->ssthresh = why == FALLBACK_STOPPED ? out->cwnd : WT_SSTHRESH_INFINITE;
	out->note = (struct wt_cc_word){.set = true, .type = WT_TRACE_FALLBACK, .field = why};
}

static void settle(struct real *r, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	r->mss = env->mss ? env->mss : 1;
	r->buffer = env->buffer ? env->buffer : WT_REAL_WINDOW_MAX;
	r->timestamps = env->timestamps;
	r->unit = wt_real_unit(&r->side);
	r->level_max = wt_real_level_max(r->params.lmax, r->buffer, r->unit, r->mss);
	r->level = r->params.l0 < r->level_max ? (uint32_t)r->params.l0 : r->level_max;
	r->initial_window = env->initial_window;
	r->earned = r->params.start == START_STACK ? r->initial_window : larger(r->initial_window, level_window(r));
	put_window(r, out);
}

static void real_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	const struct real_params *p = params;
	struct real *r = state;

	memset(r, 0, sizeof(*r));
	r->params = *p;
	wt_real_side_init(&r->side, p->opt, p->exid, p->unit_shift, WT_REAL_OBEYS, WT_REAL_ANNOUNCES);
	wt_aimd_init(&r->reno, &p->reno, env, out);
	settle(r, env, out);
}

static void real_on_syn_out(void *state, unsigned attempt, struct wt_cc_option *option)
{
	struct real *r = state;

	wt_real_syn_out(&r->side, attempt, option);
}

static void real_on_syn_in(void *state, const struct wt_cc_options *options)
{
	struct real *r = state;

	wt_real_syn_in(&r->side, options);
}

/* Reads the option; ACKs that reordering made old must not bring back an old level (specification 7.1). */
static bool hear(struct real *r, const struct wt_ack *ack)
{
	bool check = r->params.ts_check && ack->has_tsval, old;
	uint16_t value;

	if (!wt_real_read(&r->side, ack->options, &value))
		return false;
	old = (r->has_una && wt_seq_lt(ack->ack, r->una)) ||
	      (check && r->has_tsval && wt_seq_lt(ack->tsval, r->tsval));
	if (old)
		return true;
	if (ack->has_tsval) {
		r->has_tsval = true;
		r->tsval = ack->tsval;
	}
	if (!value) /* no opinion */
		return true;
	r->level = smaller(value, r->level_max);
	r->rto_limit = 0;
	return true;
}

/* Has the option been missing too long? `heard`: this ACK carried it. */
static enum fallback silence(struct real *r, const struct wt_ack *ack, bool heard)
{
	if (heard) {
		r->silent_acks = 0;
		r->acked_any |= ack->acked != 0;
		return 0;
	}
	if (!ack->acked)
		return 0;
	if (!r->acked_any)
		return FALLBACK_FIRST_ACK;
	if (!r->silent_acks++)
		r->silent_since = ack->now;
	if (r->silent_acks < 2 || !ack->srtt)
		return 0;
	return ack->now - r->silent_since >= (wt_time)r->params.silent_rtts * ack->srtt ? FALLBACK_STOPPED : 0;
}

static void set_cap(struct real *r, uint32_t base)
{
	r->cap = larger(base / 2, 2 * r->mss);
	r->bad_rounds = r->calm_rounds = 0;
}

/* A round trip is over. Much of it resent, twice in a row: the level is more than the path carries. */
static void end_round(struct real *r, const struct wt_ack *ack)
{
	bool bad = (double)r->round_resent > r->params.cap_share * (double)r->round_sent;

	r->bad_rounds = bad ? r->bad_rounds + 1 : 0;
	r->round_sent = r->round_resent = 0;
	r->round_end = r->sent_high;
	if (r->cap && !(ack->flags & WT_ACK_ECE)) { /* an ACK that tells of a mark opens nothing (RFC 3168 6.1.2) */
		r->cap = smaller(r->cap + r->mss, WT_REAL_WINDOW_MAX);
		r->calm_rounds = r->cap > level_window(r) ? r->calm_rounds + 1 : 0;
		if (r->calm_rounds >= 8)
			r->cap = 0;
	}
	if (r->params.cap && r->bad_rounds >= 2)
		set_cap(r, ack->inflight_before);
}

static void measure(struct real *r, const struct wt_ack *ack)
{
	if (ack->rtt > 0) {
		r->rtt = ack->rtt;
		r->rtt_min = r->rtt_min ? wt_time_min(r->rtt_min, ack->rtt) : ack->rtt;
		r->rtt_max = wt_time_max(r->rtt_max, ack->rtt);
	}
	r->earned += ack->acked;
	if (!r->has_una || wt_seq_gt(ack->ack, r->una)) {
		r->has_una = true;
		r->una = ack->ack;
	}
	if (r->has_round && ack->acked && wt_seq_ge(ack->ack, r->round_end))
		end_round(r, ack);
}

/* After a timeout at most two segments per ACK, until a window has been refilled (specification 7.4). */
static void ramp(struct real *r, const struct wt_ack *ack, struct wt_sender_out *out)
{
	if (!out->burst)
		return;
	r->ramped += ack->acked;
	if (r->ramped >= out->cwnd || ack->inflight + out->burst >= out->cwnd)
		out->burst = 0;
}

static void start_ramp(struct real *r, struct wt_sender_out *out)
{
	if (r->params.restart != RESTART_RAMP)
		return;
	out->burst = 2 * r->mss;
	r->ramped = 0;
}

static void real_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct real *r = state;
	enum fallback why;

	if (r->fallen) {
		wt_aimd_grow(&r->reno, ack, out);
		return;
	}
	why = silence(r, ack, hear(r, ack));
	measure(r, ack);
	if (why) {
		fall_back(r, why, out);
		return;
	}
	put_window(r, out);
	ramp(r, ack, out);
}

static bool long_queue(const struct real *r)
{
	wt_time most = r->rtt_max - r->rtt_min;

	return r->params.rtt_guard && !r->timestamps && r->rtt_min && r->rtt - r->rtt_min > most / 2 &&
	       most > r->params.guard_floor + r->rtt_min / 10;
}

static void on_timeout(struct real *r, const struct wt_loss *loss, struct wt_sender_out *out)
{
	/* Without any duplicate ACK since the timer started, no word of the receiver reached us (the paper's bit). */
	if (!loss->dup_seen)
		r->rto_limit = (uint32_t)r->params.rto_window * r->mss;
	if (loss->rto_count <= 1) /* later ones find only what was resent in flight */
		r->timeout_flight = loss->inflight;
	else if (r->params.cap)
		set_cap(r, r->timeout_flight);
	start_ramp(r, out);
}

static void real_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct real *r = state;

	if (r->fallen) {
		wt_aimd_loss(&r->reno, loss, out);
		return;
	}
	switch (loss->why) {
	case WT_LOSS_RTO:
		on_timeout(r, loss, out);
		break;
	case WT_LOSS_DUPTHRESH: /* the level alone decides; without timestamps the receiver cannot see the queue */
		if (long_queue(r))
			set_cap(r, out->cwnd);
		break;
	case WT_LOSS_ECN: /* whatever the level says */
		set_cap(r, out->cwnd);
		break;
	}
	put_window(r, out);
}

static void real_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env,
			  struct wt_sender_out *out)
{
	struct real *r = state;

	if (event == WT_CC_ESTABLISHED)
		wt_aimd_established(&r->reno, env, out);
	if (r->fallen) {
		wt_aimd_event(&r->reno, event, env, out);
		return;
	}
	switch (event) {
	case WT_CC_ESTABLISHED:
		settle(r, env, out);
		if (!wt_real_agreed(&r->side))
			fall_back(r, FALLBACK_NOT_AGREED, out);
		break;
	case WT_CC_MSS:
		wt_aimd_event(&r->reno, event, env, out);
		r->mss = r->reno.mss;
		break;
	case WT_CC_IDLE:
		start_ramp(r, out);
		break;
	case WT_CC_UNDO:
		r->rto_limit = 0;
		put_window(r, out);
		break;
	case WT_CC_RECOVERED:
	case WT_CC_FALLBACK:
		break;
	}
}

static void real_on_sent(void *state, const struct wt_sent *sent, struct wt_sender_out *out)
{
	struct real *r = state;
	wt_seq end = sent->seq + sent->len;

	if (!r->has_round) {
		r->has_round = true;
		r->sent_high = r->round_end = end;
	}
	r->sent_high = wt_seq_max(r->sent_high, end);
	r->round_sent += sent->len;
	if (sent->retransmission)
		r->round_resent += sent->len;
}

static const char *const start_words[] = {"stack", "level", NULL};
static const char *const restart_words[] = {"ramp", "full", NULL};

#define COMMON                                                                                     \
	.opt = WT_REAL_EXID6, .exid = WT_REAL_EXID, .lmax = 24, .rto_window = 2, .ts_check = 1,    \
	.silent_rtts = 2, .guard_floor = 2 * WT_MS, .cap_share = 0.125,                            \
	.reno = {.growth = WT_AIMD_BYTES, .halve = WT_AIMD_FLIGHT}

static const struct real_params safe = {
	COMMON, .profile = 0, .l0 = 5, .start = START_STACK, .restart = RESTART_RAMP, .cap = 1, .rtt_guard = 1,
};

static const struct real_params paper = {
	COMMON, .profile = 1, .l0 = 1, .start = START_LEVEL, .restart = RESTART_FULL,
};
static const struct real_params paper_slow = {
	COMMON, .profile = 2, .l0 = 1, .start = START_LEVEL, .restart = RESTART_FULL,
};


static const struct wt_cc_preset presets[] = {
	{"safe", "for a network with others on it", &safe},
	{"paper", "as the paper has it (NOSSDAV 2001)", &paper},
	{"paper-slow", "the paper; the slower growth is the receiver's", &paper_slow},
	{NULL, NULL, NULL},
};

#define AT(field) offsetof(struct real_params, field)

static const struct wt_param real_params[] = {
	WT_REAL_PROFILE_ROW(struct real_params),
	WT_REAL_OPTION_ROWS(struct real_params),
	{"lmax", WT_PARAM_COUNT, AT(lmax), "highest level obeyed (paper: 24); 0: what fills the send buffer", 0, 65535,
	 NULL},
	{"l0", WT_PARAM_COUNT, AT(l0), "level until the first announcement", 1, 65535, NULL},
	{"start", WT_PARAM_WORD, AT(start), "a start beyond the stack's initial window: never, or if l0 asks for it", 0, 0,
	 start_words},
	{"restart", WT_PARAM_WORD, AT(restart), "after a timeout: two segments per ACK until the window is reached, or all",
	 0, 0, restart_words},
	{"cap", WT_PARAM_BOOL, AT(cap), "cap the window when much of two round trips was resent, or two timeouts follow", 0,
	 1, NULL},
	{"cap_share", WT_PARAM_NUMBER, AT(cap_share), "share of a round trip resent that counts as much", 0, 1, NULL},
	{"rtt_guard", WT_PARAM_BOOL, AT(rtt_guard), "without timestamps: cap on loss while the round trip shows a queue", 0,
	 1, NULL},
	WT_REAL_GUARD_ROW(struct real_params),
	{"rto_window", WT_PARAM_COUNT, AT(rto_window), "segments after a timeout without any duplicate ACK (paper: 2)", 1,
	 64, NULL},
	{"ts_check", WT_PARAM_BOOL, AT(ts_check), "ignore levels on ACKs older by timestamp than the newest heard", 0, 1,
	 NULL},
	{"silent_rtts", WT_PARAM_COUNT, AT(silent_rtts), "round trips without option after which it falls back", 1, 1000,
	 NULL},
	WT_AIMD_PARAM_ROWS(AT(reno)),
};

const struct wt_sender_ops wt_sender_real = {
	.name = "real",
	.text = "TCP-Real: the receiver's wave level is the window (Zhang and Tsaoussidis 2001); NewReno without it",
	.default_recovery = "real",
	.params = real_params,
	.param_count = sizeof(real_params) / sizeof(real_params[0]),
	.params_size = sizeof(struct real_params),
	.state_size = sizeof(struct real),
	.params_default = &safe,
	.presets = presets,
	.gauges = (const char *const[]){"level", NULL},
	.default_receiver = "real",
	.init = real_init,
	.on_ack = real_on_ack,
	.on_loss = real_on_loss,
	.on_event = real_on_event,
	.on_sent = real_on_sent,
	.on_syn_out = real_on_syn_out,
	.on_syn_in = real_on_syn_in,
};
