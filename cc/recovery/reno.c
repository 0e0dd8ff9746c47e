/* SPDX-License-Identifier: BSD-2-Clause */
/* Reno's fast recovery (RFC 5681 3.2): the third duplicate ACK resends one segment, the first new ACK ends it. */
#include "cc/shared/dupack.h"

struct reno_params {
	uint64_t profile, once, limited_transmit, inflation;
};

struct reno {
	struct wt_dupack fast;
	struct wt_dupack_rule rule;
};

static void reno_init(void *state, const void *params, const struct wt_cc_env *env)
{
	const struct reno_params *p = params;
	struct reno *r = state;

	wt_dupack_init(&r->fast, env);
	r->rule = (struct wt_dupack_rule){.once = p->once, .limited_transmit = p->limited_transmit, .no_inflation = !p->inflation};
}

static void reno_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view,
			struct wt_recovery_out *out)
{
	struct reno *r = state;

	wt_dupack_on_ack(&r->fast, &r->rule, ack, view, out);
}

static void reno_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct reno *r = state;

	wt_dupack_on_rto(&r->fast, view, out);
}

static void reno_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct reno *r = state;

	wt_dupack_on_event(&r->fast, event, env);
}

static const char *const profile_words[] = {"rfc5681", "xkernel", "ns2", NULL};

static const struct reno_params reno_default = {.inflation = 1};
static const struct reno_params xkernel = {.profile = 1};
static const struct reno_params ns2 = {.profile = 2, .once = 1, .inflation = 1};

static const struct wt_cc_preset presets[] = {
	{"rfc5681", "as RFC 5681 has it", &reno_default},
	{"xkernel", "4.3BSD in the x-kernel: duplicate ACKs widen the sender's own window", &xkernel},
	{"ns2", "ns-2's Agent/TCP/Reno: one fast retransmit per window of data", &ns2},
	{NULL, NULL, NULL},
};

static const struct wt_param reno_params[] = {
	{"profile", WT_PARAM_WORD, offsetof(struct reno_params, profile), "set of all parameters; others given go on top", 0, 0,
	 profile_words},
	{"once", WT_PARAM_BOOL, offsetof(struct reno_params, once),
	 "at most one fast retransmit per window of data (RFC 6582 3.2 step 2); 4.3BSD-Reno had no such guard", 0, 1,
	 NULL},
	{"limited_transmit", WT_PARAM_BOOL, offsetof(struct reno_params, limited_transmit),
	 "new data for the first two duplicate ACKs (RFC 3042)", 0, 1, NULL},
	{"inflation", WT_PARAM_BOOL, offsetof(struct reno_params, inflation),
	 "one more segment per duplicate ACK, at most the flight (RFC 5681 3.2)", 0, 1, NULL},
};

const struct wt_recovery_ops wt_recovery_reno = {
	.name = "reno",
	.text = "one segment resent on the third duplicate ACK, over with the first new ACK (RFC 5681 3.2)",
	.params = reno_params,
	.param_count = sizeof(reno_params) / sizeof(reno_params[0]),
	.params_size = sizeof(struct reno_params),
	.state_size = sizeof(struct reno),
	.params_default = &reno_default,
	.presets = presets,
	.init = reno_init,
	.on_ack = reno_on_ack,
	.on_rto = reno_on_rto,
	.on_event = reno_on_event,
};
