/*
 * @NAME@: a receiver module. It acknowledges every `every`-th segment, and at once what is out of order. Put the paper or RFC here, its
 * equations in its words, and where you deviate.
 */
#include "cc/module.h"

struct @NAME@_params {
	uint64_t every; /* segments per ACK */
};

struct @NAME@ {
	struct @NAME@_params params;
	uint64_t waiting; /* segments since the last ACK */
};

static void @NAME@_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct @NAME@ *r = state;

	r->params = *(const struct @NAME@_params *)params;
}

/* WT_RX_DEFAULT: the stack's delayed-ACK policy decides. WT_RX_ACK_HOLD: not for this segment; the delayed-ACK timer runs. */
static unsigned @NAME@_on_segment(void *state, const struct wt_rx_segment *segment, struct wt_cc_note *note)
{
	struct @NAME@ *r = state;

	if (!segment->len || !(segment->flags & WT_RX_IN_ORDER) || segment->flags & WT_RX_FILLED_HOLE)
		return WT_RX_DEFAULT;
	return ++r->waiting >= r->params.every ? WT_RX_ACK_NOW : WT_RX_ACK_HOLD;
}

static void @NAME@_on_ack_out(void *state, const struct wt_rx_ack *ack, struct wt_rx_out *out)
{
	struct @NAME@ *r = state;

	r->waiting = 0;
}

/* Name, type, place, a line of help with its source, least and most, words. */
static const struct wt_param params[] = {
	{"every", WT_PARAM_COUNT, offsetof(struct @NAME@_params, every), "segments per ACK (RFC 5681 4.2 wants at most 2)", 1, 64, NULL},
};

static const struct @NAME@_params defaults = {.every = 2};

static const struct wt_receiver_ops @NAME@ = {
	.name = "@NAME@",
	.text = "acknowledges every n-th segment",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct @NAME@_params),
	.state_size = sizeof(struct @NAME@),
	.params_default = &defaults,
	.init = @NAME@_init,
	.on_segment = @NAME@_on_segment,
	.on_ack_out = @NAME@_on_ack_out,
};

WT_CC_LOADABLE(NULL, NULL, &@NAME@);
