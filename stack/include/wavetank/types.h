/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all headers of libwavetank share: time, addresses, and how symbols are named.
 *
 * Functions and types of the library begin with wt_lib_. Errors: functions that can fail return 0 or a negative errno, or a
 * pointer that is NULL with errno set. Where there is an `err`, it gets one sentence for people. Bytes and nanoseconds
 * carry no suffix. One graph and all that belongs to it is used by one thread at a time.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_TYPES_H
#define WT_STACK_INCLUDE_WAVETANK_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
#define WT_LIB_BEGIN_DECLS extern "C" {
#define WT_LIB_END_DECLS }
#else
#define WT_LIB_BEGIN_DECLS
#define WT_LIB_END_DECLS
#endif

#define WT_API __attribute__((visibility("default")))

/* Nanoseconds since the start of the scenario: virtual time, or real time since wt_lib_real_create(). */
typedef int64_t wt_time;

#define WT_NEVER INT64_MAX /* a deadline that will not come */
#define WT_US ((wt_time)1000)
#define WT_MS ((wt_time)1000000)
#define WT_S ((wt_time)1000000000)

WT_LIB_BEGIN_DECLS

enum wt_lib_family { WT_LIB_FAMILY_NONE, WT_LIB_FAMILY_IPV4, WT_LIB_FAMILY_IPV6 };

struct wt_lib_addr {
	uint8_t family;    /* enum wt_lib_family */
	uint8_t bytes[16]; /* network order; IPv4: the first four, the rest zero */
};

/* An address and a port in host order. */
struct wt_lib_endpoint {
	struct wt_lib_addr addr;
	uint16_t port;
};

#define WT_LIB_ADDR_TEXT 46 /* bytes of an address as text, with its end */
#define WT_LIB_ERR 400      /* bytes that are enough for any `err` */

/* "10.0.0.1" into *addr. 0 or -EINVAL. */
WT_API int wt_lib_addr_parse(const char *text, struct wt_lib_addr *addr);
/* Writes the address into text and returns text. */
WT_API const char *wt_lib_addr_format(const struct wt_lib_addr *addr, char text[WT_LIB_ADDR_TEXT]);
/* "10.0.0.1:80" into *endpoint. 0 or -EINVAL. */
WT_API int wt_lib_endpoint_parse(const char *text, struct wt_lib_endpoint *endpoint);

WT_LIB_END_DECLS

#endif
