/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank doctor: what works on this machine, tried rather than guessed, and the one command that mends the rest. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stack/record/json.h"
#include "stack/port/port.h"
#include "tools/common/cli.h"
#include "tools/common/interfaces.h"
#include "tools/lab/space.h"

struct finding {
	const char *id, *name;
	bool ok;
	char text[160], fix[160]; /* fix empty: nothing to do */
};

/* Runs a probe in a child, because namespaces cannot be left again. 0 or negative errno. */
static int apart(int (*probe)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		alarm(10);
		_exit(-probe() & 0xff);
	}
	if (child < 0)
		return -errno;
	if (waitpid(child, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int probe_namespaces(void)
{
	bool rootless;

	return wt_space_unshare(CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS, &rootless);
}

static int probe_tap(void)
{
	int result = probe_namespaces();

	return result < 0 ? result : wt_space_probe_tap();
}

static int probe_packet(void)
{
	int result = probe_namespaces();

	if (result == 0)
		result = wt_net_veth("probe0", "probe1", getpid());
	if (result == 0)
		result = wt_offloads_off("probe0");
	if (result == 0)
		result = wt_net_up("probe0");
	return result < 0 ? result : wt_space_probe_packet();
}

static long read_number(const char *path)
{
	FILE *file = fopen(path, "re");
	long value = -1;

	if (file && fscanf(file, "%ld", &value) != 1)
		value = -1;
	if (file)
		fclose(file);
	return value;
}

static void check_namespaces(struct finding *finding)
{
	int result = apart(probe_namespaces);

	finding->ok = result == 0;
	if (finding->ok) {
		strcpy(finding->text, geteuid() == 0 ? "labs run as root" : "labs need no root");
		return;
	}
	snprintf(finding->text, sizeof(finding->text), "%s", strerror(-result));
	if (read_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
		strcpy(finding->fix, "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0");
	else if (read_number("/proc/sys/kernel/unprivileged_userns_clone") == 0)
		strcpy(finding->fix, "sudo sysctl kernel.unprivileged_userns_clone=1");
	else if (read_number("/proc/sys/user/max_user_namespaces") == 0)
		strcpy(finding->fix, "sudo sysctl user.max_user_namespaces=15000");
	else
		strcpy(finding->fix, "run as root, or outside this container");
}

static void check_tap(struct finding *finding)
{
	int result = apart(probe_tap);

	finding->ok = result == 0;
	snprintf(finding->text, sizeof(finding->text), "/dev/net/tun%s%s", finding->ok ? " opens inside a fresh namespace" : ": ",
		 finding->ok ? "" : strerror(-result));
	if (result == -ENOENT || result == -ENODEV || result == -ENXIO)
		strcpy(finding->fix, "sudo modprobe tun");
	else if (result == -EACCES)
		strcpy(finding->fix, "sudo chmod 0666 /dev/net/tun");
	else if (result < 0)
		strcpy(finding->fix, "use --backend packet");
}

static void check_packet(struct finding *finding)
{
	int result = apart(probe_packet);

	finding->ok = result == 0;
	snprintf(finding->text, sizeof(finding->text), "%s", finding->ok ? "offloads are switched off inside the lab" : strerror(-result));
	if (result == -EOPNOTSUPP)
		strcpy(finding->fix, "sudo modprobe veth");
	else if (result < 0)
		strcpy(finding->fix, "mend the namespaces first");
}

static void check_tshark(struct finding *finding)
{
	FILE *pipe = popen("tshark --version 2>/dev/null", "re");
	char line[120];

	finding->ok = pipe && fgets(line, sizeof(line), pipe) && strncmp(line, "TShark", 6) == 0;
	while (pipe && fgetc(pipe) != EOF)
		;
	if (pipe)
		pclose(pipe);
	if (finding->ok) {
		line[strcspn(line, "\n")] = 0;
		if (strchr(line, '(') && strchr(line, ')')) /* "TShark (Wireshark) 4.0.17 (Git ...)" */
			line[strcspn(line, ")") + 1 + strcspn(strchr(line, ')') + 1, "(")] = 0;
		snprintf(finding->text, sizeof(finding->text), "%.100sreads the captures", line);
	} else {
		strcpy(finding->text, "not installed; captures are written all the same");
		strcpy(finding->fix, "sudo apt install tshark");
	}
}

static void check_kernel(struct finding *finding)
{
	char line[120] = "", active[40] = "";
	FILE *file = fopen("/proc/sys/net/ipv4/tcp_available_congestion_control", "re");

	finding->ok = file && fgets(line, sizeof(line), file);
	if (file)
		fclose(file);
	file = fopen("/proc/sys/net/ipv4/tcp_congestion_control", "re");
	if (file && !fgets(active, sizeof(active), file))
		active[0] = 0;
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = active[strcspn(active, "\n")] = 0;
	snprintf(finding->text, sizeof(finding->text), "%.100s; labs inherit %.30s as default", *line ? line : "unknown",
		 *active ? active : "an unknown one");
}

enum { OPT_JSON };

static const struct wt_option options[] = {
	[OPT_JSON] = {'J', "json", NULL, "one JSON line"},
};

static void print_json(const struct finding *finding, size_t count)
{
	struct wt_json json;

	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.doctor.1");
	wt_json_array(&json, "findings");
	for (size_t i = 0; i < count; i++) {
		wt_json_object(&json, NULL);
		wt_json_string(&json, "id", finding[i].id);
		wt_json_bool(&json, "ok", finding[i].ok);
		wt_json_string(&json, "text", finding[i].text);
		wt_json_string(&json, "fix", *finding[i].fix ? finding[i].fix : NULL);
		wt_json_end(&json);
	}
	wt_json_end(&json);
	wt_json_end(&json);
}

static int doctor_run(int argc, char **argv)
{
	struct finding finding[] = {
		{"virtual", "virtual time", true, "always: one process, no privilege", ""},
		{"namespaces", "namespaces", false, "", ""},
		{"tap", "TAP", false, "", ""},
		{"packet", "AF_PACKET on veth", false, "", ""},
		{"tshark", "tshark", false, "", ""},
		{"kernel", "kernel TCP", false, "", ""},
	};
	const size_t count = sizeof(finding) / sizeof(finding[0]);
	const char *json = NULL;

	if (wt_args_read(argc, argv, &json, NULL, 0, "doctor takes only options"))
		return WT_EXIT_USAGE;
	check_namespaces(&finding[1]);
	check_tap(&finding[2]);
	check_packet(&finding[3]);
	check_tshark(&finding[4]);
	check_kernel(&finding[5]);
	if (json) {
		print_json(finding, count);
		return WT_EXIT_OK;
	}
	for (size_t i = 0; i < count; i++)
		printf("%s %-18s %s%s%s\n", finding[i].ok ? "\u2713" : "\u2717", finding[i].name, finding[i].text,
		       *finding[i].fix ? "  ->  " : "", finding[i].fix);
	printf("backend of lab up: %s\n", finding[2].ok ? "tap" : finding[3].ok ? "packet" : "none; sim and paper run need none");
	return WT_EXIT_OK;
}

const struct wt_command wt_command_doctor = {
	.name = "doctor",
	.arguments = "",
	.text = "report what works on this machine; how to mend the rest",
	.options = options,
	.option_count = 1,
	.run = doctor_run,
	.notes = "Exit code 0 as long as virtual time works, which it always does. Everything is tried in namespaces of its own.",
};
