/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that live long: sequence numbers go round, and what was remembered of them long ago must not matter. */
#include <string.h>

#include "tests/unit/tcp/forged.h"

static struct wt_tcp established(wt_seq iss, wt_seq next, uint32_t unsent)
{
	static const struct wt_tcp_config config = {.settings.snd_buffer = 65536};

	return (struct wt_tcp){.config = &config, .state = WT_TCP_ESTABLISHED, .iss = iss, .snd_una = next, .snd_nxt = next, .snd_end = next + unsent};
}

static void what_is_unsent_does_not_depend_on_how_far_the_start_is_away(void **state)
{
	static const wt_seq starts[] = {0, 1, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu};
	static const uint32_t ways[] = {1, 1000, 0x7ffffffeu, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu, 0};

	for (unsigned i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		for (unsigned j = 0; j < sizeof(ways) / sizeof(ways[0]); j++) {
			struct wt_tcp tcp = established(starts[i], starts[i] + ways[j], 1234);

			assert_int_equal(wt_tcp_unsent(&tcp), 1234);
			assert_int_equal(wt_tcp_writable(&tcp), 65536 - 1234);
		}
	}
}

static void before_the_syn_and_after_it_the_same_is_unsent(void **state)
{
	struct wt_tcp tcp = established(0xffffffffu, 0xffffffffu, 101);

	tcp.state = WT_TCP_SYN_SENT; /* the SYN waits for its turn and takes the first number */
	assert_int_equal(wt_tcp_unsent(&tcp), 100);
	tcp.snd_nxt++;
	assert_int_equal(wt_tcp_unsent(&tcp), 100);
	assert_int_equal(wt_tcp_writable(&tcp), 65436);
}

/* ---- four gigabytes on ----------------------------------------------------------------------------------------- */

enum { SEGMENT = 65483, FLIGHT = 8 }; /* the largest segments there are, beside a D-SACK */

struct line {
	struct wt_host *host;
	struct wt_tcp *tcp;
	wt_time now;
};

static void drain(struct line *line)
{
	struct wt_node *node = wt_host_node(line->host);
	struct wt_frame *frame;
	unsigned port;

	while ((frame = node->ops->output(node, line->now, &port)))
		wt_frame_free(frame);
}

static void acknowledge(struct line *line, wt_seq ack, wt_seq start, wt_seq end)
{
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = 5000, .seq = 1, .ack = ack, .flags = WT_ACK, .window = 65535,
				    .sack_count = start != end, .sack = {{start, end}}};

	line->now += 10 * WT_MS;
	forge(line->host, line->now, &seg, 0);
	drain(line);
}

static void open_line(struct line *line, struct wt_host_config *config)
{
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), 80}, local = {wt_addr_ipv4(10, 0, 0, 1), 5000};
	struct wt_tcp_header syn_ack = {.src_port = 80, .dst_port = 5000, .flags = WT_SYN | WT_ACK, .window = 65535, .has_mss = true, .mss = 65495,
					.has_wscale = true, .wscale = 10, .has_sack_permitted = true};
	struct wt_tcp_config choice;

	wt_tcp_config_init(&choice);
	choice.settings.mss = SEGMENT;
	choice.settings.timestamps = 0;
	choice.settings.nagle = 0;
	wt_sender_choose("newreno", &choice.sender, NULL, 0);
	config->mtu = 65535;
	config->pool = wt_pool_create(256, 66000);
	*line = (struct line){.host = wt_host_create(config), .now = WT_S};
	line->tcp = wt_tcp_connect(line->host, &remote, &local, &choice, line->now);
	drain(line);
	syn_ack.ack = line->tcp->snd_nxt;
	forge(line->host, line->now, &syn_ack, 0);
	drain(line);
	assert_int_equal(line->tcp->state, WT_TCP_ESTABLISHED);
	assert_int_equal(line->tcp->send_mss, SEGMENT);
	acknowledge(line, syn_ack.ack, 0, 0); /* with the window that is scaled */
}

static void write_segments(struct line *line, unsigned count)
{
	static const uint8_t bytes[SEGMENT];

	while (count--)
		assert_int_equal(wt_tcp_write(line->tcp, bytes, SEGMENT), SEGMENT);
	drain(line);
}

/* A loss that was one is never reported as a duplicate, so its undo stays open; 4 GB later another octet has the number of the one that was lost. */
static void a_duplicate_undoes_no_loss_of_four_gigabytes_ago(void **state)
{
	struct wt_host_config config = victim_config(4);
	uint32_t cwnd, ssthresh;
	uint64_t until;
	struct line line;
	wt_seq lost;

	open_line(&line, &config);
	write_segments(&line, FLIGHT);
	lost = line.tcp->snd_una;
	acknowledge(&line, lost, lost + SEGMENT, lost + 5 * SEGMENT);
	assert_true(line.tcp->in_recovery);
	acknowledge(&line, line.tcp->snd_nxt, 0, 0);
	assert_false(line.tcp->in_recovery);
	assert_int_equal(line.tcp->tally.retransmits_segs, 1);
	until = line.tcp->tally.bytes_acked + ((uint64_t)1 << 32);
	while (line.tcp->tally.bytes_acked < until) {
		write_segments(&line, 2);
		acknowledge(&line, line.tcp->snd_nxt, 0, 0);
	}
	assert_int_equal(line.tcp->tally.retransmits_segs, 1);
	cwnd = line.tcp->out.cwnd;
	ssthresh = line.tcp->out.ssthresh;
	acknowledge(&line, line.tcp->snd_una, lost, lost + SEGMENT);
	assert_int_equal(line.tcp->out.cwnd, cwnd);
	assert_int_equal(line.tcp->out.ssthresh, ssthresh);
	wt_host_destroy(line.host);
	wt_pool_destroy(config.pool);
}

/* Where a device cuts big frames and the MTU is the largest there is: two segments do not fit in one frame. */
static void the_largest_segments_leave_one_by_one_where_big_frames_are_cut(void **state)
{
	struct wt_host_config config = victim_config(5);
	struct line line;
	wt_seq before;

	config.big_pool = wt_pool_create(8, 66000);
	open_line(&line, &config);
	before = line.tcp->snd_nxt;
	write_segments(&line, 4);
	assert_int_equal(line.tcp->snd_nxt - before, 4 * SEGMENT);
	wt_host_destroy(line.host);
	wt_pool_destroy(config.pool);
	wt_pool_destroy(config.big_pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_unsent_does_not_depend_on_how_far_the_start_is_away),
		cmocka_unit_test(before_the_syn_and_after_it_the_same_is_unsent),
		cmocka_unit_test(a_duplicate_undoes_no_loss_of_four_gigabytes_ago),
		cmocka_unit_test(the_largest_segments_leave_one_by_one_where_big_frames_are_cut),
	};

	return cmocka_run_group_tests_name("host_long", tests, NULL, NULL);
}
