/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bit errors that the link did not notice: a share of the IP packets has bits flipped, somewhere from the IP header on. A
 * checksum that a host left to be computed is computed first, over the right bytes, so that the receiver's is wrong.
 */
#include "stack/wire/packet.h"
#include "emu/stage.h"

struct corrupt {
	struct wt_stage stage;
	struct wt_stream stream;
	struct wt_key places;
	struct wt_corrupt_config config;
};

static void flip(struct corrupt *corrupt, struct wt_frame *frame, uint64_t number)
{
	uint32_t ip = wt_packet_place(frame).at;
	uint64_t bits = (uint64_t)(frame->len - ip) * 8, place = number;

	corrupt->stage.node.audit.corrupted++;
	wt_frame_finish_csum(frame);
	frame->csum = WT_CSUM_NONE;
	for (uint64_t i = 0; bits && i < corrupt->config.bits; i++) {
		place = wt_siphash_u64(&corrupt->places, place);
		wt_frame_own_bytes(frame)[ip + place % bits / 8] ^= (uint8_t)(1u << place % 8);
	}
}

static int corrupt_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct corrupt *corrupt = (struct corrupt *)node;
	uint64_t number;

	if (wt_packets_draw(&corrupt->stage.packets, frame, &number) &&
	    wt_stream_strikes(&corrupt->stream, number, corrupt->config.share))
		flip(corrupt, frame, number);
	return WT_ON;
}

static const struct wt_node_ops corrupt_ops = {
	.pass = corrupt_pass,
	.input = wt_stage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_corrupt_create(const char *name, const struct wt_key *key, const struct wt_key *places,
				  const struct wt_corrupt_config *config)
{
	struct corrupt *corrupt = wt_stage_new(sizeof(*corrupt), &corrupt_ops, name);

	if (!corrupt)
		return NULL;
	wt_stream_init(&corrupt->stream, key);
	corrupt->places = *places;
	corrupt->config = *config;
	return &corrupt->stage.node;
}

void wt_corrupt_change(struct wt_node *node, wt_time now, const struct wt_corrupt_config *config)
{
	((struct corrupt *)node)->config = *config;
}
