/* SPDX-License-Identifier: BSD-2-Clause */
/* The stages of few words: mtu, outage, corrupt, duplicate, reorder, delay. */
#include <errno.h>

#include "stack/wire/packet.h"
#include "emu/words/words.h"
#include "stack/text/units.h"

static int read_count(struct wt_reader *reader, const char *what, uint64_t low, uint64_t high, uint64_t *count)
{
	const char *word = wt_reader_word(reader, what);

	if (!word)
		return -EINVAL;
	if (wt_parse_count(word, count, NULL, 0) || *count < low || *count > high)
		return wt_reader_complain(reader, WT_WORD "%s", WT_ABOUT(reader, reader->at - 1), what);
	return 0;
}

/* The addresses after "from": one, or one of each family. `more` stand behind the first, whose addresses follow it. */
static int read_from(struct wt_reader *reader, struct wt_sources *from, unsigned more)
{
	unsigned at = reader->at - 1;
	struct wt_addr addr;

	while (wt_reader_more(reader) && wt_addr_parse(reader->word[reader->at], &addr)) {
		struct wt_addr *place = addr.family == WT_FAMILY_IPV4 ? &from->ipv4 : &from->ipv6, last = wt_source_behind(&addr, more);

		if (place->family)
			return wt_reader_complain(reader, WT_WORD "one address of IPv4 and one of IPv6 at most", WT_ABOUT(reader, reader->at));
		if (!wt_source_usable(&addr) || !wt_source_usable(&last) || wt_ipv6_is_link_local(addr.bytes))
			return wt_reader_complain(reader, WT_WORD "expected the address of a host%s: no group's, loopback's or link's own",
						  WT_ABOUT(reader, reader->at), more ? ", with one behind it for each further router" : "");
		*place = addr;
		reader->at++;
	}
	if (from->ipv4.family || from->ipv6.family)
		return 0;
	return wt_reader_complain(reader, WT_WORD "an address must follow, such as \"from 10.77.0.11\", and one of IPv6 may",
				  WT_ABOUT(reader, at));
}

static int check_from(struct wt_reader *reader, unsigned at, const struct wt_sources *from, bool answers, const char *why)
{
	if (answers || (!from->ipv4.family && !from->ipv6.family))
		return 0;
	return wt_reader_complain(reader, WT_WORD "\"from\" sets the address of answers, but nothing answers %s", WT_ABOUT(reader, at), why);
}

int wt_words_hops(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"silent", "from", NULL};
	unsigned at = reader->at - 1, seen = 0;
	const char *word = wt_reader_word(reader, "a number of routers such as \"3\"");
	int index, error = 0;

	stage->kind = WT_STAGE_HOPS;
	if (!word)
		return -EINVAL;
	if (wt_parse_count(word, &stage->hops.hops, NULL, 0) || stage->hops.hops > WT_HOPS_MAX)
		return wt_reader_complain(reader, WT_WORD "expected a number of routers from 0 to %u", WT_ABOUT(reader, reader->at - 1), WT_HOPS_MAX);
	while (!error && (index = wt_reader_option(reader, options, &seen)) >= 0) {
		if (index == 0)
			stage->hops.silent = true;
		else
			error = read_from(reader, &stage->hops.from, stage->hops.hops ? (unsigned)stage->hops.hops - 1 : 0);
	}
	if (error || index == WT_BAD_OPTION)
		return -EINVAL;
	return check_from(reader, at, &stage->hops.from, !stage->hops.silent, "with \"silent\"");
}

int wt_words_mtu(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"drop", "silent", "from", NULL};
	bool *const fields[] = {&stage->mtu.drop, &stage->mtu.silent};
	unsigned at = reader->at, seen = 0;
	int index, error = 0;

	stage->kind = WT_STAGE_MTU;
	if (wt_reader_value(reader, WT_QUANTITY_SIZE, &stage->mtu.mtu))
		return -EINVAL;
	if (stage->mtu.mtu < WT_MTU_MIN || stage->mtu.mtu > WT_MTU_MAX)
		return wt_reader_complain(reader, WT_WORD "an MTU is from 68B (RFC 791) to 65535B", WT_ABOUT(reader, at));
	while (!error && (index = wt_reader_option(reader, options, &seen)) >= 0) {
		if (index < 2)
			*fields[index] = true;
		else
			error = read_from(reader, &stage->mtu.from, 0);
	}
	if (error || index == WT_BAD_OPTION)
		return -EINVAL;
	return check_from(reader, at - 1, &stage->mtu.from, !stage->mtu.silent, "with \"silent\"");
}

enum { AT, EVERY, FOR, DROP, UNREACHABLE, FROM };

static int check_outage(struct wt_reader *reader, unsigned at, struct wt_outage *outage, unsigned seen)
{
	if (!(seen & 1u << FOR))
		return wt_reader_complain(reader, WT_WORD "for is missing: how long, such as \"for 500ms\"", WT_ABOUT(reader, at));
	if (!(seen & (1u << AT | 1u << EVERY)))
		return wt_reader_complain(reader, WT_WORD "when is missing: \"at 10s\" or \"every 5s\"", WT_ABOUT(reader, at));
	if (check_from(reader, at, &outage->from, outage->unreachable, "without \"unreachable\""))
		return -EINVAL;
	if (!(seen & 1u << EVERY))
		return 0;
	if (outage->period <= outage->length)
		return wt_reader_complain(reader, WT_WORD "\"every\" must be longer than \"for\"", WT_ABOUT(reader, at));
	if (!(seen & 1u << AT))
		outage->at = outage->period;
	return 0;
}

int wt_words_outage(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"at", "every", "for", "drop", "unreachable", "from", NULL};
	unsigned at = reader->at - 1, seen = 0;
	struct wt_outage *outage;
	int index, error = 0;

	stage->kind = WT_STAGE_OUTAGE;
	if (stage->outage_count == WT_OUTAGES_MAX)
		return wt_reader_complain(reader, WT_WORD "more than %d outages in one stage", WT_ABOUT(reader, at), WT_OUTAGES_MAX);
	outage = &stage->outages[stage->outage_count++];
	outage->drop = 1;
	while (!error && (index = wt_reader_option(reader, options, &seen)) >= 0) {
		wt_time *const fields[] = {&outage->at, &outage->period, &outage->length};

		if (index == DROP)
			error = wt_reader_value(reader, WT_QUANTITY_SHARE, &outage->drop);
		else if (index == UNREACHABLE)
			outage->unreachable = true;
		else if (index == FROM)
			error = read_from(reader, &outage->from, 0);
		else
			error = wt_reader_value(reader, WT_QUANTITY_TIME, fields[index]);
	}
	if (error || index == WT_BAD_OPTION)
		return -EINVAL;
	return check_outage(reader, at, outage, seen);
}

int wt_words_corrupt(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	stage->kind = WT_STAGE_CORRUPT;
	stage->corrupt.bits = 1;
	if (wt_reader_value(reader, WT_QUANTITY_SHARE, &stage->corrupt.share))
		return -EINVAL;
	if (!wt_reader_take(reader, "bits"))
		return 0;
	return read_count(reader, "a number of bits from 1 to 1000", 1, WT_CORRUPT_BITS, &stage->corrupt.bits);
}

int wt_words_duplicate(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	stage->kind = WT_STAGE_DUPLICATE;
	return wt_reader_value(reader, WT_QUANTITY_SHARE, &stage->share);
}

int wt_words_reorder(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	unsigned at = reader->at - 1;
	int error = wt_reader_value(reader, WT_QUANTITY_SHARE, &stage->share);

	stage->kind = WT_STAGE_REORDER;
	if (error)
		return error;
	if (!wt_reader_take(reader, "delay"))
		return wt_reader_complain(reader,
					  WT_WORD "\"delay T\" must follow the share: how long a packet is held, such as \"delay 5ms\"",
					  WT_ABOUT(reader, at));
	return wt_reader_value(reader, WT_QUANTITY_TIME, &stage->held);
}

/* ---- delay ----------------------------------------------------------------------------------------------- */

static int read_shape(struct wt_reader *reader, double *shape)
{
	static const char what[] = "shape of Pareto's law, a number above 1 such as \"shape 3\",";
	const char *word;

	if (!wt_reader_take(reader, "shape"))
		return wt_reader_complain(reader, WT_WORD "the %s must follow", WT_ABOUT(reader, reader->at - 1), what);
	word = wt_reader_word(reader, "a number above 1");
	if (!word)
		return -EINVAL;
	if (wt_parse_number(word, shape, NULL, 0) || !(*shape > 1) || *shape > 1000)
		return wt_reader_complain(reader, WT_WORD "a shape is a number above 1, at most 1000", WT_ABOUT(reader, reader->at - 1));
	return 0;
}

static int read_jitter(struct wt_reader *reader, struct wt_delay_config *delay)
{
	static const char *const laws[] = {"normal", "pareto", "file", NULL};
	const char *word = wt_reader_word(reader, "one of normal, pareto, file");
	int law = word ? wt_reader_find(laws, word) : -1;

	if (law < 0)
		return !word ? -EINVAL : wt_reader_complain(reader, WT_WORD "jitter is one of normal, pareto, file",
							    WT_ABOUT(reader, reader->at - 1));
	delay->jitter = (enum wt_jitter)(law + 1);
	if (delay->jitter != WT_JITTER_FILE) {
		if (wt_reader_value(reader, WT_QUANTITY_TIME, &delay->spread))
			return -EINVAL;
		if (delay->spread > WT_JITTER_MAX)
			return wt_reader_complain(reader, WT_WORD "jitter is at most 1h", WT_ABOUT(reader, reader->at - 1));
		return delay->jitter == WT_JITTER_PARETO ? read_shape(reader, &delay->shape) : 0;
	}
	delay->samples = wt_reader_file(reader, WT_SAMPLES_TIMES);
	return delay->samples ? 0 : -EINVAL;
}

/* "at 10s 40ms" */
static int read_step(struct wt_reader *reader, struct wt_delay_config *delay)
{
	unsigned at = reader->at, i = delay->steps;

	if (i == WT_DELAY_STEPS)
		return wt_reader_complain(reader, WT_WORD "a schedule has at most %d steps", WT_ABOUT(reader, at - 1), WT_DELAY_STEPS);
	if (wt_reader_value(reader, WT_QUANTITY_TIME, &delay->step[i].at))
		return -EINVAL;
	if (i && delay->step[i].at <= delay->step[i - 1].at)
		return wt_reader_complain(reader, WT_WORD "expected a step later than the one before", WT_ABOUT(reader, at));
	delay->steps++;
	return wt_reader_value(reader, WT_QUANTITY_TIME, &delay->step[i].delay);
}

static int check_trace(struct wt_reader *reader, unsigned at, const struct wt_delay_config *delay)
{
	if (delay->steps)
		return wt_reader_complain(reader, WT_WORD "a file sets the times itself: it takes no \"at\"", WT_ABOUT(reader, at));
	if (delay->every && delay->every <= wt_samples_last_time(delay->trace))
		return wt_reader_complain(reader, WT_WORD "\"every\" must be longer than the last time of the file", WT_ABOUT(reader, at));
	return 0;
}

int wt_words_delay(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"at", "every", "jitter", "reordering", NULL};
	struct wt_delay_config *delay = &stage->delay;
	unsigned at = reader->at - 1, seen = 0;
	int index = 0, error;

	stage->kind = WT_STAGE_DELAY;
	if (wt_reader_take(reader, "trace")) {
		delay->trace = wt_reader_file(reader, WT_SAMPLES_DELAYS);
		error = delay->trace ? 0 : -EINVAL;
	} else {
		error = wt_reader_value(reader, WT_QUANTITY_TIME, &delay->delay);
	}
	while (!error && (index = wt_reader_option(reader, options, &seen)) >= 0) {
		seen &= ~1u; /* several steps */
		if (index == 0)
			error = read_step(reader, delay);
		else if (index == 1)
			error = wt_reader_value(reader, WT_QUANTITY_TIME, &delay->every);
		else if (index == 2)
			error = read_jitter(reader, delay);
		else
			delay->reordering = true;
	}
	if (error || index == WT_BAD_OPTION)
		return -EINVAL;
	if (delay->trace)
		return check_trace(reader, at, delay);
	if (seen & 2 && (!delay->steps || delay->every <= delay->step[delay->steps - 1].at))
		return wt_reader_complain(reader, WT_WORD "\"every\" repeats steps and must be longer than the last one's time, such as "
						  "\"at 10s 40ms every 20s\"", WT_ABOUT(reader, at));
	return 0;
}
