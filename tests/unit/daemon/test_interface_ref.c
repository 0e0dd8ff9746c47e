/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "emu/world/interface_ref.h"

static void a_port_is_a_kind_a_name_and_perhaps_a_namespace(void **state)
{
	static const struct {
		const char *text;
		enum wt_interface_ref_kind kind;
		const char *interface, *space;
	} table[] = {
		{"tap:wt0", WT_INTERFACE_REF_TAP, "wt0", ""},
		{"packet:veth1", WT_INTERFACE_REF_PACKET, "veth1", ""},
		{"tap:wt0@4711", WT_INTERFACE_REF_TAP, "wt0", "/proc/4711/ns/net"},
		{"tap:wt0@/proc/4711/ns/net", WT_INTERFACE_REF_TAP, "wt0", "/proc/4711/ns/net"},
		{"packet:fifteen_letters@lab-a", WT_INTERFACE_REF_PACKET, "fifteen_letters", "/run/netns/lab-a"},
		{"tap:wt0@4a", WT_INTERFACE_REF_TAP, "wt0", "/run/netns/4a"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct wt_interface_ref where;
		char err[200];

		assert_int_equal(wt_interface_ref_parse(&where, table[i].text, err, sizeof(err)), 0);
		assert_int_equal(where.kind, table[i].kind);
		assert_string_equal(where.interface, table[i].interface);
		assert_string_equal(where.space, table[i].space);
	}
}

static void anything_else_is_refused_with_a_sentence(void **state)
{
	static const char kind[] = " is not a port: expected tap:NAME or packet:INTERFACE, and @NAMESPACE if it lives in another";
	static const char name[] = ": the name of an interface has 1 to 15 characters";
	static const char space[] =
		"after the @ a network namespace must stand: a process number, a path or a name of ip netns";
	const struct {
		const char *text, *error;
	} table[] = {
		{"", kind}, {"wt0", kind}, {"tun:wt0", kind}, {"tap", kind}, {"@5", kind},
		{"tap:", name}, {"tap:@5", name}, {"packet:sixteen__letters", name}, {"tap:wt0@", space},
	};
	static char longest[400] = "tap:wt0@";
	struct wt_interface_ref where;
	char err[200];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(wt_interface_ref_parse(&where, table[i].text, err, sizeof(err)), -EINVAL);
		assert_non_null(strstr(err, table[i].error));
	}
	memset(longest + 8, 'x', 300);
	assert_int_equal(wt_interface_ref_parse(&where, longest, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_is_a_kind_a_name_and_perhaps_a_namespace),
		cmocka_unit_test(anything_else_is_refused_with_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
