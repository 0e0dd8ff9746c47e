/* SPDX-License-Identifier: BSD-2-Clause */
/* The input is one TCP segment. What parses can be emitted, and what was emitted parses to what emits the same bytes. */
#include <string.h>

#include "stack/wire/tcp.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_tcp_header tcp, again;
	uint8_t first[64], second[64], *exact;
	uint32_t len;

	if (size > UINT16_MAX)
		return 0;
	/* a buffer of exactly that size, so that a sanitizer sees the first byte behind it */
	exact = malloc(size ? size : 1);
	if (!exact)
		return 0;
	if (size)
		memcpy(exact, data, size);
	if (wt_tcp_parse(exact, (uint32_t)size, &tcp)) {
		CLAIM(tcp.header_len >= WT_TCP_HEADER && tcp.header_len <= size);
		CLAIM(tcp.sack_count <= WT_TCP_SACK_BLOCKS && tcp.experiment_count <= WT_TCP_EXPERIMENTS);
		for (unsigned i = 0; i < tcp.experiment_count; i++)
			CLAIM(tcp.experiment[i].data >= exact + WT_TCP_HEADER + 2 &&
			      tcp.experiment[i].data + tcp.experiment[i].len - 2 <= exact + tcp.header_len);
		memset(first, 0xaa, sizeof(first));
		memset(second, 0xaa, sizeof(second));
		len = wt_tcp_emit_len(&tcp);
		CLAIM(len >= WT_TCP_HEADER && len <= WT_TCP_HEADER + WT_TCP_OPTIONS_ROOM && len % 4 == 0);
		CLAIM(wt_tcp_emit(first, &tcp) == len);
		CLAIM(first[len] == 0xaa);
		CLAIM(wt_tcp_parse(first, len, &again));
		CLAIM(wt_tcp_emit_len(&again) == len);
		CLAIM(wt_tcp_emit(second, &again) == len);
		CLAIM(memcmp(first, second, sizeof(first)) == 0);
	}
	free(exact);
	return 0;
}
