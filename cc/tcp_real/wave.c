/* SPDX-License-Identifier: BSD-2-Clause */
#include "cc/tcp_real/wave.h"

static wt_seq end_of(const struct wt_rx_segment *segment)
{
	return segment->seq + segment->len;
}

static void note_size(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule, uint32_t len)
{
	len = len < rule->mss ? len : rule->mss;
	wave->rmss = wave->rmss > len ? wave->rmss : len;
}

void wt_real_wave_start(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule,
			const struct wt_rx_segment *segment)
{
	wave->known = true;
	wave->high = segment->flags & WT_RX_IN_ORDER ? segment->seq : segment->rcv_nxt;
	wave->edge = wave->high;
	note_size(wave, rule, segment->len);
}

void wt_real_wave_permit(struct wt_real_wave *wave, wt_seq edge)
{
	if (wave->known)
		wave->edge = wt_seq_max(wave->edge, edge);
}

bool wt_real_wave_advances(const struct wt_real_wave *wave, const struct wt_rx_segment *segment)
{
	return segment->len && wt_seq_gt(end_of(segment), wave->high);
}

/* Closes the wave: `span` bytes were expected in `time`. Segments lost inside count: the span is sequence distance. */
static bool closed(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule, wt_seq upto, wt_time time,
		   bool timed_out, struct wt_real_sample *sample)
{
	int32_t span = wt_seq_diff(upto, rule->whole ? wave->start : wave->first_end);
	wt_time least = rule->min_span > 0 ? rule->min_span : 1;

	*sample = (struct wt_real_sample){
		.timed_out = timed_out,
		.holes = wave->holes,
		.marked = wave->marked,
		.start = wave->start,
		.end = timed_out ? wave->end : wave->last_end,
	};
	if (span > 0 && time >= least)
		sample->rate = (double)span * (double)WT_S / (double)time;
	wave->open = false;
	return true;
}

static bool closed_normally(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule,
			    struct wt_real_sample *sample)
{
	return closed(wave, rule, wave->last_end, wave->last - wave->first, false, sample);
}

bool wt_real_wave_overtaken(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule,
			    const struct wt_rx_segment *segment, wt_time interval, struct wt_real_sample *sample)
{
	bool outside, late, quiet;
	uint32_t missing, tolerated;

	if (!wave->open)
		return false;
	outside = segment->len && wt_seq_ge(segment->seq, wave->end);
	late = wave->deadline != WT_NEVER && segment->now > wave->deadline;
	quiet = wave->deadline == WT_NEVER && segment->now - wave->last > interval;
	missing = wave->end - wave->last_end;
	if (rule->psh_truncates && wave->pushed && (late || quiet))
		return closed_normally(wave, rule, sample);
	if (late) {
		tolerated = (uint32_t)(rule->tail_tol * (double)(wave->end - wave->start));
		tolerated = tolerated > wave->rmss ? tolerated : wave->rmss;
		if (rule->tail_tol > 0 && outside && missing <= tolerated)
			return closed_normally(wave, rule, sample);
		return closed(wave, rule, wave->end, segment->now - wave->first, true, sample);
	}
	return outside && closed_normally(wave, rule, sample);
}

static void open_wave(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule,
		      const struct wt_rx_segment *segment, double rate)
{
	double expected;

	wave->open = true;
	wave->holes = wave->marked = false;
	wave->count = 0;
	wave->start = wave->high;
	wave->end = wt_seq_max(wave->edge, wave->start + rule->unit * wave->rmss);
	wave->first = segment->now;
	wave->first_end = end_of(segment);
	wave->deadline = WT_NEVER;
	if (rate <= 0)
		return;
	expected = rule->tmo_mult * (double)(wave->end - wave->start) / rate * (double)WT_S;
	wave->deadline = wt_time_add(segment->now, expected < 1e18 ? (wt_time)expected : WT_NEVER);
}

bool wt_real_wave_take(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule,
		       const struct wt_rx_segment *segment, double rate, struct wt_real_sample *sample)
{
	note_size(wave, rule, segment->len);
	if (!wave->open)
		open_wave(wave, rule, segment, rate);
	wave->holes |= wt_seq_gt(segment->seq, wave->high);
	wave->marked |= (segment->flags & WT_RX_CE) != 0;
	wave->pushed = segment->flags & WT_RX_PSH;
	wave->count++;
	wave->last = segment->now;
	wave->last_end = wave->high = end_of(segment);
	return wt_seq_ge(wave->high, wave->end) && closed_normally(wave, rule, sample);
}
