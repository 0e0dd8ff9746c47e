/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NewReno's fast recovery (RFC 6582): partial ACKs resend one hole per round trip, until all that was sent when
 * recovery began is acknowledged. With SACK negotiated it stays NewReno: it only does not count SACKed data twice.
 */
#include "cc/shared/dupack.h"

struct newreno_params {
	uint64_t profile, limited_transmit, heuristic, impatient, early_retransmit;
};

struct newreno {
	struct wt_dupack fast;
	struct wt_dupack_rule rule;
};

static void newreno_init(void *state, const void *params, const struct wt_cc_env *env)
{
	const struct newreno_params *p = params;
	struct newreno *n = state;

	wt_dupack_init(&n->fast, env);
	n->rule = (struct wt_dupack_rule){
		.partial = true,
		.once = true,
		.limited_transmit = p->limited_transmit,
		.early = p->early_retransmit,
		.heuristic = p->heuristic,
		.impatient = p->impatient,
	};
}

static void newreno_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view,
			   struct wt_recovery_out *out)
{
	struct newreno *n = state;

	wt_dupack_on_ack(&n->fast, &n->rule, ack, view, out);
}

static void newreno_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct newreno *n = state;

	wt_dupack_on_rto(&n->fast, view, out);
}

static void newreno_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct newreno *n = state;

	wt_dupack_on_event(&n->fast, event, env);
}

static const char *const profile_words[] = {"rfc6582", "ns2", NULL};

static const struct wt_param newreno_params[] = {
	{"profile", WT_PARAM_WORD, offsetof(struct newreno_params, profile), "set of all parameters; others given go on top", 0, 0, profile_words},
	{"limited_transmit", WT_PARAM_BOOL, offsetof(struct newreno_params, limited_transmit),
	 "new data for the first two duplicate ACKs (RFC 3042)", 0, 1, NULL},
	{"heuristic", WT_PARAM_BOOL, offsetof(struct newreno_params, heuristic),
	 "fast retransmit below `recover` if the last ACK moved at most four segments (RFC 6582 4.1)", 0, 1, NULL},
	{"impatient", WT_PARAM_BOOL, offsetof(struct newreno_params, impatient),
	 "only the first partial ACK restarts the retransmission timer (RFC 6582 3.2 step 3)", 0, 1, NULL},
	{"early_retransmit", WT_PARAM_BOOL, offsetof(struct newreno_params, early_retransmit),
	 "with two or three segments in flight and no new data, one or two duplicate ACKs mean loss (RFC 5827)", 0, 1, NULL},
};

static const struct newreno_params newreno_default = {
	.limited_transmit = 1,
	.heuristic = 0,
	.impatient = 1,
};
static const struct newreno_params ns2 = {.profile = 1, .impatient = 1};

static const struct wt_cc_preset presets[] = {
	{"rfc6582", "as RFC 6582 has it", &newreno_default},
	{"ns2", "ns-2's Agent/TCP/Newreno with singledup_ 0: no limited transmit", &ns2},
	{NULL, NULL, NULL},
};

const struct wt_recovery_ops wt_recovery_newreno = {
	.name = "newreno",
	.text = "one hole resent per partial ACK until the whole window is acknowledged (RFC 6582)",
	.params = newreno_params,
	.param_count = sizeof(newreno_params) / sizeof(newreno_params[0]),
	.params_size = sizeof(struct newreno_params),
	.state_size = sizeof(struct newreno),
	.params_default = &newreno_default,
	.presets = presets,
	.init = newreno_init,
	.on_ack = newreno_on_ack,
	.on_rto = newreno_on_rto,
	.on_event = newreno_on_event,
};
