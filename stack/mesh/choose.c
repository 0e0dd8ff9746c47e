/* SPDX-License-Identifier: BSD-2-Clause */
/* "aodv:hello=off" to a table and its parameters. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "stack/mesh/routing.h"

static const char *name_of(const void *ctx, size_t i)
{
	return wt_routings[i] ? wt_routings[i]->name : NULL;
}

static int unknown(const char *word, char *err, size_t err_len)
{
	const char *near = wt_nearest_word(word, name_of, NULL);
	char known[200] = "";
	size_t used = 0;

	for (size_t i = 0; wt_routings[i] && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", wt_routings[i]->name);
	if (err && err_len)
		snprintf(err, err_len, "no routing module '%.40s'; %s%s%sknown: %s", word, near ? "did you mean '" : "", near ? near : "",
			 near ? "'? " : "", known);
	return -EINVAL;
}

int wt_routing_choose(const char *text, struct wt_routing_choice *choice, char *err, size_t err_len)
{
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : strlen(text);
	const struct wt_routing_ops *ops;
	char word[64], why[500];

	snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word) - 1), text);
	*choice = (struct wt_routing_choice){0};
	for (size_t i = 0; wt_routings[i]; i++)
		if (!strcmp(wt_routings[i]->name, word))
			choice->ops = wt_routings[i];
	ops = choice->ops;
	if (!ops)
		return unknown(word, err, err_len);
	if (ops->params_size)
		memcpy(choice->params, ops->params_default, ops->params_size);
	if (!colon || !wt_param_set_list(ops->params, ops->param_count, choice->params, colon + 1, why, sizeof(why)))
		return 0;
	if (err && err_len)
		snprintf(err, err_len, "module '%s': %s", ops->name, why);
	return -EINVAL;
}
