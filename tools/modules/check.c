/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds for the tables of all three kinds of module, and how a check runs. */
#include "tools/modules/check.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/modules/modules.h"
#include "tools/modules/trial.h"

/* Of the processor's time: a busy machine is no fault of the module. A hook that sleeps is ended by the clock. */
enum { PATIENCE_S = 5, PATIENCE_ASLEEP_S = 60 };

const struct wt_cc_rule_info wt_cc_rule_info[WT_CC_RULE_COUNT] = {
#define WT_CC_RULE(id, name, text) [WT_CC_RULE_##id] = {name, text},
	WT_CC_RULES(WT_CC_RULE)
#undef WT_CC_RULE
};

bool wt_cc_keep(struct wt_cc_report *report, enum wt_cc_rule rule, bool kept, const char *format, ...)
{
	va_list list;

	report->tried[rule] = true;
	if (kept || report->broken[rule][0])
		return kept;
	va_start(list, format);
	vsnprintf(report->broken[rule], WT_CC_SENTENCE, format, list);
	va_end(list);
	return false;
}

/* ---- the table -------------------------------------------------------------------------------------------- */

static bool check_table(const struct wt_cc_described *m, struct wt_cc_report *r)
{
	const enum wt_cc_rule rule = WT_CC_RULE_TABLE;

	return wt_cc_keep(r, rule, m->name && m->name[0], "it has no name") &&
	       wt_cc_keep(r, rule, strlen(m->name) < 32 && !strpbrk(m->name, ":,= /"), "name '%.40s': expected at most 31 letters, and no ':,= /'", m->name) &&
	       wt_cc_keep(r, rule, m->text && m->text[0] && !strchr(m->text, '\n'), "text: expected one line") &&
	       wt_cc_keep(r, rule, m->params_size <= WT_CC_PARAMS_MAX, "params_size %zu: at most %d", m->params_size, WT_CC_PARAMS_MAX) &&
	       wt_cc_keep(r, rule, !m->param_count == !m->params_size && !m->param_count == !m->defaults && !m->param_count == !m->params,
			  "params, param_count, params_size and params_default: all of them or none") &&
	       wt_cc_keep(r, rule, !m->missing, "the hook %s is not set", m->missing);
}

static bool check_values(const struct wt_cc_described *m, const void *params, struct wt_cc_report *r)
{
	for (size_t i = 0; i < m->param_count; i++) {
		char text[128], again[128], err[100] = "";
		_Alignas(16) uint8_t copy[WT_CC_PARAMS_MAX];

		memcpy(copy, params, m->params_size);
		wt_param_format(&m->params[i], params, text, sizeof(text));
		if (!wt_cc_keep(r, WT_CC_RULE_PARAMETERS, !wt_param_set(m->params, m->param_count, copy, m->params[i].name, text, err, sizeof(err)),
				"its own value %s=%s is refused: %s", m->params[i].name, text, err))
			return false;
		wt_param_format(&m->params[i], copy, again, sizeof(again));
		if (!wt_cc_keep(r, WT_CC_RULE_PARAMETERS, !strcmp(text, again) && !memcmp(copy, params, m->params_size),
				"%s=%s reads back as %s", m->params[i].name, text, again))
			return false;
	}
	return true;
}

/* The ends of a parameter's range are values, beyond them is nothing. */
static bool check_bounds(const struct wt_cc_described *m, const struct wt_param *p, struct wt_cc_report *r)
{
	_Alignas(16) uint8_t copy[WT_CC_PARAMS_MAX];
	char text[64], err[256];
	bool good;

	if (p->type != WT_PARAM_COUNT && p->type != WT_PARAM_NUMBER)
		return true;
	if (!wt_cc_keep(r, WT_CC_RULE_PARAMETERS, p->max > p->min, "%s has no range", p->name))
		return false;
	for (int side = 0; side < 2; side++) {
		double end = side ? p->max : p->min, beyond = side ? p->max + 1 : p->min - 1;

		memcpy(copy, m->defaults, m->params_size);
		snprintf(text, sizeof(text), p->type == WT_PARAM_COUNT ? "%.0f" : "%.17g", end);
		good = wt_param_set(m->params, m->param_count, copy, p->name, text, err, sizeof(err)) == 0;
		if (!wt_cc_keep(r, WT_CC_RULE_PARAMETERS, good, "%s=%s, an end of its range, is refused", p->name, text))
			return false;
		snprintf(text, sizeof(text), p->type == WT_PARAM_COUNT ? "%.0f" : "%.17g", beyond);
		good = wt_param_set(m->params, m->param_count, copy, p->name, text, err, sizeof(err)) < 0;
		if (!wt_cc_keep(r, WT_CC_RULE_PARAMETERS, good, "%s=%s, beyond its range, is taken", p->name, text))
			return false;
	}
	return true;
}

static bool check_parameters(const struct wt_cc_described *m, struct wt_cc_report *r)
{
	const enum wt_cc_rule rule = WT_CC_RULE_PARAMETERS;
	bool good = true;

	for (size_t i = 0; i < m->param_count && good; i++) {
		const struct wt_param *p = &m->params[i];

		good = wt_cc_keep(r, rule, p->name && p->name[0], "number %zu has no name", i) &&
		       wt_cc_keep(r, rule, p->text && p->text[0], "%s has no line of help", p->name) &&
		       wt_cc_keep(r, rule, p->offset + 8 <= m->params_size, "%s lies beyond params_size", p->name) &&
		       wt_cc_keep(r, rule, p->type != WT_PARAM_WORD || p->words, "%s has no words", p->name);
		for (size_t j = 0; j < i && good; j++)
			good = wt_cc_keep(r, rule, strcmp(p->name, m->params[j].name) && p->offset != m->params[j].offset,
					  "%s and %s share a name or a place", m->params[j].name, p->name);
		good = good && check_bounds(m, p, r);
	}
	good = good && (!m->param_count || check_values(m, m->defaults, r));
	for (const struct wt_cc_preset *p = m->presets; good && p && p->name; p++)
		good = check_values(m, p->params, r);
	return good;
}

static bool check_companions(const struct wt_sender_ops *ops, struct wt_cc_report *r)
{
	struct wt_recovery_choice recovery;
	struct wt_receiver_choice receiver;
	bool good;

	good = !ops->default_recovery || !wt_recovery_choose(ops->default_recovery, &recovery, NULL, 0);
	good = wt_cc_keep(r, WT_CC_RULE_COMPANIONS, good, "default_recovery '%.40s' is no recovery module of this program",
			  ops->default_recovery);
	return good && wt_cc_keep(r, WT_CC_RULE_COMPANIONS,
				  !ops->default_receiver || !wt_receiver_choose(ops->default_receiver, &receiver, NULL, 0),
				  "default_receiver '%.40s' is no receiver module of this program", ops->default_receiver);
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

void wt_cc_check(const struct wt_cc_subject *subject, unsigned trials, struct wt_cc_report *report)
{
	struct wt_cc_described m = wt_cc_describe(subject);

	memset(report, 0, sizeof(*report));
	if (!check_table(&m, report) || !check_parameters(&m, report) || (subject->sender && !check_companions(subject->sender, report)) ||
	    !trials)
		return; /* its histories would prove nothing */
	if (subject->sender)
		wt_cc_check_sender(subject->sender, trials, report);
	if (subject->recovery)
		wt_cc_check_recovery(subject->recovery, trials, report);
	if (subject->receiver)
		wt_cc_check_receiver(subject->receiver, trials, report);
}

/* From now on the process has so long for its hooks. */
static void patience(void)
{
	static const struct itimerval of_processor = {.it_value = {.tv_sec = PATIENCE_S}};

	signal(SIGPROF, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	setitimer(ITIMER_PROF, &of_processor, NULL);
	alarm(PATIENCE_ASLEEP_S);
}

int wt_cc_check_apart(const struct wt_cc_subject *subject, unsigned trials, struct wt_cc_report *report)
{
	struct wt_cc_report *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0, error = 0;
	pid_t child;

	if (shared == MAP_FAILED)
		return -errno;
	fflush(NULL);
	child = fork();
	if (child == 0) {
		patience();
		wt_cc_check(subject, trials, shared);
		_exit(0);
	}
	if (child < 0)
		error = -errno;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	*report = *shared;
	munmap(shared, sizeof(*shared));
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM))
		snprintf(report->ended, sizeof(report->ended), "a hook did not return within %d s",
			 WTERMSIG(status) == SIGPROF ? PATIENCE_S : PATIENCE_ASLEEP_S);
	else if (WIFSIGNALED(status))
		snprintf(report->ended, sizeof(report->ended), "a hook crashed: %s", strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(report->ended, sizeof(report->ended), "a hook ended the process with %d", WEXITSTATUS(status));
	return error;
}

const char *wt_cc_check_verdict(const struct wt_cc_report *report, char *text, size_t len)
{
	for (unsigned rule = 0; rule < WT_CC_RULE_COUNT; rule++)
		if (report->broken[rule][0]) {
			snprintf(text, len, "%s: %s", wt_cc_rule_info[rule].name, report->broken[rule]);
			return text;
		}
	return report->ended[0] ? report->ended : NULL;
}
