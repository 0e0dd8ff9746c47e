/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that live long: sequence numbers go round, and what was remembered of them long ago must not matter. */
#include <string.h>

#include "stack/host/internal.h"
#include "tests/unit/tcp/cmocka_head.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_unsent_does_not_depend_on_how_far_the_start_is_away),
		cmocka_unit_test(before_the_syn_and_after_it_the_same_is_unsent),
	};

	return cmocka_run_group_tests_name("host_long", tests, NULL, NULL);
}
