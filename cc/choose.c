/* SPDX-License-Identifier: BSD-2-Clause */
/* "name" or "name:param=value,..." to a table and a filled parameter struct. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cc/choose.h"

/* What the three kinds of table have in common. */
struct module {
	const char *name;
	const struct wt_param *params;
	size_t param_count, params_size;
	const void *params_default;
	const struct wt_cc_preset *presets;
};

#define MODULE_OF(ops)                                                                             \
	((struct module){(ops)->name, (ops)->params, (ops)->param_count, (ops)->params_size,       \
			 (ops)->params_default, (ops)->presets})

typedef const char *(*next_name)(const void *ctx, size_t i);

static const char *sender_name(const void *ctx, size_t i)
{
	return wt_senders[i] ? wt_senders[i]->name : NULL;
}

static const char *recovery_name(const void *ctx, size_t i)
{
	return wt_recoveries[i] ? wt_recoveries[i]->name : NULL;
}

static const char *receiver_name(const void *ctx, size_t i)
{
	return wt_receivers[i] ? wt_receivers[i]->name : NULL;
}

static int unknown(const char *table, const char *word, next_name next, char *err, size_t err_len)
{
	char known[256] = "";
	const char *near = wt_nearest_word(word, next, NULL);
	size_t used = 0;

	for (size_t i = 0; next(NULL, i) && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
					 next(NULL, i));
	if (err && err_len)
		snprintf(err, err_len, "no %s module '%.40s'; %s%s%sknown: %s", table, word,
			 near ? "did you mean '" : "", near ? near : "", near ? "'? " : "", known);
	return -EINVAL;
}

/* Index of the module named before the colon, or -EINVAL. *list: what stands behind the colon, or NULL. */
static int find(const char *table, const char *text, next_name next, const char **list, char *err,
		size_t err_len)
{
	char word[64];
	const char *colon;
	size_t len;

	text = text ? text : "";
	colon = strchr(text, ':');
	len = colon ? (size_t)(colon - text) : strlen(text);
	len = len < sizeof(word) ? len : sizeof(word) - 1;
	memcpy(word, text, len);
	word[len] = 0;
	*list = colon ? colon + 1 : NULL;
	for (int i = 0; next(NULL, (size_t)i); i++)
		if (!strcmp(next(NULL, (size_t)i), word))
			return i;
	return unknown(table, word, next, err, err_len);
}

static const void *preset_named(const struct wt_cc_preset *presets, const char *name)
{
	for (const struct wt_cc_preset *p = presets; name && p && p->name; p++)
		if (!strcmp(p->name, name))
			return p->params;
	return NULL;
}

/* The preset that "profile=NAME" in the list names, else `profile`. A name that is none is left to wt_param_set_list to refuse. */
static const void *preset(const struct module *module, const char *list, const char *profile)
{
	static const char key[] = "profile=";
	const void *found = preset_named(module->presets, profile);

	for (const char *item = list; item; item = strchr(item, ',')) {
		item += *item == ',';
		if (strncmp(item, key, sizeof(key) - 1))
			continue;
		for (const struct wt_cc_preset *p = module->presets; p && p->name; p++) {
			const char *value = item + sizeof(key) - 1;
			size_t len = strlen(p->name);

			if (!strncmp(value, p->name, len) && (!value[len] || value[len] == ','))
				found = p->params;
		}
	}
	return found;
}

static int fill(const struct module *module, const char *list, const char *profile, uint8_t *params, char *err,
		size_t err_len)
{
	const void *start = preset(module, list, profile);
	char why[600];

	if (!start)
		start = module->params_default;
	memset(params, 0, WT_CC_PARAMS_MAX);
	if (start)
		memcpy(params, start, module->params_size);
	if (!list || !*list || !wt_param_set_list(module->params, module->param_count, params, list, why, sizeof(why)))
		return 0;
	if (err && err_len)
		snprintf(err, err_len, "module '%s': %s", module->name, why);
	return -EINVAL;
}

int wt_sender_choose(const char *text, struct wt_sender_choice *choice, char *err, size_t err_len)
{
	return wt_sender_choose_in(NULL, text, choice, err, err_len);
}

int wt_sender_choose_in(const char *profile, const char *text, struct wt_sender_choice *choice, char *err, size_t err_len)
{
	const char *list;
	int i = find("sender", text, sender_name, &list, err, err_len);

	return i < 0 ? i : wt_sender_take(wt_senders[i], profile, list, choice, err, err_len);
}

int wt_sender_take(const struct wt_sender_ops *ops, const char *profile, const char *list, struct wt_sender_choice *choice, char *err,
		   size_t err_len)
{
	choice->ops = ops;
	return fill(&MODULE_OF(ops), list, profile, choice->params, err, err_len);
}

int wt_recovery_choose(const char *text, struct wt_recovery_choice *choice, char *err, size_t err_len)
{
	return wt_recovery_choose_in(NULL, text, choice, err, err_len);
}

int wt_recovery_choose_in(const char *profile, const char *text, struct wt_recovery_choice *choice, char *err, size_t err_len)
{
	const char *list;
	int i = find("recovery", text, recovery_name, &list, err, err_len);

	return i < 0 ? i : wt_recovery_take(wt_recoveries[i], profile, list, choice, err, err_len);
}

int wt_recovery_take(const struct wt_recovery_ops *ops, const char *profile, const char *list, struct wt_recovery_choice *choice, char *err,
		     size_t err_len)
{
	choice->ops = ops;
	return fill(&MODULE_OF(ops), list, profile, choice->params, err, err_len);
}

int wt_receiver_choose(const char *text, struct wt_receiver_choice *choice, char *err, size_t err_len)
{
	return wt_receiver_choose_in(NULL, text, choice, err, err_len);
}

int wt_receiver_choose_in(const char *profile, const char *text, struct wt_receiver_choice *choice, char *err, size_t err_len)
{
	const char *list;
	int i = find("receiver", text, receiver_name, &list, err, err_len);

	return i < 0 ? i : wt_receiver_take(wt_receivers[i], profile, list, choice, err, err_len);
}

int wt_receiver_take(const struct wt_receiver_ops *ops, const char *profile, const char *list, struct wt_receiver_choice *choice, char *err,
		     size_t err_len)
{
	choice->ops = ops;
	return fill(&MODULE_OF(ops), list, profile, choice->params, err, err_len);
}

const char *wt_sender_profile(const struct wt_sender_choice *sender)
{
	uint64_t word;

	for (size_t i = 0; sender->ops->presets && i < sender->ops->param_count; i++) {
		const struct wt_param *param = &sender->ops->params[i];

		if (strcmp(param->name, "profile") || param->type != WT_PARAM_WORD)
			continue;
		memcpy(&word, sender->params + param->offset, sizeof(word));
		return param->words[word];
	}
	return NULL;
}

void wt_recovery_follow(const struct wt_sender_choice *sender, const char *usual, const char *profile, struct wt_recovery_choice *choice)
{
	const char *own = wt_sender_profile(sender), *name = sender->ops->default_recovery;
	const void *params;

	if (wt_recovery_choose(name ? name : usual, choice, NULL, 0))
		wt_recovery_choose(usual, choice, NULL, 0);
	params = preset_named(choice->ops->presets, own ? own : profile);
	if (params)
		memcpy(choice->params, params, choice->ops->params_size);
}
