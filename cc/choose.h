/* SPDX-License-Identifier: BSD-2-Clause */
/* The registry of congestion modules, and a module chosen from it by words. Modules themselves need cc/cc.h alone. */
#ifndef WT_CC_CHOOSE_H
#define WT_CC_CHOOSE_H

#include "cc/cc.h"

/* NULL-terminated, in the order of cc/meson.build. */
extern const struct wt_sender_ops *const wt_senders[];
extern const struct wt_recovery_ops *const wt_recoveries[];
extern const struct wt_receiver_ops *const wt_receivers[];
extern const size_t wt_sender_count, wt_recovery_count, wt_receiver_count; /* without the NULL */

/* A module chosen by "name" or "name:param=value,param=value", parameters parsed and stored. */
struct wt_sender_choice {
	const struct wt_sender_ops *ops;
	_Alignas(16) uint8_t params[WT_CC_PARAMS_MAX];
};

struct wt_recovery_choice {
	const struct wt_recovery_ops *ops;
	_Alignas(16) uint8_t params[WT_CC_PARAMS_MAX];
};

struct wt_receiver_choice {
	const struct wt_receiver_ops *ops;
	_Alignas(16) uint8_t params[WT_CC_PARAMS_MAX];
};

/* Each: 0, or -EINVAL with one sentence in err ("no sender module 'rno'; did you mean 'reno'? known: ..."). */
int wt_sender_choose(const char *text, struct wt_sender_choice *choice, char *err, size_t err_len);
int wt_recovery_choose(const char *text, struct wt_recovery_choice *choice, char *err, size_t err_len);
int wt_receiver_choose(const char *text, struct wt_receiver_choice *choice, char *err, size_t err_len);
/* The same; a module that has a profile of the name `profile` starts from it, unless the text names another one. */
int wt_sender_choose_in(const char *profile, const char *text, struct wt_sender_choice *choice, char *err, size_t err_len);
int wt_recovery_choose_in(const char *profile, const char *text, struct wt_recovery_choice *choice, char *err, size_t err_len);
int wt_receiver_choose_in(const char *profile, const char *text, struct wt_receiver_choice *choice, char *err, size_t err_len);
/* The sender's profile: the word of its parameter of that name; NULL: it has none. */
const char *wt_sender_profile(const struct wt_sender_choice *sender);
/*
 * The recovery module that goes with a sender, with the sender's profile if it knows one of that name. A sender that names none gets
 * `usual`, the one of the stack's preset. `profile`: where the sender has no profile, that of the stack's preset; or NULL.
 */
void wt_recovery_follow(const struct wt_sender_choice *sender, const char *usual, const char *profile, struct wt_recovery_choice *choice);

/*
 * The same for a table that is not in the registry: its parameters from `list` ("gain=1.25"; NULL: its defaults). The table stays
 * the caller's, and has to outlive the choice.
 */
int wt_sender_take(const struct wt_sender_ops *ops, const char *profile, const char *list, struct wt_sender_choice *choice, char *err,
		   size_t err_len);
int wt_recovery_take(const struct wt_recovery_ops *ops, const char *profile, const char *list, struct wt_recovery_choice *choice,
		     char *err, size_t err_len);
int wt_receiver_take(const struct wt_receiver_ops *ops, const char *profile, const char *list, struct wt_receiver_choice *choice,
		     char *err, size_t err_len);

#endif
