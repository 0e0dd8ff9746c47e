/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/words/tcp_words.h"

#include "tools/modules/load.h"

int wt_tcp_words_apply(const struct wt_tcp_words *words, struct wt_tcp_config *config, char *err, size_t err_len)
{
	const char *profile = words->profile ? words->profile : words->preset;
	int error = 0;

	if (words->preset)
		error = wt_tcp_config_preset(config, words->preset, err, err_len);
	if (!error && words->settings)
		error = wt_param_set_list(wt_tcp_params, wt_tcp_param_count, &config->settings, words->settings, err, err_len);
	if (!error && words->sender)
		error = wt_cc_choose_sender(profile, words->sender, &config->sender, err, err_len);
	if (words->sender && !words->recovery)
		config->recovery.ops = NULL; /* a sender asked for by name brings its own */
	if (!error && words->recovery)
		error = wt_cc_choose_recovery(profile, words->recovery, &config->recovery, err, err_len);
	if (!error && words->receiver)
		error = wt_cc_choose_receiver(profile, words->receiver, &config->receiver, err, err_len);
	return error;
}
