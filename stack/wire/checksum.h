/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum of protocols: the sum itself lives in base, the pseudo-header here. */
#ifndef WT_STACK_WIRE_CHECKSUM_H
#define WT_STACK_WIRE_CHECKSUM_H

#include <stdint.h>

#include "stack/text/addr.h"
#include "stack/base/checksum.h"

/* The pseudo-header of TCP over IPv4 (RFC 9293 3.1) or IPv6 (RFC 8200 8.1), as a running sum. */
uint64_t wt_csum_pseudo(const struct wt_addr *src, const struct wt_addr *dst, uint8_t protocol, uint32_t len);

#endif
