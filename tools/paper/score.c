/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank paper score: the card of all claims. */
#include <stdlib.h>
#include <unistd.h>

#include "tools/paper/claims.h"
#include "tools/paper/results.h"
#include "tools/common/cli.h"

extern const struct wt_command wt_command_paper_score;


enum { OPT_RESULTS, OPT_PAPER, OPT_JSON };

static const struct wt_option options[] = {
	[OPT_RESULTS] = {0, "results", "DIR", "folder of 'paper run tcp-real-2001' (default " WT_PAPER_RESULTS_DIR ")"},
	[OPT_PAPER] = {0, "paper", "NUMBER", "only the claims of this one: 000 to 004"},
	[OPT_JSON] = {0, "json", NULL, "a JSON line per claim"},
};

static int score(const char *dir, const char *paper, bool json)
{
	struct wt_claims *claims = malloc(sizeof(*claims));
	unsigned all, incomplete = 0;
	char err[300];

	if (!claims)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
	if (wt_claims_load(claims, err, sizeof(err))) {
		free(claims);
		return wt_fail(WT_EXIT_INTERNAL, "%s", err);
	}
	wt_claims_judge(claims, dir);
	for (unsigned i = 0; i < claims->count; i++)
		incomplete += *claims->claim[i].incomplete && wt_claim_is_of(&claims->claim[i], paper);
	all = (json ? wt_claims_print_json : wt_claims_print)(stdout, claims, paper);
	free(claims);
	if (!all)
		return wt_fail(WT_EXIT_USAGE, "no claims of a paper '%s'; there are 000 to 004", paper);
	if (incomplete)
		wt_say("%u claims are judged by tables of which runs are missing; 'paper run' into %s adds them", incomplete, dir);
	if (access(dir, F_OK))
		wt_say("no results in %s to judge by; 'wavetank paper run tcp-real-2001 -o DIR' makes them", dir);
	return WT_EXIT_OK;
}

static int score_main(int argc, char **argv)
{
	const char *said[sizeof(options) / sizeof(options[0])] = {NULL}, *dir;

	if (wt_args_read(argc, argv, said, NULL, 0, "score takes only options"))
		return WT_EXIT_USAGE;
	dir = wt_paper_results_said(said[OPT_RESULTS]);
	return dir ? score(dir, said[OPT_PAPER], said[OPT_JSON]) : WT_EXIT_USAGE;
}

const struct wt_command wt_command_paper_score = {
	.name = "paper score",
	.arguments = "",
	.text = "say for every claim of the papers whether it holds in our results",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = score_main,
	.notes = "  wavetank paper run tcp-real-2001 -o all && wavetank paper score --results all --paper 003\n"
		 "Verdicts: holds, holds in part, fails, cannot be decided, not judgeable, not yet. The same results give the same card.",
};
