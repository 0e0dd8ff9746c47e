/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank sweep shard: the script that gives the parts of a sweep to Slurm or to GNU parallel. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "tools/sweep/command.h"

extern const struct wt_command wt_command_sweep_shard;

enum { OPT_SHARDS, OPT_FORMAT, OPT_DIR, OPT_CORES, OPT_AT_ONCE };

static const struct wt_option options[] = {
	[OPT_SHARDS] = {0, "shards", "N", "number of parts (required)"},
	[OPT_FORMAT] = {0, "format", "NAME", "slurm (default): a job array; parallel: for GNU parallel"},
	[OPT_DIR] = {'o', "output", "DIR", "results folder, which every node can reach (default results/NAME)"},
	[OPT_CORES] = {0, "cores", "N", "cores of one part (default 1)"},
	[OPT_AT_ONCE] = {0, "at-once", "N", "parts that run at a time (default: as many as the cluster allows)"},
};

struct shard {
	const char *file, *dir, *format;
	uint64_t shards, cores, at_once;
};

/* For the shell: in single quotes, a quote within as '\''. */
static void quote(const char *text)
{
	putchar('\'');
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	putchar('\'');
}

/* VARIABLE='/absolute/path': the nodes start elsewhere. */
static void print_path(const char *variable, const char *path)
{
	char cwd[PATH_MAX];

	printf("%s=", variable);
	if (*path != '/' && getcwd(cwd, sizeof(cwd))) {
		strncat(cwd, "/", sizeof(cwd) - strlen(cwd) - 1);
		strncat(cwd, path, sizeof(cwd) - strlen(cwd) - 1);
		path = cwd;
	}
	quote(path);
	putchar('\n');
}

static void print_slurm(const struct shard *shard, const char *name)
{
	printf("#!/bin/sh\n#SBATCH --job-name=wavetank-%s\n#SBATCH --array=0-%" PRIu64, name, shard->shards - 1);
	if (shard->at_once)
		printf("%%%" PRIu64, shard->at_once);
	printf("\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%" PRIu64 "\n#SBATCH --requeue\n", shard->cores);
	/* SIGTERM a minute before the time limit: what is finished is on disk anyway, but this way the log says so. */
	printf("#SBATCH --signal=B:TERM@60\n"
	       "# %" PRIu64 " parts of the sweep %s. A part that is started again does only what is missing.\n"
	       "# Afterwards: wavetank sweep merge\n", shard->shards, name);
}

static void print_script(const struct shard *shard, const char *name)
{
	bool slurm = !strcmp(shard->format, "slurm");
	char program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[len < 0 ? 0 : len] = '\0';
	if (slurm)
		print_slurm(shard, name);
	else
		printf("#!/bin/sh\n# %" PRIu64 " parts of the sweep %s by GNU parallel; give it more machines with -S or --sshloginfile:\n"
		       "#   sh this-script -S node1,node2\n# A part that is started again does only what is missing.\n", shard->shards, name);
	print_path("wavetank", program);
	print_path("sweep", shard->file);
	print_path("results", shard->dir);
	if (slurm) {
		printf("exec \"$wavetank\" sweep run \"$sweep\" -o \"$results\" --jobs %" PRIu64 " --shard \"$SLURM_ARRAY_TASK_ID/%" PRIu64 "\" --quiet\n",
		       shard->cores, shard->shards);
		return;
	}
	/* Exit code 5 of a part, some runs failed, is a result and no reason to stop; parallel -q keeps quotes whole. */
	printf("seq 0 %" PRIu64 " | parallel -q --retries 3", shard->shards - 1);
	if (shard->at_once)
		printf(" -j %" PRIu64, shard->at_once);
	printf(" \"$@\" sh -c '\"$1\" sweep run \"$2\" -o \"$3\" --jobs %" PRIu64 " --shard \"$4/%" PRIu64
	       "\" --quiet >/dev/null || [ $? = 5 ]' sh \"$wavetank\" \"$sweep\" \"$results\" {} &&\n"
	       "\"$wavetank\" sweep merge \"$sweep\" -o \"$results\"\n", shard->cores, shard->shards);
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct shard *shard = arg;
	uint64_t *count = option == OPT_SHARDS ? &shard->shards : option == OPT_CORES ? &shard->cores : &shard->at_once;

	switch (option) {
	case WT_ARGS_WORD:
		snprintf(err, err_len, "unexpected argument '%s': one sweep at a time", value);
		if (shard->file)
			return -EINVAL;
		shard->file = value;
		return 0;
	case OPT_DIR:
		shard->dir = value;
		return 0;
	case OPT_FORMAT:
		shard->format = value;
		snprintf(err, err_len, "'%s': expected slurm or parallel", value);
		return strcmp(value, "slurm") && strcmp(value, "parallel") ? -EINVAL : 0;
	}
	if (wt_parse_count(value, count, NULL, 0) == 0 && *count >= 1 && *count <= 100000)
		return 0;
	snprintf(err, err_len, "'%s': expected 1 to 100000", value);
	return -EINVAL;
}

static int shard_main(int argc, char **argv)
{
	struct shard shard = {.format = "slurm", .cores = 1};
	struct wt_sweep sweep = {0};
	char dir[128];
	int code = wt_args_each(argc, argv, take, &shard);

	if (code)
		return code;
	code = wt_sweep_open(&sweep, shard.file);
	if (!code && !shard.shards)
		code = wt_fail(WT_EXIT_USAGE, "the number of parts is missing: --shards N");
	if (!code) {
		wt_sweep_folder(&sweep, "", dir, sizeof(dir));
		if (!shard.dir)
			shard.dir = dir;
		print_script(&shard, sweep.name);
	}
	wt_sweep_finish(&sweep);
	return code;
}

const struct wt_command wt_command_sweep_shard = {
	.name = "sweep shard",
	.arguments = "FILE",
	.text = "print the script that runs a sweep in parts on a cluster",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = shard_main,
	.notes = "  wavetank sweep shard big.ini --shards 100 > big.sbatch && sbatch big.sbatch\n"
		 "  wavetank sweep shard big.ini --shards 8 --format parallel > big.sh && sh big.sh\n"
		 "  wavetank sweep status big.ini; wavetank sweep merge big.ini",
};
