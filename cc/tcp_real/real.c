/* SPDX-License-Identifier: BSD-2-Clause */
#include "cc/tcp_real/real.h"

#define KIND 253u   /* RFC 4727 */
#define VERSION 1u
#define ATTEMPTS 2u /* SYNs that carry the option; a path that eats such SYNs must not cost the connection */

const char *const wt_real_form_words[] = {"exid6", "paper4", NULL};
const char *const wt_real_profile_words[] = {"safe", "paper", "paper-slow", NULL};

void wt_real_side_init(struct wt_real_side *side, uint64_t form, uint64_t exid, uint64_t shift, uint8_t mine,
		       uint8_t wanted)
{
	*side = (struct wt_real_side){
		.form = form == WT_REAL_PAPER4 ? WT_REAL_PAPER4 : WT_REAL_EXID6,
		.exid = (uint16_t)exid,
		.shift = (uint8_t)(shift < WT_REAL_SHIFT_MAX ? shift : WT_REAL_SHIFT_MAX),
		.mine = mine,
		.wanted = wanted,
	};
}

unsigned wt_real_room(const struct wt_real_side *side)
{
	return side->form == WT_REAL_PAPER4 ? 4 : 8;
}

/* Only our own form counts: in the other one the same bytes may be somebody else's experiment. */
static bool read_one(const struct wt_real_side *side, const struct wt_cc_option *option, uint16_t *value)
{
	const uint8_t *data = option->data;

	if (option->kind != KIND)
		return false;
	if (side->form == WT_REAL_PAPER4) {
		*value = (uint16_t)(data[0] << 8 | data[1]);
		return option->len == 4;
	}
	*value = (uint16_t)(data[2] << 8 | data[3]);
	return option->len == 6 && (data[0] << 8 | data[1]) == side->exid;
}

bool wt_real_read(const struct wt_real_side *side, const struct wt_cc_options *options, uint16_t *value)
{
	unsigned count = options ? options->count : 0;

	for (unsigned i = 0; i < count && i < WT_CC_OPTIONS_MAX; i++)
		if (read_one(side, &options->at[i], value))
			return true;
	return false;
}

void wt_real_write(const struct wt_real_side *side, uint16_t value, struct wt_cc_option *option)
{
	uint8_t *data = option->data;

	option->kind = KIND;
	option->len = side->form == WT_REAL_PAPER4 ? 4 : 6;
	if (side->form == WT_REAL_EXID6) {
		*data++ = (uint8_t)(side->exid >> 8);
		*data++ = (uint8_t)side->exid;
	}
	*data++ = (uint8_t)(value >> 8);
	*data = (uint8_t)value;
}

/*
 * SYN value: version, unit shift, offers. The receiver module is asked first; the sender module adds its bit to what
 * stands there, and with it takes over the unit shift. If it cannot (other form, larger shift) it offers nothing.
 */
void wt_real_syn_out(struct wt_real_side *side, unsigned attempt, struct wt_cc_option *option)
{
	uint16_t value = (uint16_t)(VERSION << 12 | side->shift << 8);

	if (attempt >= ATTEMPTS || (side->heard && !side->peer_speaks))
		return;
	if (option->len && (!read_one(side, option, &value) || (value >> 8 & 15) > side->shift))
		return;
	side->shift = (uint8_t)(value >> 8 & 15);
	side->offered = true;
	wt_real_write(side, value | side->mine, option);
}

void wt_real_syn_in(struct wt_real_side *side, const struct wt_cc_options *options)
{
	uint16_t value = 0;

	side->heard = true;
	side->peer_speaks = wt_real_read(side, options, &value) && value >> 12 == VERSION &&
			    (value >> 8 & 15) <= WT_REAL_SHIFT_MAX;
	side->peer_offers = side->peer_speaks && value & side->wanted;
	side->peer_shift = value >> 8 & 15;
}

bool wt_real_agreed(const struct wt_real_side *side)
{
	return side->offered && side->peer_offers;
}

uint32_t wt_real_unit(const struct wt_real_side *side)
{
	uint8_t shift = side->shift;

	if (side->heard && side->peer_speaks && side->peer_shift < shift)
		shift = side->peer_shift;
	return WT_REAL_UNIT << shift;
}

uint32_t wt_real_window(uint32_t unit, uint32_t level, uint32_t mss)
{
	uint64_t bytes = (uint64_t)unit * level;

	bytes = bytes > WT_REAL_WINDOW_MAX ? WT_REAL_WINDOW_MAX : bytes;
	bytes *= mss;
	return bytes > WT_REAL_WINDOW_MAX ? WT_REAL_WINDOW_MAX : (uint32_t)bytes;
}

uint32_t wt_real_level_max(uint64_t lmax, uint32_t buffer, uint32_t unit, uint32_t mss)
{
	uint64_t step = (uint64_t)unit * (mss ? mss : 1);

	if (!lmax)
		lmax = ((uint64_t)buffer + step - 1) / step;
	lmax = lmax < 65535 ? lmax : 65535;
	return lmax ? (uint32_t)lmax : 1;
}
