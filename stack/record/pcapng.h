/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of pcapng (draft-ietf-opsawg-pcapng), made in memory: what captures write to files, and the emulator to those who watch.
 * Little-endian on every machine, nanoseconds, no name of a machine.
 */
#ifndef WT_STACK_RECORD_PCAPNG_H
#define WT_STACK_RECORD_PCAPNG_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/frame.h"

#define WT_PCAPNG_CUT (128u * 1024)           /* longer frames are cut; their length is noted */
#define WT_PCAPNG_BLOCK (WT_PCAPNG_CUT + 256) /* the longest block, in bytes */

enum { WT_LINKTYPE_ETHERNET = 1, WT_LINKTYPE_RADIOTAP = 127 };
enum wt_pcapng_way { WT_PCAPNG_NEITHER, WT_PCAPNG_IN, WT_PCAPNG_OUT }; /* seen from the point that captures */

/* What a packet's block says beside its bytes. */
struct wt_pcapng_facts {
	uint32_t interface; /* by the order of interface blocks, from 0 */
	uint64_t time_ns;   /* since 1970 */
	enum wt_pcapng_way way;
	bool has_id;
	uint64_t id, lost;   /* `lost`: packets of this interface left out before this one; 0 is not written */
	const char *comment; /* its first 100 bytes; NULL: none */
};

/* Each writes one block at `start`, where WT_PCAPNG_BLOCK bytes are free, and returns where it ends. */
uint8_t *wt_pcapng_section(uint8_t *start);
uint8_t *wt_pcapng_interface(uint8_t *start, const char *name, unsigned linktype);
/* The checksums of the frame are finished in the copy. */
uint8_t *wt_pcapng_frame(uint8_t *start, const struct wt_pcapng_facts *facts, const struct wt_frame *frame);
uint8_t *wt_pcapng_bytes(uint8_t *start, const struct wt_pcapng_facts *facts, const uint8_t *bytes, uint32_t len);
/* The length of the block that begins there. */
uint32_t wt_pcapng_length(const uint8_t *block);

#endif
