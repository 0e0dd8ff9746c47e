/*
 * @NAME@: a recovery module. The `dupthresh`-th duplicate ACK means that the first outstanding segment is lost; each ACK for less than
 * was outstanding then means that the next one is (RFC 6582 without its window inflation). Put the paper or RFC here, its equations in
 * its words, and where you deviate.
 */
#include "cc/module.h"

struct @NAME@_params {
	uint64_t dupthresh;
};

struct @NAME@ {
	struct @NAME@_params params;
	bool on;        /* in recovery */
	wt_seq recover; /* what was sent before recovery began lies below */
};

static void @NAME@_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct @NAME@ *r = state;

	r->params = *(const struct @NAME@_params *)params;
}

/* The first outstanding segment is lost, even if it was sent again: it goes at once. */
static void first_is_lost(const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	const struct wt_tx_record *first = wt_tx_record_at(view, 0);

	out->mark = out->again = true;
	out->lost_to = first->seq + first->len;
}

static void @NAME@_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct @NAME@ *r = state;

	if (r->on && ack->acked && wt_seq_ge(ack->ack, r->recover)) {
		r->on = false;
		out->leave = true;
	} else if (r->on && ack->acked && view->count) {
		first_is_lost(view, out);
	} else if (!r->on && ack->flags & WT_ACK_DUP && ack->dupacks == r->params.dupthresh && view->count) {
		r->on = true;
		r->recover = view->snd_nxt;
		out->enter = true;
		first_is_lost(view, out);
	}
}

/* A timeout: the engine has left recovery and resends all. */
static void @NAME@_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct @NAME@ *r = state;

	r->on = false;
}

static void @NAME@_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct @NAME@ *r = state;

	if (event == WT_CC_UNDO || event == WT_CC_RECOVERED)
		r->on = false;
}

/* Name, type, place, a line of help with its source, least and most, words. */
static const struct wt_param params[] = {
	{"dupthresh", WT_PARAM_COUNT, offsetof(struct @NAME@_params, dupthresh), "duplicate ACKs that mean loss (RFC 5681 3.2)", 1, 100, NULL},
};

static const struct @NAME@_params defaults = {.dupthresh = 3};

static const struct wt_recovery_ops @NAME@ = {
	.name = "@NAME@",
	.text = "one segment resent on the third duplicate ACK and for each partial ACK",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct @NAME@_params),
	.state_size = sizeof(struct @NAME@),
	.params_default = &defaults,
	.init = @NAME@_init,
	.on_ack = @NAME@_on_ack,
	.on_rto = @NAME@_on_rto,
	.on_event = @NAME@_on_event,
};

WT_CC_LOADABLE(NULL, &@NAME@, NULL);
