/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a path (path.h) as a list of stages in the order frames pass; and back again. */
#ifndef WT_EMU_WORDS_WORDS_H
#define WT_EMU_WORDS_WORDS_H

#include "emu/path.h"
#include "emu/words/reader.h"
#include "emu/stage.h"

/* In the default order. */
enum wt_stage_kind {
	WT_STAGE_HOPS,
	WT_STAGE_MTU,
	WT_STAGE_RATE,
	WT_STAGE_OUTAGE,
	WT_STAGE_HANDOFF,
	WT_STAGE_LOSS,
	WT_STAGE_GILBERT,
	WT_STAGE_MARKOV,
	WT_STAGE_ELLIOTT,
	WT_STAGE_LIST,
	WT_STAGE_CORRUPT,
	WT_STAGE_DUPLICATE,
	WT_STAGE_REORDER,
	WT_STAGE_DELAY,
	/* and what stands between them */
	WT_STAGE_FILTER, /* what it does not match goes to its merge, around what stands between the two */
	WT_STAGE_MERGE,
	WT_STAGE_DRAIN,  /* in no words: keeps what was in a stage that a change took from this place */
	WT_STAGE_KINDS,
};

extern const char *const wt_stage_names[WT_STAGE_KINDS]; /* as records and targets of changes have them */

#define WT_FILTER_TEXT 256

struct wt_stage_plan {
	enum wt_stage_kind kind;
	unsigned group; /* between bars, from 0 */
	struct wt_rate_config rate;
	struct wt_gilbert_config gilbert;
	struct wt_chain_config chain;
	struct wt_elliott_config elliott;
	struct wt_list_config list;
	bool shared;
	bool twice; /* gilbert: each share is met twice in a row */
	unsigned outage_count;
	struct wt_outage outages[WT_OUTAGES_MAX];
	struct wt_handoff_config handoff;
	struct wt_corrupt_config corrupt;
	struct wt_hops_config hops;
	struct wt_mtu_config mtu;
	struct wt_delay_config delay;
	struct wt_loss_config loss;
	double share; /* duplicate, reorder */
	wt_time held; /* reorder */
	char expression[WT_FILTER_TEXT]; /* filter */
};

#define WT_PATH_FILTERS 8
#define WT_PATH_PLACES (WT_PATH_STAGES + 2 * WT_PATH_FILTERS)

struct wt_path_plan {
	unsigned count;
	struct wt_stage_plan stage[WT_PATH_PLACES];
};

/* 0, or -EINVAL with one sentence in err. Finish after 0: a plan holds the files of samples that its words name. */
int wt_path_parse(struct wt_path_plan *plan, const char *words, const struct wt_path_files *files, char *err, size_t err_len);
void wt_path_plan_finish(struct wt_path_plan *plan);
/* The normal form. False if it does not fit. */
bool wt_path_format(const struct wt_path_plan *plan, char *text, size_t len);

/* One stage from its words, the first of which has been taken; for words.c. They set stage->kind. 0 or -EINVAL. */
int wt_words_rate(struct wt_reader *reader, struct wt_stage_plan *stage);
int wt_words_hops(struct wt_reader *reader, struct wt_stage_plan *stage);
int wt_words_mtu(struct wt_reader *reader, struct wt_stage_plan *stage);
int wt_words_handoff(struct wt_reader *reader, struct wt_stage_plan *stage);
int wt_words_corrupt(struct wt_reader *reader, struct wt_stage_plan *stage);
int wt_words_markov(struct wt_reader *reader, struct wt_stage_plan *stage);
int wt_words_loss(struct wt_reader *reader, struct wt_stage_plan *stage);
int wt_words_outage(struct wt_reader *reader, struct wt_stage_plan *stage); /* adds one more outage to the stage */
int wt_words_duplicate(struct wt_reader *reader, struct wt_stage_plan *stage);
int wt_words_reorder(struct wt_reader *reader, struct wt_stage_plan *stage);
int wt_words_delay(struct wt_reader *reader, struct wt_stage_plan *stage);
/* The filter that begins at *text and the words inside, as text, and where they stand; *text goes to what follows. For words.c. */
int wt_words_filter(const char **text, struct wt_stage_plan *filter, char words[WT_READER_TEXT], const char **inside, char *err,
		    size_t err_len);
/* Where the first filter in a text begins; its end if there is none. */
const char *wt_words_find_filter(const char *text);
const char *wt_words_skip(const char *text); /* blanks */
/* Without the blanks at its end. 0, or -EINVAL: too long. */
int wt_words_copy(char *to, size_t room, const char *from, const char *end, char *err, size_t err_len);
/* A mean sojourn, within bounds. */
int wt_words_mean(struct wt_reader *reader, wt_time *mean);

#endif
