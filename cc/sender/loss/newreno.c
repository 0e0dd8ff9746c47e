/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NewReno's side of the window (RFC 6582): Reno, but the full ACK that ends recovery may find little in flight, and
 * then ssthresh at once would be a burst (3.2 step 3, choice 1). With SACK the flight is known all the time and recovery keeps it near
 * ssthresh (RFC 6675), so there is no burst to avoid, and the window is ssthresh.
 */
#include "cc/shared/aimd.h"

enum { EXIT_FLIGHT, EXIT_SSTHRESH };

struct newreno_params {
	struct wt_aimd_params reno;
	uint64_t exit;
};

struct newreno {
	struct wt_aimd reno;
	bool to_flight, sack;
	uint32_t inflight; /* after the last ACK that came in recovery */
};

static void newreno_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	const struct newreno_params *p = params;
	struct newreno *n = state;

	wt_aimd_init(&n->reno, &p->reno, env, out);
	n->to_flight = p->exit == EXIT_FLIGHT;
}

static void newreno_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct newreno *n = state;

	n->inflight = ack->inflight;
	wt_aimd_grow(&n->reno, ack, out);
}

static void newreno_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct newreno *n = state;

	wt_aimd_loss(&n->reno, loss, out);
}

static void newreno_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env,
			     struct wt_sender_out *out)
{
	struct newreno *n = state;
	uint32_t mss = n->reno.mss, window;

	wt_aimd_event(&n->reno, event, env, out);
	if (event == WT_CC_ESTABLISHED)
		n->sack = env->sack;
	if (event != WT_CC_RECOVERED || !n->to_flight || n->sack)
		return;
	window = (n->inflight > mss ? n->inflight : mss) + mss;
	if (out->cwnd > window)
		out->cwnd = window;
}

static const char *const exit_words[] = {"flight", "ssthresh", NULL};

static const char *const profile_words[] = {"rfc5681", "ns2", NULL};

static const struct wt_param newreno_params[] = {
	WT_AIMD_PARAM_ROWS(offsetof(struct newreno_params, reno)),
	{"profile", WT_PARAM_WORD, offsetof(struct newreno_params, reno.profile), "set of all parameters; others given go on top", 0, 0,
	 profile_words},
	{"exit", WT_PARAM_WORD, offsetof(struct newreno_params, exit),
	 "window after the full ACK: little more than the flight, or ssthresh (RFC 6582 3.2 step 3)", 0, 0,
	 exit_words},
};

static const struct newreno_params newreno_default = {
	.reno = {.growth = WT_AIMD_BYTES, .halve = WT_AIMD_FLIGHT},
	.exit = EXIT_FLIGHT,
};

static const struct newreno_params newreno_ns2 = {
	.reno = {.profile = 1, .growth = WT_AIMD_ACKS, .halve = WT_AIMD_WINDOW},
	.exit = EXIT_SSTHRESH,
};

static const struct wt_cc_preset newreno_presets[] = {
	{"rfc5681", "as RFC 5681 and 6582 have it", &newreno_default},
	{"ns2", "ns-2's own agent: equation 3 per ACK, half of the window, the full ACK to ssthresh", &newreno_ns2},
	{NULL, NULL, NULL},
};

const struct wt_sender_ops wt_sender_newreno = {
	.name = "newreno",
	.text = "Reno with NewReno's careful exit from recovery (RFC 6582)",
	.params = newreno_params,
	.param_count = sizeof(newreno_params) / sizeof(newreno_params[0]),
	.params_size = sizeof(struct newreno_params),
	.state_size = sizeof(struct newreno),
	.params_default = &newreno_default,
	.presets = newreno_presets,
	.init = newreno_init,
	.on_ack = newreno_on_ack,
	.on_loss = newreno_on_loss,
	.on_event = newreno_on_event,
};
