/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of a table is done while it goes on: DIR/done.jsonl, the plan in its first line, then the record of each run as it ends. So a full
 * disk or a kill costs at most the runs in flight, and the table can be gone on with. When nothing is left to do, it goes.
 */
#ifndef WT_TOOLS_PAPER_STORE_H
#define WT_TOOLS_PAPER_STORE_H

#include "tools/common/line_file.h"
#include "tools/paper/run.h"

struct wt_paper_store {
	char path[600];
	struct wt_line_file file;
	int error; /* of the first record that could not be kept */
};

/* Creates DIR/done.jsonl with the line of the plan, which ends in a newline. -EEXIST: there is one, or there are results. */
int wt_paper_store_create(struct wt_paper_store *store, const char *dir, const char *plan_line);
/*
 * Reads what is done from DIR/done.jsonl, else from DIR/runs.jsonl, into records, and goes on with done.jsonl. Runs during which the host was
 * too busy count as not done. 0, -ENOENT: neither is there, or another error; a sentence in err.
 */
int wt_paper_store_resume(struct wt_paper_store *store, const char *dir, const char *plan_line, const struct wt_paper_plan *plan,
			  struct wt_paper_record *records, char *err, size_t err_len);
/* Keeps a run. 0, or the first error there was. */
int wt_paper_store_add(struct wt_paper_store *store, const struct wt_paper_plan *plan, uint32_t index, const struct wt_paper_record *record);
void wt_paper_store_close(struct wt_paper_store *store, bool whole);

#endif
