/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP-Real's receiver (Zhang and Tsaoussidis, NOSSDAV 2001): measures the rate at which each wave of data arrives
 * and announces the next wave level in every ACK. The receiver decides how much the sender has in flight.
 *
 * An experimental protocol: a flow at its highest level that loses nothing never yields to others. Profile `safe`
 * adds what a shared network asks for, `paper` is the paper, `paper-slow` the growth that fits its tables best.
 */
#include "cc/tcp_real/real.h"
#include "cc/tcp_real/level.h"
#include "cc/tcp_real/wave.h"
#include "stack/text/trace.h"

enum { RATE_INTERVALS, RATE_SEGMENTS };
enum { WAVE_ACK_END, WAVE_ACK_TIMEOUT, WAVE_ACK_NEVER };

struct real_params {
	uint64_t profile, opt, exid, unit_shift, lmax, l0;
	double thr0, band, aw_up_lo, aw_up_hi, aw_dn_lo, aw_dn_hi, r_min, r_max, grow_lo, grow_hi, tmo_mult, tail_tol;
	wt_time clock, min_span, guard_floor, ts_tick, owd_window;
	uint64_t min_ticks, owd_guard, psh_truncates, idle_decay, rwnd_edge, rate, wave_ack;
};

struct real {
	struct real_params params;
	struct wt_real_side side;
	struct wt_real_wave wave;
	struct wt_real_wave_rule wave_rule;
	struct wt_real_level level;
	struct wt_real_level_rule level_rule;
	struct wt_real_delay delay;
	uint32_t buffer, mss, announced, level_first; /* announced: whole levels; level_first: Q8 */
	wt_time last_arrival, last_open;
	wt_time wave_time, wave_time_min; /* from one wave's first segment to the next one's; 0: unknown */
	bool seen, updated;
};

/* Everything that depends on values the handshake may still change. */
static void settle(struct real *r, const struct wt_cc_env *env)
{
	const struct real_params *p = &r->params;
	uint32_t unit = wt_real_unit(&r->side);

	r->mss = env->mss ? env->mss : 1;
	r->buffer = env->buffer;
	r->wave_rule = (struct wt_real_wave_rule){
		.unit = unit,
		.mss = r->mss,
		.tmo_mult = p->tmo_mult,
		.tail_tol = p->tail_tol,
		.whole = p->rate == RATE_SEGMENTS,
		.psh_truncates = p->psh_truncates,
		.min_span = wt_time_max(p->min_span, (wt_time)p->min_ticks * p->clock),
	};
	r->level_rule = (struct wt_real_level_rule){
		.band = p->band,
		.up_low = p->aw_up_lo,
		.up_high = p->aw_up_hi,
		.down_low = p->aw_dn_lo,
		.down_high = p->aw_dn_hi,
		.ratio_min = p->r_min,
		.ratio_max = p->r_max,
		.grow_low = p->grow_lo,
		.grow_high = p->grow_hi * WT_REAL_UNIT / unit,
		.max = wt_real_level_max(p->lmax, env->buffer, unit, r->mss) * WT_REAL_Q8,
	};
	if (r->updated)
		return;
	r->level.level = p->l0 * WT_REAL_Q8 < r->level_rule.max ? (uint32_t)p->l0 * WT_REAL_Q8 : r->level_rule.max;
	r->level.threshold = p->thr0 > 0 ? (uint32_t)(p->thr0 * WT_REAL_Q8 + 0.5) : r->level_rule.max;
	r->level_first = r->level.level;
	r->announced = r->level.level / WT_REAL_Q8;
}

static void real_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct real *r = state;

	*r = (struct real){.params = *(const struct real_params *)params};
	wt_real_side_init(&r->side, r->params.opt, r->params.exid, r->params.unit_shift, WT_REAL_ANNOUNCES,
			  WT_REAL_OBEYS);
	settle(r, env);
}

static void real_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	if (event == WT_CC_ESTABLISHED)
		settle(state, env);
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

/* One decision interval; the time from wave to wave stands for the round trip, which a receiver does not know. */
static wt_time interval(const struct real *r)
{
	wt_time four = r->wave_time < WT_NEVER / 4 ? 4 * r->wave_time : WT_NEVER;

	return wt_time_max(WT_S, four);
}

/*
 * Loss while the queue is long. Clocks are not synchronised, so half the shortest wave-to-wave time stands for the
 * delay of the empty path.
 */
static bool long_queue(const struct real *r)
{
	wt_time most = wt_real_delay_max(&r->delay);

	return r->params.owd_guard && r->delay.started && wt_real_delay_now(&r->delay) > most / 2 &&
	       most > r->params.guard_floor + r->wave_time_min / 20;
}

static void decide(struct real *r, const struct wt_real_sample *sample, struct wt_cc_note *note)
{
	bool guard = sample->marked || (sample->holes && long_queue(r));
	double ratio = wt_real_level_update(&r->level, &r->level_rule, sample->rate, sample->timed_out, guard);

	r->updated = true;
	r->announced = r->level.level / WT_REAL_Q8;
	if (!note)
		return;
	*note = (struct wt_cc_note){
		.set = true,
		.type = WT_TRACE_LEVEL,
		.field = {r->level.level, r->level.threshold, sample->rate < 1e18 ? (uint64_t)sample->rate : UINT64_MAX,
			  (uint64_t)(ratio * 65536), sample->timed_out, sample->start, sample->end},
	};
}

/* Before a wave opens: after silence the last rate says nothing, and a high level is no longer earned. */
static void after_idle(struct real *r, wt_time now)
{
	wt_time idle = now - r->last_arrival, one = interval(r), times;
	uint32_t level;

	if (!r->seen)
		return;
	if (idle <= one) {
		r->wave_time = now - r->last_open;
		if (r->wave_time > 0 && (!r->wave_time_min || r->wave_time < r->wave_time_min))
			r->wave_time_min = r->wave_time;
		return;
	}
	r->level.has_rate = false;
	if (!r->params.idle_decay)
		return;
	times = idle / one;
	level = times < 31 ? r->level.level >> times : 0;
	if (level < r->level_first)
		level = r->level_first;
	if (level < r->level.level)
		r->level.level = level;
	r->announced = r->level.level / WT_REAL_Q8;
}

static void first_data(struct real *r, const struct wt_rx_segment *segment)
{
	wt_real_wave_start(&r->wave, &r->wave_rule, segment);
	wt_real_wave_permit(&r->wave, r->wave.high + wt_real_window(r->wave_rule.unit, r->announced, r->wave.rmss));
}

/* The segment that closes a wave is acknowledged at once, so that the new level leaves with it: our rule, not the paper's. */
static unsigned closing_ack(const struct real *r, const struct wt_real_sample *sample)
{
	if (r->params.wave_ack == WAVE_ACK_NEVER || (r->params.wave_ack == WAVE_ACK_TIMEOUT && !sample->timed_out))
		return WT_RX_DEFAULT;
	return WT_RX_ACK_NOW;
}

static unsigned count_segment(struct real *r, const struct wt_rx_segment *segment, struct wt_cc_note *note)
{
	struct wt_real_sample sample;
	unsigned verdict = WT_RX_DEFAULT;

	if (segment->has_ts)
		wt_real_delay_take(&r->delay, segment->now, segment->tsval, r->params.ts_tick, r->params.owd_window);
	if (!r->wave.known)
		first_data(r, segment);
	if (wt_real_wave_overtaken(&r->wave, &r->wave_rule, segment, interval(r), &sample)) {
		decide(r, &sample, note);
		verdict |= closing_ack(r, &sample);
	}
	if (wt_real_wave_advances(&r->wave, segment)) {
		if (!r->wave.open) {
			after_idle(r, segment->now);
			r->last_open = segment->now;
		}
		if (wt_real_wave_take(&r->wave, &r->wave_rule, segment, r->level.has_rate ? r->level.rate : 0,
				      &sample)) {
			decide(r, &sample, note);
			verdict |= closing_ack(r, &sample);
		}
	}
	r->seen = true;
	r->last_arrival = segment->now;
	return verdict;
}

static unsigned real_on_segment(void *state, const struct wt_rx_segment *segment, struct wt_cc_note *note)
{
	struct real *r = state;
	struct wt_rx_segment stamped = *segment;

	if (!wt_real_agreed(&r->side) || !segment->len)
		return WT_RX_DEFAULT;
	stamped.now -= stamped.now % r->params.clock;
	return count_segment(r, &stamped, note);
}

static void real_on_ack_out(void *state, const struct wt_rx_ack *ack, struct wt_rx_out *out)
{
	struct real *r = state;
	wt_seq edge;
	uint32_t window;

	out->option.len = 0;
	if (!wt_real_agreed(&r->side) || ack->option_room < wt_real_room(&r->side))
		return;
	wt_real_write(&r->side, (uint16_t)r->announced, &out->option);
	if (!r->wave.known)
		return;
	window = wt_real_window(r->wave_rule.unit, r->announced, r->wave.rmss);
	edge = r->wave.high + window;
	if (r->params.rwnd_edge)
		edge = wt_seq_min(edge, ack->rcv_nxt + (out->window < WT_REAL_WINDOW_MAX ? out->window : WT_REAL_WINDOW_MAX));
	wt_real_wave_permit(&r->wave, edge);
}

static const char *const rate_words[] = {"intervals", "segments", NULL};
static const char *const wave_ack_words[] = {"end", "timeout", "never", NULL};

#define COMMON                                                                                     \
	.opt = WT_REAL_EXID6, .exid = WT_REAL_EXID, .lmax = 24, .band = 0.10, .aw_up_lo = 0.75,    \
	.aw_up_hi = 0.25, .aw_dn_lo = 0.25, .aw_dn_hi = 0.75, .r_min = 0.25, .r_max = 4,           \
	.grow_lo = 2, .tmo_mult = 2, .clock = 1, .guard_floor = 2 * WT_MS, .ts_tick = WT_MS,                \
	.owd_window = 10 * WT_S

static const struct real_params safe = {
	COMMON, .profile = 0, .l0 = 5, .grow_hi = 0.5, .tail_tol = 0.125, .min_span = WT_MS, .min_ticks = 2,
	.owd_guard = 1, .psh_truncates = 1, .idle_decay = 1, .rwnd_edge = 1,
};

static const struct real_params paper = {
	COMMON, .profile = 1, .l0 = 1, .grow_hi = 0.5, .min_ticks = 1,
};

static const struct real_params paper_slow = {
	COMMON, .profile = 2, .l0 = 1, .thr0 = 1, .grow_hi = 0.25, .min_ticks = 1,
};

static const struct wt_cc_preset presets[] = {
	{"safe", "for a network with others on it", &safe},
	{"paper", "as the paper has it (NOSSDAV 2001)", &paper},
	{"paper-slow", "the paper with growth of one segment per two waves, nearest to its tables", &paper_slow},
	{NULL, NULL, NULL},
};

#define AT(field) offsetof(struct real_params, field)

static const struct wt_param real_params[] = {
	WT_REAL_PROFILE_ROW(struct real_params),
	WT_REAL_OPTION_ROWS(struct real_params),
	{"lmax", WT_PARAM_COUNT, AT(lmax), "highest level (paper: 24); 0: what fills the receive buffer", 0, 65535,
	 NULL},
	{"l0", WT_PARAM_COUNT, AT(l0), "first level", 1, 65535, NULL},
	{"thr0", WT_PARAM_NUMBER, AT(thr0), "first threshold, in levels; 0: lmax", 0, 65535, NULL},
	{"band", WT_PARAM_NUMBER, AT(band), "a rate ratio within 1 +- band counts as steady", 0, 0.99, NULL},
	{"aw_up_lo", WT_PARAM_NUMBER, AT(aw_up_lo), "adjust weight, rate rising, level below the threshold", 0, 1,
	 NULL},
	{"aw_up_hi", WT_PARAM_NUMBER, AT(aw_up_hi), "the same, level at or above the threshold", 0, 1, NULL},
	{"aw_dn_lo", WT_PARAM_NUMBER, AT(aw_dn_lo), "adjust weight, rate falling, level below the threshold", 0, 1,
	 NULL},
	{"aw_dn_hi", WT_PARAM_NUMBER, AT(aw_dn_hi), "the same, level at or above the threshold", 0, 1, NULL},
	{"r_min", WT_PARAM_NUMBER, AT(r_min), "smallest rate ratio acted on", 0.01, 1, NULL},
	{"r_max", WT_PARAM_NUMBER, AT(r_max), "largest rate ratio acted on", 1, 100, NULL},
	{"grow_lo", WT_PARAM_NUMBER, AT(grow_lo), "factor per wave below the threshold while the rate does not fall", 1,
	 16, NULL},
	{"grow_hi", WT_PARAM_NUMBER, AT(grow_hi), "levels (of two segments) per wave above it; 0.5: one segment", 0, 1000,
	 NULL},
	{"tmo_mult", WT_PARAM_NUMBER, AT(tmo_mult), "decision deadline, in expected wave times (paper: 2)", 1, 1000,
	 NULL},
	{"tail_tol", WT_PARAM_NUMBER, AT(tail_tol), "share of a wave that may miss at its end without a timeout verdict; "
	 "above 0 at least one segment", 0, 1, NULL},
	{"clock", WT_PARAM_TIME, AT(clock), "unit of the clock that stamps arrivals (not the stack's timer tick)", 1, 1e9,
	 NULL},
	{"min_span", WT_PARAM_TIME, AT(min_span), "shortest usable time from first to last segment of a wave", 0, 1e9,
	 NULL},
	{"min_ticks", WT_PARAM_COUNT, AT(min_ticks), "the same in units of `clock`", 0, 1000, NULL},
	{"owd_guard", WT_PARAM_BOOL, AT(owd_guard), "halve the level on loss while one-way delay shows a long queue", 0,
	 1, NULL},
	WT_REAL_GUARD_ROW(struct real_params),
	{"ts_tick", WT_PARAM_TIME, AT(ts_tick), "the peer's timestamp unit", 1, 1e9, NULL},
	{"owd_window", WT_PARAM_TIME, AT(owd_window), "age at which the smallest one-way delay is forgotten", 1e6, 1e12,
	 NULL},
	{"rate", WT_PARAM_WORD, AT(rate),
	 "a wave of n segments has n - 1 intervals, or counts as n: its size over the time from first to last (the paper)", 0, 0,
	 rate_words},
	{"wave_ack", WT_PARAM_WORD, AT(wave_ack),
	 "the segment that ends a wave is acknowledged at once (not in the paper), or only after a decision timeout, or never", 0, 0,
	 wave_ack_words},
	{"psh_truncates", WT_PARAM_BOOL, AT(psh_truncates), "a late wave whose last segment had PSH ends there", 0, 1,
	 NULL},
	{"idle_decay", WT_PARAM_BOOL, AT(idle_decay), "halve the level for every second (or 4 wave times) of silence", 0,
	 1, NULL},
	{"rwnd_edge", WT_PARAM_BOOL, AT(rwnd_edge), "a wave ends at the advertised window if that comes first", 0, 1,
	 NULL},
};

const struct wt_receiver_ops wt_receiver_real = {
	.name = "real",
	.text = "TCP-Real: measures the rate of each wave and announces the next level (Zhang and Tsaoussidis 2001)",
	.params = real_params,
	.param_count = sizeof(real_params) / sizeof(real_params[0]),
	.params_size = sizeof(struct real_params),
	.state_size = sizeof(struct real),
	.params_default = &safe,
	.presets = presets,
	.init = real_init,
	.on_segment = real_on_segment,
	.on_ack_out = real_on_ack_out,
	.on_event = real_on_event,
	.on_syn_out = real_on_syn_out,
	.on_syn_in = real_on_syn_in,
};
