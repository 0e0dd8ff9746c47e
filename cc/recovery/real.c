/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP-Real's recovery: fast retransmit without any reduction of the window, which the announced level alone governs
 * (specification 7.3). After a fallback of the sender it is NewReno's.
 *
 * `window` is what a BSD-derived stack does if one only takes the cwnd assignments out of its fast retransmit,
 * because there the limit to one segment is made by setting cwnd to one segment. For RFC 6675 choose the recovery
 * module `sack` beside this sender: it leaves the window to the sender just as well.
 */
#include "cc/shared/dupack.h"
#include "cc/tcp_real/real.h"

enum { MODE_NEWRENO, MODE_SINGLE, MODE_WINDOW };

struct real_params {
	uint64_t profile, fr_mode, inflation, limited_transmit, once;
};

struct real {
	struct wt_dupack fast;
	struct wt_dupack_rule rule;
};

static void real_init(void *state, const void *params, const struct wt_cc_env *env)
{
	const struct real_params *p = params;
	struct real *r = state;

	wt_dupack_init(&r->fast, env);
	r->rule = (struct wt_dupack_rule){
		.partial = p->fr_mode == MODE_NEWRENO,
		.once = p->once,
		.whole_window = p->fr_mode == MODE_WINDOW,
		.no_inflation = !p->inflation,
		.limited_transmit = p->limited_transmit,
		.impatient = p->fr_mode == MODE_NEWRENO,
		.one_window = true,
	};
}

static void real_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view,
			struct wt_recovery_out *out)
{
	struct real *r = state;

	wt_dupack_on_ack(&r->fast, &r->rule, ack, view, out);
}

static void real_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct real *r = state;

	wt_dupack_on_rto(&r->fast, view, out);
}

static void real_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct real *r = state;

	wt_dupack_on_event(&r->fast, event, env);
	if (event == WT_CC_FALLBACK)
		r->rule = (struct wt_dupack_rule){
			.partial = true, .once = true, .limited_transmit = true, .impatient = true};
}

static const char *const mode_words[] = {"newreno", "single", "window", NULL};

static const struct real_params safe = {
	.profile = 0, .fr_mode = MODE_NEWRENO, .inflation = 1, .limited_transmit = 1, .once = 1,
};

static const struct real_params paper = {.profile = 1, .fr_mode = MODE_SINGLE, .inflation = 1};
static const struct real_params paper_slow = {.profile = 2, .fr_mode = MODE_SINGLE, .inflation = 1};

static const struct wt_cc_preset presets[] = {
	{"safe", "one hole per round trip until the window is whole", &safe},
	{"paper", "as the paper has it, after Reno (NOSSDAV 2001)", &paper},
	{"paper-slow", "the same", &paper_slow},
	{NULL, NULL, NULL},
};

#define AT(field) offsetof(struct real_params, field)

static const struct wt_param real_params[] = {
	WT_REAL_PROFILE_ROW(struct real_params),
	{"fr_mode", WT_PARAM_WORD, AT(fr_mode),
	 "resend a hole per partial ACK (RFC 6582), the first segment (Reno), or all; by SACK: recovery sack", 0, 0,
	 mode_words},
	{"inflation", WT_PARAM_BOOL, AT(inflation), "one more segment per duplicate ACK, at most one extra window", 0, 1,
	 NULL},
	{"limited_transmit", WT_PARAM_BOOL, AT(limited_transmit), "new data for the first two duplicate ACKs (RFC 3042)",
	 0, 1, NULL},
	{"once", WT_PARAM_BOOL, AT(once), "at most one fast retransmit per window of data (RFC 6582 3.2 step 2)", 0, 1,
	 NULL},
};

const struct wt_recovery_ops wt_recovery_real = {
	.name = "real",
	.text = "TCP-Real's fast retransmit without reduction of the window (Zhang and Tsaoussidis 2001)",
	.params = real_params,
	.param_count = sizeof(real_params) / sizeof(real_params[0]),
	.params_size = sizeof(struct real_params),
	.state_size = sizeof(struct real),
	.params_default = &safe,
	.presets = presets,
	.init = real_init,
	.on_ack = real_on_ack,
	.on_rto = real_on_rto,
	.on_event = real_on_event,
};
