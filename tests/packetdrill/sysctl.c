/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts set sysctls in their namespace; a new socket takes from there what the engine has a setting for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"

/* The words of a file below /proc/sys/net/ipv4; how many, at most 3. */
static int words_of(const char *name, char word[3][64])
{
	char path[128];
	FILE *file;
	int count;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/%s", name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	count = fscanf(file, "%63s %63s %63s", word[0], word[1], word[2]);
	fclose(file);
	return count < 0 ? 0 : count;
}

/* The number at place `at`, or `otherwise`. */
static uint64_t number_of(const char *name, int at, uint64_t otherwise)
{
	char word[3][64];

	return words_of(name, word) > at ? strtoull(word[at], NULL, 10) : otherwise;
}

/* Linux has one recovery for all senders, and its "reno" is RFC 6582's sender: ours of that name is the one of 1990. */
static void choose_modules(struct wt_tcp_config *config)
{
	bool tlp = number_of("tcp_early_retrans", 0, 3) != 0, rack = (number_of("tcp_recovery", 0, 1) & 1) != 0;
	char word[3][64], err[256], text[128];
	const char *sender = "cubic";

	if (words_of("tcp_congestion_control", word) && strcmp(word[0], "cubic"))
		sender = !strcmp(word[0], "reno") ? "newreno" : word[0];
	snprintf(text, sizeof(text), "rack:tlp=%s,frto=%s", tlp ? "on" : "off", number_of("tcp_frto", 0, 2) ? "on" : "off");
	if (wt_sender_choose(sender, &config->sender, err, sizeof(err)) ||
	    wt_recovery_choose(rack ? text : "sack", &config->recovery, err, sizeof(err))) {
		fprintf(stderr, "packetdrill adapter: %s\n", err);
		exit(2);
	}
}

static void read_sysctls(struct wt_tcp_config *config)
{
	struct wt_tcp_settings *settings = &config->settings;
	uint64_t ecn = number_of("tcp_ecn", 0, 2);

	settings->timestamps = number_of("tcp_timestamps", 0, 1) != 0;
	settings->sack = number_of("tcp_sack", 0, 1) != 0;
	settings->window_scaling = number_of("tcp_window_scaling", 0, 1) != 0;
	settings->ecn = ecn == 0 ? WT_ECN_SETTING_OFF : ecn == 1 ? WT_ECN_SETTING_ON : WT_ECN_SETTING_PASSIVE;
	settings->dupthresh = number_of("tcp_reordering", 0, 3);
	settings->syn_retries = number_of("tcp_syn_retries", 0, 6);
	settings->data_retries = number_of("tcp_retries2", 0, 15);
	settings->fin_wait_2 = (wt_time)number_of("tcp_fin_timeout", 0, 60) * WT_S;
	settings->keepalive_interval = (wt_time)number_of("tcp_keepalive_intvl", 0, 75) * WT_S;
	settings->keepalive_probes = number_of("tcp_keepalive_probes", 0, 9);
	settings->rcv_buffer = number_of("tcp_rmem", 2, 4 << 20);
	settings->snd_buffer = number_of("tcp_wmem", 2, 4 << 20);
	choose_modules(config);
}

void pd_configure(struct wt_tcp_config *config)
{
	char err[256];

	wt_tcp_config_init(config);
	if (!pd.no_sysctls)
		read_sysctls(config);
	for (unsigned i = 0; i < pd.sets && i < PD_SETS; i++)
		if (wt_param_set_list(wt_tcp_params, wt_tcp_param_count, &config->settings, pd.set[i], err, sizeof(err))) {
			fprintf(stderr, "packetdrill adapter: %s\n", err);
			exit(2);
		}
}
