/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the sender and the receiver of TCP-Real (Zhang and Tsaoussidis, NOSSDAV 2001) share: the option on the wire
 * and its negotiation. In every segment with ACK the option says a wave level, in a SYN what the module offers.
 *
 * The paper gives the option no kind and no negotiation. Two forms exist: `exid6`, kind 253 with an experiment
 * identifier as RFC 6994 wants it, and `paper4`, the paper's four bytes, for closed test networks.
 */
#ifndef WT_CC_TCP_REAL_REAL_H
#define WT_CC_TCP_REAL_REAL_H

#include "cc/cc.h"

enum wt_real_form { WT_REAL_EXID6, WT_REAL_PAPER4 };

enum wt_real_offer {
	WT_REAL_ANNOUNCES = 1, /* "as receiver I will announce levels" */
	WT_REAL_OBEYS = 2,     /* "as sender I obey levels" */
};

#define WT_REAL_EXID 0x5452u     /* "TR"; unregistered, hence a parameter */
#define WT_REAL_UNIT 2u          /* segments per level before the unit shift */
#define WT_REAL_SHIFT_MAX 8u
#define WT_REAL_WINDOW_MAX 0x3fffffffu /* RFC 7323's largest window */

extern const char *const wt_real_form_words[];
extern const char *const wt_real_profile_words[]; /* of the presets of all three modules, in this order */

/* Rows of a module's table of parameters, for fields of these names that stand in `type`. */
#define WT_REAL_PROFILE_ROW(type)                                                                   \
	{"profile", WT_PARAM_WORD, offsetof(type, profile), "set of all parameters; others given go on top", 0, 0, wt_real_profile_words}
#define WT_REAL_OPTION_ROWS(type)                                                                   \
	{"opt", WT_PARAM_WORD, offsetof(type, opt), "option form: kind 253 with experiment id (RFC 6994), or the paper's 4 bytes", 0, 0, \
	 wt_real_form_words},                                                                       \
	{"exid", WT_PARAM_COUNT, offsetof(type, exid), "experiment id of opt=exid6 (unregistered; both ends alike)", 0, 65535, NULL}, \
	{"unit_shift", WT_PARAM_COUNT, offsetof(type, unit_shift), "offer of 2 << unit_shift segments per level, negotiated", 0, \
	 WT_REAL_SHIFT_MAX, NULL}
#define WT_REAL_GUARD_ROW(type)                                                                     \
	{"guard_floor", WT_PARAM_TIME, offsetof(type, guard_floor), "queueing delay the guard never takes for congestion", 0, 1e10, NULL}

/* One module's side of the negotiation. */
struct wt_real_side {
	enum wt_real_form form;
	uint16_t exid;
	uint8_t mine, wanted; /* enum wt_real_offer: what we offer, what the peer has to */
	uint8_t shift;        /* ours, once offered as it stood in the segment */
	uint8_t peer_shift;
	bool offered, heard, peer_speaks, peer_offers;
};

void wt_real_side_init(struct wt_real_side *side, uint64_t form, uint64_t exid, uint64_t shift, uint8_t mine,
		       uint8_t wanted);
/* The hooks on_syn_out and on_syn_in. */
void wt_real_syn_out(struct wt_real_side *side, unsigned attempt, struct wt_cc_option *option);
void wt_real_syn_in(struct wt_real_side *side, const struct wt_cc_options *options);
/* Both ends agreed on this direction. */
bool wt_real_agreed(const struct wt_real_side *side);
/* Segments per level in force: the smaller of the two shifts offered. */
uint32_t wt_real_unit(const struct wt_real_side *side);

/* The value of our option among those of a segment; false: not there. */
bool wt_real_read(const struct wt_real_side *side, const struct wt_cc_options *options, uint16_t *value);
void wt_real_write(const struct wt_real_side *side, uint16_t value, struct wt_cc_option *option);
/* Bytes of option space the option takes, padding included. */
unsigned wt_real_room(const struct wt_real_side *side);

/* Bytes of `level` levels, at most WT_REAL_WINDOW_MAX. */
uint32_t wt_real_window(uint32_t unit, uint32_t level, uint32_t mss);
/* The highest level: the parameter, or for 0 what covers the buffer. */
uint32_t wt_real_level_max(uint64_t lmax, uint32_t buffer, uint32_t unit, uint32_t mss);

#endif
