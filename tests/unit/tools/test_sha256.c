/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "tools/common/sha256.h"

static void check(const char *data, size_t len, size_t step, const char *want)
{
	char text[WT_SHA256_TEXT];
	struct wt_sha256 sha;

	wt_sha256_init(&sha);
	for (size_t at = 0; at < len; at += step)
		wt_sha256_add(&sha, data + at, len - at < step ? len - at : step);
	wt_sha256_end(&sha, text);
	assert_string_equal(text, want);
}

/* The vectors of the standard's examples (csrc.nist.gov, SHA256.pdf) and of a million times "a". */
static void the_published_vectors_are_met(void **state)
{
	char *million = malloc(1000000);

	assert_non_null(million);
	memset(million, 'a', 1000000);
	check("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check("abc", 3, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, 56,
	      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	check(million, 1000000, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

static void the_pieces_in_which_data_come_change_nothing(void **state)
{
	static char data[200];
	char whole[WT_SHA256_TEXT];
	struct wt_sha256 sha;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 7);
	wt_sha256_init(&sha);
	wt_sha256_add(&sha, data, sizeof(data));
	wt_sha256_end(&sha, whole);
	for (size_t step = 1; step < 130; step++)
		check(data, sizeof(data), step, whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_vectors_are_met),
		cmocka_unit_test(the_pieces_in_which_data_come_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
