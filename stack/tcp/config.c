/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings and modules as connections chose them: a kilobyte, held once for all connections of a stack that chose the same. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stack/tcp/tcb.h"

struct wt_config_held {
	struct wt_tcp_config config; /* first */
	struct wt_config_held *next;
	uint32_t holders;
};

/* Two choices of one table: the tables have different types and the same form. */
#define SAME_CHOICE(a, b) ((a).ops == (b).ops && (!(a).ops || !memcmp((a).params, (b).params, (a).ops->params_size)))

/* Settings are numbers of eight bytes throughout, so nothing stands between them. */
static bool same(const struct wt_tcp_config *a, const struct wt_tcp_config *b)
{
	return !memcmp(&a->settings, &b->settings, sizeof(a->settings)) && a->preset == b->preset && SAME_CHOICE(a->sender, b->sender) &&
	       SAME_CHOICE(a->recovery, b->recovery) && SAME_CHOICE(a->receiver, b->receiver);
}

const struct wt_tcp_config *wt_config_hold(struct wt_tcp_stack *stack, const struct wt_tcp_config *wanted)
{
	struct wt_config_held *held = stack->configs;

	while (held && &held->config != wanted && !same(&held->config, wanted))
		held = held->next;
	if (!held) {
		if (!wt_chunks_charge(stack->chunks, sizeof(*held)))
			return NULL;
		held = malloc(sizeof(*held));
		if (!held) {
			wt_chunks_uncharge(stack->chunks, sizeof(*held));
			return NULL;
		}
		*held = (struct wt_config_held){.config = *wanted, .next = stack->configs};
		held->config.callback = NULL;
		held->config.arg = NULL;
		stack->configs = held;
	}
	held->holders++;
	return &held->config;
}

void wt_config_release(struct wt_tcp_stack *stack, const struct wt_tcp_config *config)
{
	struct wt_config_held **at = &stack->configs, *held;

	while (&(*at)->config != config)
		at = &(*at)->next;
	held = *at;
	if (--held->holders)
		return;
	*at = held->next;
	wt_chunks_uncharge(stack->chunks, sizeof(*held));
	free(held);
}

int wt_config_change(struct wt_tcp *tcp, const struct wt_tcp_config *wanted)
{
	const struct wt_tcp_config *held = wt_config_hold(tcp->stack, wanted);

	if (!held)
		return -ENOMEM;
	wt_config_release(tcp->stack, tcp->config);
	tcp->config = held;
	return 0;
}
