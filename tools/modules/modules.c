/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/modules/modules.h"

#include <string.h>

#include "tools/modules/load.h"
#include "tools/common/cli.h"

static const char *unpaired(bool deadline, bool on_timer)
{
	return deadline == on_timer ? NULL : deadline ? "on_timer (deadline is)" : "deadline (on_timer is)";
}

static struct wt_cc_described describe_sender(const struct wt_sender_ops *ops)
{
	return (struct wt_cc_described){"sender", "-C", ops->name, ops->text, ops->default_recovery, ops->default_receiver, ops->gauges,
					ops->params, ops->param_count, ops->params_size, ops->params_default, ops->presets,
					!ops->init ? "init" : unpaired(!!ops->deadline, !!ops->on_timer)};
}

static struct wt_cc_described describe_recovery(const struct wt_recovery_ops *ops)
{
	return (struct wt_cc_described){"recovery", "--recovery", ops->name, ops->text, NULL, NULL, NULL, ops->params, ops->param_count,
					ops->params_size, ops->params_default, ops->presets,
					!ops->init ? "init" : !ops->on_ack ? "on_ack" : unpaired(!!ops->deadline, !!ops->on_timer)};
}

static struct wt_cc_described describe_receiver(const struct wt_receiver_ops *ops)
{
	return (struct wt_cc_described){"receiver", "--rcc", ops->name, ops->text, NULL, NULL, NULL, ops->params, ops->param_count,
					ops->params_size, ops->params_default, ops->presets, unpaired(!!ops->deadline, !!ops->on_timer)};
}

struct wt_cc_described wt_cc_describe(const struct wt_cc_subject *subject)
{
	return subject->sender ? describe_sender(subject->sender) :
	       subject->recovery ? describe_recovery(subject->recovery) : describe_receiver(subject->receiver);
}

bool wt_cc_subject_at(size_t i, struct wt_cc_subject *subject)
{
	*subject = (struct wt_cc_subject){0};
	if (i < wt_sender_count)
		subject->sender = wt_senders[i];
	else if ((i -= wt_sender_count) < wt_recovery_count)
		subject->recovery = wt_recoveries[i];
	else if ((i -= wt_recovery_count) < wt_receiver_count)
		subject->receiver = wt_receivers[i];
	else
		return false;
	return true;
}

static bool in_file(const struct wt_cc_file *file, size_t i, struct wt_cc_subject *subject)
{
	const struct wt_cc_loadable *all = file->loadable;
	const struct wt_cc_subject part[] = {{.sender = all->sender}, {.recovery = all->recovery}, {.receiver = all->receiver}};

	for (size_t kind = 0; kind < 3; kind++) {
		*subject = part[kind];
		if ((subject->sender || subject->recovery || subject->receiver) && i-- == 0)
			return true;
	}
	return false;
}

bool wt_cc_subject_named(const char *name, size_t i, struct wt_cc_subject *subject)
{
	const struct wt_cc_file *file;

	if (wt_cc_is_file(name))
		return !wt_cc_open(name, &file, NULL, 0) && in_file(file, i, subject);
	for (size_t at = 0; wt_cc_subject_at(at, subject); at++)
		if (!strcmp(wt_cc_describe(subject).name, name) && i-- == 0)
			return true;
	return false;
}

/* Names of modules, each once, for the nearest one to a wrong word. */
static const char *next_name(const void *ctx, size_t i)
{
	struct wt_cc_subject subject;

	return wt_cc_subject_at(i, &subject) ? wt_cc_describe(&subject).name : NULL;
}

int wt_cc_no_module(const char *name)
{
	const struct wt_cc_file *file;
	const char *near;
	char err[600];

	if (wt_cc_is_file(name) && wt_cc_open(name, &file, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	near = wt_nearest_word(name, next_name, NULL);
	return wt_fail(WT_EXIT_USAGE, "no module '%s'; %s%s%sall: wavetank cc list", name, near ? "did you mean '" : "",
		       near ? near : "", near ? "'? " : "");
}
