/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tahoe's fast retransmit (Jacobson 1988): no recovery phase. The third duplicate ACK starts again from the first
 * missing byte in slow start.
 */
#include "cc/shared/dupack.h"

enum { RESEND_ALL, RESEND_FIRST };

struct tahoe_params {
	uint64_t profile, resend, once;
};

struct tahoe {
	uint32_t dupthresh;
	bool first_only, once;
	bool has_recover;
	wt_seq recover;
};

static void tahoe_init(void *state, const void *params, const struct wt_cc_env *env)
{
	const struct tahoe_params *p = params;

	*(struct tahoe *)state = (struct tahoe){
		.dupthresh = env->dupthresh ? env->dupthresh : 3,
		.first_only = p->resend == RESEND_FIRST,
		.once = p->once,
	};
}

static void tahoe_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view,
			 struct wt_recovery_out *out)
{
	struct tahoe *t = state;

	/* beyond it, not at it: the last ACKs of go-back-N are echoes too (ns-2: highest_ack_ > recover_) */
	if (t->has_recover && wt_seq_gt(view->snd_una, t->recover))
		t->has_recover = false; /* or it would lie ahead again 2 GiB from here */
	if (!(ack->flags & WT_ACK_DUP) || ack->acked || ack->dupacks != t->dupthresh || (t->once && t->has_recover))
		return;
	t->has_recover = true;
	t->recover = view->snd_nxt;
	out->enter = true;
	out->leave = true;
	if (t->first_only)
		wt_dupack_mark_first(view, out);
	else
		wt_dupack_mark_all(view, out);
}

static void tahoe_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct tahoe *t = state;

	t->has_recover = true;
	t->recover = view->snd_nxt;
}

static void tahoe_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct tahoe *t = state;

	if (event == WT_CC_ESTABLISHED)
		t->dupthresh = env->dupthresh ? env->dupthresh : 3;
}

static const char *const resend_words[] = {"all", "first", NULL};

static const char *const profile_words[] = {"rfc5681", "xkernel", NULL};

static const struct tahoe_params tahoe_default = {.resend = RESEND_ALL, .once = 1};
static const struct tahoe_params xkernel = {.profile = 1, .resend = RESEND_FIRST};

static const struct wt_cc_preset presets[] = {
	{"rfc5681", "as Fall and Floyd describe it (1996)", &tahoe_default},
	{"xkernel", "4.3BSD in the x-kernel: one segment again, and no guard", &xkernel},
	{NULL, NULL, NULL},
};

static const struct wt_param tahoe_params[] = {
	{"profile", WT_PARAM_WORD, offsetof(struct tahoe_params, profile), "set of all parameters; others given go on top", 0, 0,
	 profile_words},
	{"resend", WT_PARAM_WORD, offsetof(struct tahoe_params, resend),
	 "all: everything outstanding (Fall and Floyd 1996); first: one segment, then new data (4.3BSD)", 0, 0,
	 resend_words},
	{"once", WT_PARAM_BOOL, offsetof(struct tahoe_params, once),
	 "at most one fast retransmit per window: its needless copies cause duplicate ACKs (Fall and Floyd 1996)", 0,
	 1, NULL},
};

const struct wt_recovery_ops wt_recovery_tahoe = {
	.name = "tahoe",
	.text = "go back to the first missing byte on the third duplicate ACK (Jacobson 1988)",
	.params = tahoe_params,
	.param_count = sizeof(tahoe_params) / sizeof(tahoe_params[0]),
	.params_size = sizeof(struct tahoe_params),
	.state_size = sizeof(struct tahoe),
	.params_default = &tahoe_default,
	.presets = presets,
	.init = tahoe_init,
	.on_ack = tahoe_on_ack,
	.on_rto = tahoe_on_rto,
	.on_event = tahoe_on_event,
};
