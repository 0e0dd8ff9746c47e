/* SPDX-License-Identifier: BSD-2-Clause */
/* Reno's fast recovery (RFC 5681 3.2): the third duplicate ACK resends one segment, the first new ACK ends it. */
#include "cc/shared/dupack.h"

struct reno_params {
	uint64_t once, limited_transmit;
};

struct reno {
	struct wt_fast fast;
	struct wt_fast_rule rule;
};

static void reno_init(void *state, const void *params, const struct wt_cc_env *env)
{
	const struct reno_params *p = params;
	struct reno *r = state;

	wt_fast_init(&r->fast, env);
	r->rule = (struct wt_fast_rule){.once = p->once, .limited_transmit = p->limited_transmit};
}

static void reno_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view,
			struct wt_recovery_out *out)
{
	struct reno *r = state;

	wt_fast_on_ack(&r->fast, &r->rule, ack, view, out);
}

static void reno_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct reno *r = state;

	wt_fast_on_rto(&r->fast, view, out);
}

static void reno_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct reno *r = state;

	wt_fast_on_event(&r->fast, event, env);
}

static const struct wt_param reno_params[] = {
	{"once", WT_PARAM_BOOL, offsetof(struct reno_params, once),
	 "at most one fast retransmit per window of data (RFC 6582 3.2 step 2); 4.3BSD-Reno had no such guard", 0, 1,
	 NULL},
	{"limited_transmit", WT_PARAM_BOOL, offsetof(struct reno_params, limited_transmit),
	 "new data for the first two duplicate ACKs (RFC 3042)", 0, 1, NULL},
};

static const struct reno_params reno_default = {.once = 0, .limited_transmit = 0};

const struct wt_recovery_ops wt_recovery_reno = {
	.name = "reno",
	.text = "one segment resent on the third duplicate ACK, over with the first new ACK (RFC 5681 3.2)",
	.params = reno_params,
	.param_count = sizeof(reno_params) / sizeof(reno_params[0]),
	.params_size = sizeof(struct reno_params),
	.state_size = sizeof(struct reno),
	.params_default = &reno_default,
	.init = reno_init,
	.on_ack = reno_on_ack,
	.on_rto = reno_on_rto,
	.on_event = reno_on_event,
};
