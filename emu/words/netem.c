/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netem (tc-netem(8)) gives values by their place: "delay TIME JITTER CORRELATION", "loss SHARE CORRELATION". Its models are not all ours, so
 * its words are answered, not translated: an experiment must not run with other laws than its author means.
 */
#include "emu/words/netem.h"

#include <stdio.h>
#include <string.h>

#include "stack/text/units.h"

static const struct {
	const char *word, *after, *hint; /* after: the word before it, or NULL */
} words[] = {
	{"random", "loss", "independent loss is plain here: \"loss 1%\""},
	{"gemodel", "loss", "netem's gemodel p r 1-h 1-k is \"loss elliott p P r P h P k P\" here"},
	{"state", "loss", "states are written out here: \"loss markov state T P state T P\", with mean times; or \"loss elliott p P r P\""},
	{"distribution", NULL, "the law follows jitter here: \"jitter normal 5ms\", \"jitter pareto 5ms shape 3\" or \"jitter file FILE\""},
	{"correlation", NULL, "nothing is correlated by a share here; bursts of losses are \"loss gilbert\" or \"loss elliott\""},
	{"gap", NULL, "packets are held back by a share here: \"reorder 1% delay 5ms\"; stated ones are lost by \"loss list 5,10\""},
	{"slot", NULL, "tokens in lumps are \"rate 30KB every 20ms burst 0B limit 64KB\" here"},
	{"tbf", NULL, "a token bucket is a stage here: \"rate 10Mbit burst 20KB limit 64KB\""},
	{"latency", NULL, "a queue is bounded by its bytes or packets here, after its rate: \"limit 64KB\", \"limit 50packets\""},
	{"limit", NULL, "a queue belongs to a rate here: \"rate 10Mbit burst 20KB limit 50packets\""},
	{"ecn", NULL, "marks come from a queue here: \"rate 10Mbit burst 0B limit 1MB queue codel ecn\""},
	{"bandwidth", NULL, "the word here is rate: \"rate 10Mbit burst 0B limit 64KB\""},
	{"bw", NULL, "the word here is rate: \"rate 10Mbit burst 0B limit 64KB\""},
	{"plr", NULL, "the word here is loss: \"loss 1%\""},
	{"jitter", NULL, "jitter belongs to a delay here: \"delay 10ms jitter normal 2ms\""},
	{"netem", NULL, "no qdisc is named here; the stages alone are, such as \"delay 10ms loss 1%\""},
	{"qdisc", NULL, "no qdisc is named here; the stages alone are, such as \"delay 10ms loss 1%\""},
	{"mm-delay", NULL, "Mahimahi's delay is \"delay 15ms\" here"},
	{"mm-link", NULL, "Mahimahi's link is \"rate trace FILE limit 64KB\" here"},
	{"mm-loss", NULL, "Mahimahi's loss is \"loss 1%\" here"},
};

/* The word so many places before it in the same group; "" where there is none. */
static const char *before(const struct wt_reader *reader, unsigned i, unsigned n)
{
	for (unsigned back = 1; back <= n; back++)
		if (back > i || wt_reader_is_bar(reader, i - back))
			return "";
	return reader->word[i - n];
}

/* A second or third value, which has no name there. */
static bool hint_value(const struct wt_reader *reader, unsigned i, char *text, size_t len)
{
	const char *word = reader->word[i], *stage = before(reader, i, 2), *value = before(reader, i, 1);
	char why[200];
	wt_time time;
	double share;

	if (!strcmp(stage, "delay") && !wt_parse_time(word, &time, why, sizeof(why))) {
		snprintf(text, len, "expected the law of the jitter; packets keep their order unless \"reordering\" follows: \"delay %.20s jitter normal %.20s reordering\"",
			 value, word);
		return true;
	}
	if (wt_parse_share(word, &share, why, sizeof(why)))
		return false;
	if (!strcmp(stage, "loss"))
		snprintf(text, len, "correlations are not supported; for losses in bursts write \"loss elliott mean %.20s burst 4packets\", or loss gilbert", value);
	else if (!strcmp(stage, "duplicate") || !strcmp(stage, "corrupt"))
		snprintf(text, len, "correlations are not supported: each packet is drawn alone, \"%s %.20s\"", stage, value);
	else
		return false;
	return true;
}

bool wt_netem_hint(const struct wt_reader *reader, unsigned i, char *text, size_t len)
{
	for (size_t n = 0; n < sizeof(words) / sizeof(words[0]); n++)
		if (!strcmp(reader->word[i], words[n].word) && (!words[n].after || !strcmp(before(reader, i, 1), words[n].after))) {
			snprintf(text, len, "%s", words[n].hint);
			return true;
		}
	return hint_value(reader, i, text, len);
}
