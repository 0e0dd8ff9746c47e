/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data Center TCP (RFC 8257): the window is reduced by how much of it was marked, not by that it was. For paths whose queue
 * marks early and everything above its threshold, and with the receiver module of the same name, which echoes each mark as it
 * came; with any other receiver the share it sees is too large. Among flows that halve it takes more than its part, unless the
 * queue couples both kinds (RFC 9332): not for the Internet.
 *
 * Growth and losses are Reno's (RFC 8257 3.4, 3.5).
 */
#include "cc/shared/aimd.h"

struct dctcp_params {
	struct wt_aimd_params reno;
	double gain, alpha;
};

struct dctcp {
	struct wt_aimd reno;
	double gain, alpha; /* alpha: the share of marked bytes, smoothed */
	uint64_t acked, marked; /* bytes, of the present observation window */
	bool has_sent;
	wt_seq sent, end; /* highest number sent, plus one; where the observation window ends */
};

static void dctcp_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	const struct dctcp_params *p = params;
	struct dctcp *d = state;

	*d = (struct dctcp){.gain = p->gain, .alpha = p->alpha};
	wt_aimd_init(&d->reno, &p->reno, env, out);
	out->gauge[0] = d->alpha;
}

/* RFC 8257 3.3, steps 5 to 7: alpha moves by g towards the share of this window. */
static void end_window(struct dctcp *d)
{
	double share = (double)d->marked / (double)d->acked;

	d->alpha = d->alpha * (1 - d->gain) + d->gain * share;
	d->acked = d->marked = 0;
	d->end = d->sent;
}

static void dctcp_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct dctcp *d = state;

	d->acked += ack->acked;
	if (ack->flags & WT_ACK_ECE)
		d->marked += ack->acked;
	if (d->has_sent && d->acked && wt_seq_gt(ack->ack, d->end))
		end_window(d);
	out->gauge[0] = d->alpha;
	wt_aimd_grow(&d->reno, ack, out);
}

static void dctcp_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct dctcp *d = state;
	uint32_t window = (uint32_t)(out->cwnd * (1 - d->alpha / 2));

	if (loss->why != WT_LOSS_ECN) {
		wt_aimd_loss(&d->reno, loss, out);
		return;
	}
	if (window < 2 * d->reno.mss)
		window = 2 * d->reno.mss;
	out->ssthresh = window;
	if (out->cwnd > window)
		out->cwnd = window;
}

static void dctcp_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct dctcp *d = state;

	wt_aimd_event(&d->reno, event, env, out);
}

static void dctcp_on_sent(void *state, const struct wt_sent *sent, struct wt_sender_out *out)
{
	struct dctcp *d = state;
	wt_seq end = sent->seq + sent->len;

	if (!d->has_sent)
		d->sent = d->end = end;
	d->has_sent = true;
	d->sent = wt_seq_max(d->sent, end);
}

static const struct wt_param dctcp_params[] = {
	{"gain", WT_PARAM_NUMBER, offsetof(struct dctcp_params, gain),
	 "weight of the newest window in the share of marked bytes, g (RFC 8257 4.2: 1/16)", 0.001, 1, NULL},
	{"alpha", WT_PARAM_NUMBER, offsetof(struct dctcp_params, alpha),
	 "the share before the first window (RFC 8257 4.2: 1, as cautious as Reno)", 0, 1, NULL},
	WT_AIMD_PARAM_ROWS(offsetof(struct dctcp_params, reno)),
};

static const struct dctcp_params dctcp_default = {
	.reno = {.growth = WT_AIMD_BYTES, .halve = WT_AIMD_FLIGHT},
	.gain = 0.0625,
	.alpha = 1,
};

const struct wt_sender_ops wt_sender_dctcp = {
	.name = "dctcp",
	.text = "DCTCP: reduces by the share of marked bytes; an experiment, with ecn=on and receiver dctcp (RFC 8257)",
	.params = dctcp_params,
	.param_count = sizeof(dctcp_params) / sizeof(dctcp_params[0]),
	.params_size = sizeof(struct dctcp_params),
	.state_size = sizeof(struct dctcp),
	.params_default = &dctcp_default,
	.gauges = (const char *const[]){"alpha", NULL},
	.default_receiver = "dctcp",
	.answers_both = true, /* RFC 8257 3.5: to losses as any TCP, however little a mark took */
	.init = dctcp_init,
	.on_ack = dctcp_on_ack,
	.on_loss = dctcp_on_loss,
	.on_event = dctcp_on_event,
	.on_sent = dctcp_on_sent,
};
