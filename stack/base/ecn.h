/* SPDX-License-Identifier: BSD-2-Clause */
/* The ECN field of an IP header (RFC 3168 5): what both the emulator, which marks, and the host, which reacts, call it. */
#ifndef WT_STACK_BASE_ECN_H
#define WT_STACK_BASE_ECN_H

enum wt_ecn { WT_ECN_NOT_ECT = 0, WT_ECN_ECT1 = 1, WT_ECN_ECT0 = 2, WT_ECN_CE = 3 };

#define WT_ECN_MASK 3u /* of the IPv4 octet that once was the type of service */

#endif
