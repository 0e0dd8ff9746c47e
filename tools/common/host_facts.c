/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/host_facts.h"

#include <string.h>
#include <sys/utsname.h>

#include "tools/common/jobs.h"

/* The value of "name : value" in /proc/cpuinfo, or the first line of a file (name NULL); "" if there is none. */
static void read_line(const char *path, const char *name, char *out, size_t len)
{
	FILE *file = fopen(path, "re");
	char line[300];

	*out = '\0';
	while (file && !*out && fgets(line, sizeof(line), file)) {
		const char *value = line;

		line[strcspn(line, "\n")] = '\0';
		if (name) {
			if (strncmp(line, name, strlen(name)) || !strchr(line, ':'))
				continue;
			value = strchr(line, ':') + 1;
		}
		value += strspn(value, " \t");
		snprintf(out, len, "%s", value);
		if (!name)
			break;
	}
	if (file)
		fclose(file);
}

void wt_host_cpu(char *out, size_t len)
{
	read_line("/proc/cpuinfo", "model name", out, len);
}

void wt_host_facts(struct wt_json *json, const char *key)
{
	struct utsname name;
	char text[160], cpu[128], governor[40];

	wt_host_cpu(cpu, sizeof(cpu));
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL, governor, sizeof(governor));
	wt_json_object(json, key);
	if (uname(&name) == 0) {
		snprintf(text, sizeof(text), "%.60s %.90s", name.sysname, name.release);
		wt_json_string(json, "kernel", text);
		wt_json_string(json, "machine", name.machine);
	}
	wt_json_string(json, "cpu", *cpu ? cpu : NULL);
	wt_json_u64(json, "cores", wt_cores());
	wt_json_string(json, "governor", *governor ? governor : NULL);
	wt_json_end(json);
}
