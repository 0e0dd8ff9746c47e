/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Forward acknowledgment (Mathis and Mahdavi 1996): the highest SACKed octet, snd.fack, says how far the network has come.
 *
 *   awnd = snd.nxt - snd.fack + retran_data         what is in flight
 *   enter if  snd.fack - snd.una > 3 MSS  or  three duplicate ACKs
 *
 * Every hole below snd.fack is held lost, so its bytes leave the flight at once and awnd is the engine's count of it. A path
 * that reorders by more than three segments makes it resend needlessly; that is why Linux left it. A lost retransmission
 * waits for the timer, as in the paper. Without SACK the module is NewReno.
 */
#include "cc/shared/dupack.h"

struct fack_params {
	uint64_t early_retransmit;
};

struct fack {
	struct wt_dupack fast; /* for a peer without SACK */
	bool early;          /* RFC 5827 */
	bool sack, in, has_recover;
	uint32_t dupthresh;
	wt_seq recover;
};

static const struct wt_dupack_rule without_sack = {.partial = true, .once = true, .limited_transmit = true, .impatient = true};

static void take_env(struct fack *f, const struct wt_cc_env *env)
{
	f->sack = env->sack;
	f->dupthresh = env->dupthresh ? env->dupthresh : 3;
}

static void fack_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct fack *f = state;

	f->early = ((const struct fack_params *)params)->early_retransmit;
	wt_dupack_init(&f->fast, env);
	take_env(f, env);
}

static void mark_to_fack(const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	if (!wt_seq_gt(view->highest_sacked, view->snd_una))
		return;
	out->mark = true;
	out->lost_to = view->highest_sacked;
}

static void by_fack(struct fack *f, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	uint32_t enough = f->early ? wt_dupack_early(view, f->dupthresh) : f->dupthresh;
	bool ahead = view->highest_sacked - view->snd_una > f->dupthresh * view->mss;

	if (f->has_recover && wt_seq_ge(view->snd_una, f->recover)) {
		f->has_recover = false;
		out->leave = f->in;
		f->in = false;
		return;
	}
	if (f->in) {
		mark_to_fack(view, out);
		return;
	}
	if (f->has_recover || !view->count || !(ahead || ack->dupacks >= enough))
		return;
	f->in = f->has_recover = out->enter = true;
	f->recover = view->snd_nxt;
	mark_to_fack(view, out);
	if (!out->mark)
		wt_dupack_mark_first(view, out);
}

static void fack_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct fack *f = state;

	if (f->sack)
		by_fack(f, ack, view, out);
	else
		wt_dupack_on_ack(&f->fast, &without_sack, ack, view, out);
}

static void fack_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct fack *f = state;

	wt_dupack_on_rto(&f->fast, view, out);
	f->in = false;
	f->has_recover = true;
	f->recover = view->snd_nxt;
}

static void fack_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct fack *f = state;

	wt_dupack_on_event(&f->fast, event, env);
	if (event == WT_CC_ESTABLISHED)
		take_env(f, env);
	if (event == WT_CC_UNDO)
		f->in = f->has_recover = false;
}

static const struct wt_param fack_params[] = {
	{"early_retransmit", WT_PARAM_BOOL, offsetof(struct fack_params, early_retransmit),
	 "with two or three segments in flight and no new data, one or two duplicate ACKs mean loss (RFC 5827)", 0, 1, NULL},
};

static const struct fack_params fack_default = {.early_retransmit = 0};

const struct wt_recovery_ops wt_recovery_fack = {
	.name = "fack",
	.text = "every hole below the highest SACKed octet is lost; NewReno without SACK (Mathis and Mahdavi 1996)",
	.params = fack_params,
	.param_count = sizeof(fack_params) / sizeof(fack_params[0]),
	.params_size = sizeof(struct fack_params),
	.params_default = &fack_default,
	.state_size = sizeof(struct fack),
	.init = fack_init,
	.on_ack = fack_on_ack,
	.on_rto = fack_on_rto,
	.on_event = fack_on_event,
};
