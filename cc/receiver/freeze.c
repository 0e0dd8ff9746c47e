/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Freeze-TCP (Goff, Moronski, Phatak and Gupta, INFOCOM 2000): a receiver that foresees an outage closes its window a round trip before,
 * so that the sender persists with its window kept instead of timing out, and opens it with three ACKs when the path is back.
 *
 *   [ closed from `ahead` before ... the outage ... ] three ACKs with the window open
 *
 * The paper takes the forecast from the signal of a wireless link. Here it is a schedule: the outage at `at`, and every `every` after it.
 *
 * Where we differ: the window closes at once, over what is in flight, where the paper would have the sender see it a round trip
 * ahead. A sender that still has data in flight when the window opens sends it again as after a timeout (this engine does, docs/deviations.md),
 * so `ahead` should be a round trip.
 */
#include "cc/cc.h"

#define WAKE_GAP (100 * WT_US) /* between two of the three ACKs */
#define WAKES 3u

struct freeze_params {
	wt_time at, every, lasts, ahead;
};

struct freeze {
	struct freeze_params params;
	wt_time outage; /* begin of the one that is next or runs */
	wt_time due;    /* timer */
	unsigned wakes; /* ACKs sent since it ended */
	bool closed;
};

static void plan(struct freeze *f)
{
	f->due = f->closed ? f->outage + f->params.lasts : f->outage - f->params.ahead;
}

/* Outages that are over. */
static void skip(struct freeze *f, wt_time now)
{
	while (f->params.lasts && f->outage + f->params.lasts <= now) {
		if (!f->params.every) {
			f->outage = WT_NEVER;
			f->due = WT_NEVER;
			return;
		}
		f->outage += (1 + (now - f->outage - f->params.lasts) / f->params.every) * f->params.every;
	}
	plan(f);
}

static void freeze_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct freeze *f = state;

	*f = (struct freeze){.params = *(const struct freeze_params *)params, .due = WT_NEVER, .wakes = WAKES};
	if (f->params.every && f->params.every < f->params.lasts + f->params.ahead + WT_MS)
		f->params.every = f->params.lasts + f->params.ahead + WT_MS;
	f->outage = f->params.lasts ? f->params.at : WT_NEVER;
	if (f->params.lasts)
		skip(f, env->now);
}

static wt_time freeze_deadline(const void *state)
{
	return ((const struct freeze *)state)->due;
}

static unsigned freeze_on_timer(void *state, wt_time now)
{
	struct freeze *f = state;

	if (f->wakes < WAKES) {
		f->wakes++;
		if (f->wakes < WAKES)
			f->due = now + WAKE_GAP;
		else
			skip(f, now);
	} else if (!f->closed) {
		f->closed = true;
		f->due = f->outage + f->params.lasts;
	} else {
		f->closed = false;
		f->wakes = 1;
		f->due = now + WAKE_GAP;
	}
	if (f->due <= now)
		f->due = now + 1;
	return WT_RX_ACK_NOW;
}

static void freeze_on_ack_out(void *state, const struct wt_rx_ack *ack, struct wt_rx_out *out)
{
	const struct freeze *f = state;

	if (f->closed)
		out->window = 0;
}

static const struct wt_param freeze_params[] = {
	{"at", WT_PARAM_TIME, offsetof(struct freeze_params, at), "the first outage begins then, by the host's clock", 0, 1e15, NULL},
	{"every", WT_PARAM_TIME, offsetof(struct freeze_params, every), "and again so long after it; 0s: no other", 0, 1e15, NULL},
	{"lasts", WT_PARAM_TIME, offsetof(struct freeze_params, lasts), "how long an outage lasts; 0s: there is none", 0, 1e12, NULL},
	{"ahead", WT_PARAM_TIME, offsetof(struct freeze_params, ahead), "the window closes so long before it: a round trip (paper, 3)", 0, 1e10, NULL},
};

static const struct freeze_params freeze_default = {.ahead = 100 * WT_MS};

const struct wt_receiver_ops wt_receiver_freeze = {
	.name = "freeze",
	.text = "closes its window ahead of outages that it foresees, by a schedule (Freeze-TCP: Goff et al. 2000)",
	.shrinks = true,
	.params = freeze_params,
	.param_count = sizeof(freeze_params) / sizeof(freeze_params[0]),
	.params_size = sizeof(struct freeze_params),
	.state_size = sizeof(struct freeze),
	.params_default = &freeze_default,
	.init = freeze_init,
	.on_ack_out = freeze_on_ack_out,
	.deadline = freeze_deadline,
	.on_timer = freeze_on_timer,
};
