/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/modules/load.h"
#include "tools/script/runner/run.h"

void wt_script_options_init(struct wt_script_options *options)
{
	memset(options, 0, sizeof(*options));
	options->local = wt_addr_ipv4(192, 168, 0, 1);
	options->remote = wt_addr_ipv4(192, 0, 2, 1);
	options->bind_port = options->connect_port = 8080;
	options->remote_port = 40000;
	options->mtu = 1500;
	options->secret = 1;
	options->max_connections = 64;
	wt_tcp_config_init(&options->tcp);
	/* a script names its module, or shows what the engine does: by the plainest one, whatever a preset means today */
	wt_sender_choose("newreno", &options->tcp.sender, NULL, 0);
	wt_recovery_choose("sack", &options->tcp.recovery, NULL, 0);
}

static int set_number(const char *value, uint64_t max, uint64_t *out, char *error, size_t error_len)
{
	if (wt_parse_count(value, out, error, error_len))
		return -EINVAL;
	if (*out <= max)
		return 0;
	snprintf(error, error_len, "'%s' is larger than %llu", value, (unsigned long long)max);
	return -EINVAL;
}

static int set_mtu(const char *value, uint64_t *mtu, char *error, size_t error_len)
{
	if (set_number(value, 1500, mtu, error, error_len))
		return -EINVAL;
	if (*mtu >= WT_HOST_MTU_MIN)
		return 0;
	snprintf(error, error_len, "an MTU of '%s' is below %d", value, WT_HOST_MTU_MIN);
	return -EINVAL;
}

static int set_port(const char *value, uint16_t *port, char *error, size_t error_len)
{
	uint64_t number;

	if (set_number(value, 65535, &number, error, error_len))
		return -EINVAL;
	*port = (uint16_t)number;
	return 0;
}

static int set_address(const char *value, struct wt_addr *addr, char *error, size_t error_len)
{
	if (wt_addr_parse(value, addr) && addr->family == WT_FAMILY_IPV4)
		return 0;
	snprintf(error, error_len, "'%s' is not an IPv4 address", value);
	return -EINVAL;
}

static int set_usecs(const char *value, wt_time *time, char *error, size_t error_len)
{
	uint64_t number;

	if (set_number(value, 1000000000u, &number, error, error_len))
		return -EINVAL;
	*time = (wt_time)number * WT_US;
	return 0;
}

/* Choices of the stack; 1: not one of them. */
static int set_stack(struct wt_script_options *options, const char *name, const char *value, char *error, size_t error_len)
{
	struct wt_tcp_config *tcp = &options->tcp;

	if (!strcmp(name, "preset")) {
		snprintf(options->preset, sizeof(options->preset), "%s", value);
		return wt_tcp_preset(value, &tcp->settings, error, error_len);
	}
	if (!strcmp(name, "stack"))
		return wt_param_set_list(wt_tcp_params, wt_tcp_param_count, &tcp->settings, value, error, error_len);
	if (!strcmp(name, "C") || !strcmp(name, "congestion"))
		return wt_cc_choose_sender(options->preset, value, &tcp->sender, error, error_len);
	if (!strcmp(name, "recovery"))
		return wt_cc_choose_recovery(options->preset, value, &tcp->recovery, error, error_len);
	if (!strcmp(name, "rcc") || !strcmp(name, "receiver"))
		return wt_cc_choose_receiver(options->preset, value, &tcp->receiver, error, error_len);
	return 1;
}

unsigned wt_script_with(const char *words, char *error, size_t error_len)
{
	static const char *const names[] = {"timestamps", "sack", "window_scaling", "merge"};
	unsigned bits = 0;

	while (*words) {
		size_t len = strcspn(words, ",:"), i;

		for (i = 0; i < 4 && (strlen(names[i]) != len || memcmp(names[i], words, len)); i++)
			;
		if (i == 4) {
			snprintf(error, error_len, "'%.*s': expected timestamps, sack, window_scaling or merge", (int)len, words);
			return 0;
		}
		bits |= 1u << i;
		words += len;
		if (*words != ',')
			break;
		words++;
	}
	if (!bits)
		snprintf(error, error_len, "expected some of timestamps, sack, window_scaling, merge");
	return bits;
}

/* "sack: why not" */
static int set_without(struct wt_script_options *options, const char *value, char *error, size_t error_len)
{
	size_t used = strlen(options->why), words = strcspn(value, ":");
	unsigned bits = wt_script_with(value, error, error_len);

	if (!bits)
		return -EINVAL;
	if (!value[words] || strspn(value + words, ": ") == strlen(value + words)) {
		snprintf(error, error_len, "'%s' gives no reason (\"sack: why not\")", value);
		return -EINVAL;
	}
	options->without |= bits;
	snprintf(options->why + used, sizeof(options->why) - used, "%s%s", used ? "; " : "", value);
	return 0;
}

/* The host; 1: not one of them. */
static int set_host(struct wt_script_options *options, const char *name, const char *value, char *error, size_t error_len)
{
	if (!strcmp(name, "mtu"))
		return set_mtu(value, &options->mtu, error, error_len);
	if (!strcmp(name, "secret"))
		return set_number(value, UINT64_MAX, &options->secret, error, error_len);
	if (!strcmp(name, "max_connections"))
		return set_number(value, 4096, &options->max_connections, error, error_len);
	if (!strcmp(name, "max_half_open"))
		return set_number(value, 4096, &options->max_half_open, error, error_len);
	if (!strcmp(name, "max_time_wait"))
		return set_number(value, 4096, &options->max_time_wait, error, error_len);
	return 1;
}

int wt_script_options_set(struct wt_script_options *options, const char *name, const char *value, char *error,
			  size_t error_len)
{
	uint64_t number;
	int status;

	if (!strcmp(name, "strict_segments")) {
		options->strict_segments = true;
		return 0;
	}
	if (!strcmp(name, "loose_order")) {
		options->loose_order = true;
		return 0;
	}
	if (!value) {
		snprintf(error, error_len, "--%s needs a value", name);
		return -EINVAL;
	}
	if (!strcmp(name, "without"))
		return set_without(options, value, error, error_len);
	status = set_stack(options, name, value, error, error_len);
	if (status <= 0)
		return status;
	if (!strcmp(name, "tolerance"))
		return wt_parse_time(value, &options->tolerance, error, error_len);
	if (!strcmp(name, "tolerance_usecs"))
		return set_usecs(value, &options->tolerance, error, error_len);
	if (!strcmp(name, "tcp_ts_tick_usecs")) { /* 0, as in packetdrill: do not look */
		if (set_number(value, 1000000, &number, error, error_len))
			return -EINVAL;
		options->ignore_timestamps = number == 0;
		return 0;
	}
	if (!strcmp(name, "remote_isn")) {
		if (set_number(value, UINT32_MAX, &number, error, error_len))
			return -EINVAL;
		options->remote_isn = (uint32_t)number;
		return 0;
	}
	if (!strcmp(name, "local_isn")) {
		if (set_number(value, UINT32_MAX, &number, error, error_len))
			return -EINVAL;
		options->has_local_isn = true;
		options->local_isn = (uint32_t)number;
		return 0;
	}
	if (!strcmp(name, "local_ip"))
		return set_address(value, &options->local, error, error_len);
	if (!strcmp(name, "remote_ip"))
		return set_address(value, &options->remote, error, error_len);
	if (!strcmp(name, "bind_port"))
		return set_port(value, &options->bind_port, error, error_len);
	if (!strcmp(name, "connect_port"))
		return set_port(value, &options->connect_port, error, error_len);
	if (!strcmp(name, "remote_port"))
		return set_port(value, &options->remote_port, error, error_len);
	status = set_host(options, name, value, error, error_len);
	if (status <= 0)
		return status;
	if (!strcmp(name, "ip_version") && !strcmp(value, "ipv4"))
		return 0;
	snprintf(error, error_len, "unknown option --%s=%s (preset, stack, C, recovery, rcc, tolerance, remote_isn, local_isn, "
		 "strict_segments, loose_order, without, local_ip, remote_ip, bind_port, connect_port, remote_port, mtu, secret, max_connections, "
		 "max_half_open, max_time_wait, "
		 "tolerance_usecs, tcp_ts_tick_usecs)", name, value);
	return -EINVAL;
}
