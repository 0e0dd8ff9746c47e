/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP-Real's option on the wire and its negotiation, between the modules of two hosts. */
#include "tests/cc/cc_test.h"

#include "cc/tcp_real/real.h"

/* One host: a sender and a receiver module, either of which may be a standard one. */
struct end {
	struct sender sender;
	struct wt_receiver_choice choice;
	void *receiver;
};

static void end_start(struct end *e, const char *sender, const char *receiver)
{
	struct wt_cc_env env = cc_env();

	sender_start(&e->sender, sender, env);
	MUST(wt_receiver_choose(receiver, &e->choice, NULL, 0));
	e->receiver = calloc(1, e->choice.ops->state_size + 1);
	if (e->choice.ops->init)
		e->choice.ops->init(e->receiver, e->choice.params, &env);
}

static void end_finish(struct end *e)
{
	sender_finish(&e->sender);
	free(e->receiver);
}

/* The receiver module is asked first, as cc.h promises. */
static struct wt_cc_option syn_out(struct end *e, unsigned attempt)
{
	struct wt_cc_option option = {0};

	if (e->choice.ops->on_syn_out)
		e->choice.ops->on_syn_out(e->receiver, attempt, &option);
	if (e->sender.choice.ops->on_syn_out)
		e->sender.choice.ops->on_syn_out(e->sender.state, attempt, &option);
	return option;
}

static void syn_in(struct end *e, const struct wt_cc_option *option)
{
	struct wt_cc_options options = {0};

	if (option->len)
		options.at[options.count++] = *option;
	if (e->choice.ops->on_syn_in)
		e->choice.ops->on_syn_in(e->receiver, &options);
	if (e->sender.choice.ops->on_syn_in)
		e->sender.choice.ops->on_syn_in(e->sender.state, &options);
}

static void established(struct end *e)
{
	if (e->choice.ops->on_event)
		e->choice.ops->on_event(e->receiver, WT_CC_ESTABLISHED, &e->sender.env);
	sender_event(&e->sender, WT_CC_ESTABLISHED);
}

static void handshake(struct end *client, struct end *server, unsigned attempt)
{
	struct wt_cc_option syn = syn_out(client, attempt), syn_ack;

	syn_in(server, &syn);
	syn_ack = syn_out(server, 0);
	syn_in(client, &syn_ack);
	established(client);
	established(server);
}

static struct wt_cc_option ack_out(struct end *e, unsigned room)
{
	struct wt_rx_ack ack = {.option_room = room, .pure = true};
	struct wt_rx_out out = {.window = 65535};

	if (e->choice.ops->on_ack_out)
		e->choice.ops->on_ack_out(e->receiver, &ack, &out);
	return out.option;
}

static void a_syn_offers_version_shift_and_both_flags_in_six_bytes(void **state)
{
	struct end e;
	struct wt_cc_option o;

	end_start(&e, "real:unit_shift=3", "real:unit_shift=3");
	o = syn_out(&e, 0);
	assert_int_equal(o.kind, 253);
	assert_int_equal(o.len, 6);
	assert_memory_equal(o.data, "TR\x13\x03", 4);
	end_finish(&e);
}

static void the_papers_option_has_four_bytes(void **state)
{
	struct end client, server;
	struct wt_cc_option o;

	end_start(&client, "real:opt=paper4", "real:opt=paper4");
	end_start(&server, "real:opt=paper4", "real:opt=paper4");
	handshake(&client, &server, 0);
	o = ack_out(&server, 4);
	assert_int_equal(o.kind, 253);
	assert_int_equal(o.len, 4);
	assert_memory_equal(o.data, "\x00\x05", 2); /* level 5, network order */
	assert_int_equal(ack_out(&server, 3).len, 0);
	end_finish(&client);
	end_finish(&server);
}

static void the_option_needs_its_padding_too(void **state)
{
	struct end client, server;

	end_start(&client, "real", "real");
	end_start(&server, "real", "real");
	handshake(&client, &server, 0);
	assert_int_equal(ack_out(&server, 7).len, 0);
	assert_int_equal(ack_out(&server, 8).len, 6);
	end_finish(&client);
	end_finish(&server);
}

static void each_direction_runs_only_if_its_receiver_announces_and_its_sender_obeys(void **state)
{
	static const char *const senders[] = {"reno", "real"}, *const receivers[] = {"standard", "real"};

	for (int i = 0; i < 16; i++) {
		bool cs = i & 1, cr = i & 2, ss = i & 4, sr = i & 8;
		struct end client, server;

		end_start(&client, senders[cs], receivers[cr]);
		end_start(&server, senders[ss], receivers[sr]);
		handshake(&client, &server, 0);
		/* client to server */
		assert_int_equal(client.sender.out.fallback, cs && !sr);
		assert_int_equal(ack_out(&server, 40).len != 0, cs && sr);
		/* server to client; a SYN-ACK answers an option, it does not start one */
		assert_int_equal(server.sender.out.fallback, ss && !cr);
		assert_int_equal(ack_out(&client, 40).len != 0, ss && cr);
		end_finish(&client);
		end_finish(&server);
	}
}

static void the_smaller_unit_shift_is_in_force_at_both_ends(void **state)
{
	struct end client, server;

	end_start(&client, "real:unit_shift=4,start=level,l0=1", "real:unit_shift=4");
	end_start(&server, "real:unit_shift=2,start=level,l0=1", "real:unit_shift=2");
	handshake(&client, &server, 0);
	assert_int_equal(client.sender.out.cwnd, 8 * MSS); /* one level of 2 << 2 segments */
	assert_int_equal(server.sender.out.cwnd, 8 * MSS);
	end_finish(&client);
	end_finish(&server);
}

static void modules_of_one_host_that_disagree_offer_only_what_both_can_keep(void **state)
{
	struct end client, server;
	struct wt_cc_option o;

	/* The receiver's larger shift is beyond the sender, which offers nothing and falls back. */
	end_start(&client, "real:unit_shift=0", "real:unit_shift=3");
	end_start(&server, "real:unit_shift=3", "real:unit_shift=3");
	handshake(&client, &server, 0);
	assert_true(client.sender.out.fallback);
	assert_false(server.sender.out.fallback);
	end_finish(&client);

	end_start(&client, "real:opt=paper4", "real");
	o = syn_out(&client, 0);
	assert_int_equal(o.len, 6);
	assert_int_equal(o.data[3], WT_REAL_ANNOUNCES);
	end_finish(&client);
	end_finish(&server);
}

static void the_third_syn_goes_without_the_option(void **state)
{
	struct end client, server;

	end_start(&client, "real", "real");
	end_start(&server, "real", "real");
	assert_int_equal(syn_out(&client, 0).len, 6);
	assert_int_equal(syn_out(&client, 1).len, 6);
	handshake(&client, &server, 2);
	assert_true(client.sender.out.fallback);
	assert_true(server.sender.out.fallback);
	end_finish(&client);
	end_finish(&server);
}

static void a_late_answer_to_an_earlier_syn_still_agrees(void **state)
{
	struct end client, server;
	struct wt_cc_option syn, syn_ack;

	end_start(&client, "real", "real");
	end_start(&server, "real", "real");
	syn = syn_out(&client, 0);
	syn_in(&server, &syn);
	syn_out(&client, 1);
	syn_out(&client, 2);
	syn_ack = syn_out(&server, 0);
	syn_in(&client, &syn_ack);
	established(&client);
	established(&server);
	assert_false(client.sender.out.fallback);
	assert_false(server.sender.out.fallback);
	end_finish(&client);
	end_finish(&server);
}

static void foreign_versions_forms_and_identifiers_are_no_agreement(void **state)
{
	static const struct wt_cc_option foreign[] = {
		{253, 6, "TR\x23\x03"}, /* version 2 */
		{253, 6, "TR\x19\x03"}, /* shift 9 */
		{253, 6, "XX\x10\x03"}, /* another experiment */
		{253, 4, "\x10\x03"},   /* the paper's form */
		{254, 6, "TR\x10\x03"}, /* the other experimental kind */
		{253, 5, "TR\x10"},     {253, 40, "TR\x10\x03"}, {253, 0, ""},
	};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		struct end server;

		end_start(&server, "real", "real");
		syn_in(&server, &foreign[i]);
		assert_int_equal(syn_out(&server, 0).len, 0);
		established(&server);
		assert_true(server.sender.out.fallback);
		assert_int_equal(ack_out(&server, 40).len, 0);
		end_finish(&server);
	}
}

static void any_option_list_is_read_within_its_bounds(void **state)
{
	struct wt_real_side side;
	struct wt_cc_options options;
	uint16_t value;

	memset(&options, 0xff, sizeof(options)); /* a count far beyond the array */
	wt_real_side_init(&side, WT_REAL_EXID6, WT_REAL_EXID, 0, WT_REAL_OBEYS, WT_REAL_ANNOUNCES);
	assert_false(wt_real_read(&side, &options, &value));
	assert_false(wt_real_read(&side, NULL, &value));
	wt_real_write(&side, 65535, &options.at[3]);
	assert_true(wt_real_read(&side, &options, &value));
	assert_int_equal(value, 65535);
}

static void window_and_level_arithmetic_saturates(void **state)
{
	assert_int_equal(wt_real_window(2, 24, 1024), 49152);
	assert_int_equal(wt_real_window(512, 65535, 65535), WT_REAL_WINDOW_MAX);
	assert_int_equal(wt_real_level_max(24, 100, 2, 1000), 24);
	assert_int_equal(wt_real_level_max(0, 64000, 2, 1000), 32);
	assert_int_equal(wt_real_level_max(0, 64001, 2, 1000), 33);
	assert_int_equal(wt_real_level_max(0, 0, 2, 0), 1);
	assert_int_equal(wt_real_level_max(0, UINT32_MAX, 2, 1), 65535);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_syn_offers_version_shift_and_both_flags_in_six_bytes),
		cmocka_unit_test(the_papers_option_has_four_bytes),
		cmocka_unit_test(the_option_needs_its_padding_too),
		cmocka_unit_test(each_direction_runs_only_if_its_receiver_announces_and_its_sender_obeys),
		cmocka_unit_test(the_smaller_unit_shift_is_in_force_at_both_ends),
		cmocka_unit_test(modules_of_one_host_that_disagree_offer_only_what_both_can_keep),
		cmocka_unit_test(the_third_syn_goes_without_the_option),
		cmocka_unit_test(a_late_answer_to_an_earlier_syn_still_agrees),
		cmocka_unit_test(foreign_versions_forms_and_identifiers_are_no_agreement),
		cmocka_unit_test(any_option_list_is_read_within_its_bounds),
		cmocka_unit_test(window_and_level_arithmetic_saturates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
