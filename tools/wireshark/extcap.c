/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavetank wireshark extcap: what Wireshark calls to learn of interfaces and to capture from one (doc/extcap.4 of Wireshark). Each point of
 * each lab that is up is an interface, and so are the lab's drops.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/emu/control.h"
#include "tools/version.h"

#define PREFIX "wavetank-"

/* --extcap-version says Wireshark's own version, which is no matter of ours. */
enum { OPT_INTERFACES, OPT_VERSION, OPT_INTERFACE, OPT_DLTS, OPT_CONFIG, OPT_CAPTURE, OPT_FIFO, OPT_FILTER };

static const struct wt_option options[] = {
	[OPT_INTERFACES] = {0, "extcap-interfaces", NULL, "list the points of all labs that are up"},
	[OPT_VERSION] = {0, "extcap-version", "VERSION", "the version of Wireshark that asks"},
	[OPT_INTERFACE] = {0, "extcap-interface", "NAME", "the point that is meant, as --extcap-interfaces names it"},
	[OPT_DLTS] = {0, "extcap-dlts", NULL, "say the type of frames at the point: Ethernet"},
	[OPT_CONFIG] = {0, "extcap-config", NULL, "say the point's settings: it has none"},
	[OPT_CAPTURE] = {0, "capture", NULL, "capture at the point, until a signal, the end of the lab, or nobody reads"},
	[OPT_FIFO] = {0, "fifo", "FILE", "where the capture goes"},
	[OPT_FILTER] = {0, "extcap-capture-filter", "WORDS", "capture what these words of pcap-filter(7) match"},
};

struct request {
	int what; /* one of the options that ask for something, or -1 */
	const char *interface, *fifo, *filter;
};

/* A lab's point by the interface's name, filled in as labs are looked through. */
struct search {
	const char *interface; /* NULL: all are printed */
	char lab[WT_LAB_NAME], point[16];
};

static void see_point(struct search *search, const struct wt_lab *lab, const char *point, const char *shown)
{
	char name[80];

	snprintf(name, sizeof(name), PREFIX "%s-%s", lab->name, point);
	if (!search->interface) {
		printf("interface {value=%s}{display=Wavetank lab %s: %s}\n", name, lab->name, shown);
	} else if (!strcmp(name, search->interface)) {
		snprintf(search->lab, sizeof(search->lab), "%s", lab->name);
		snprintf(search->point, sizeof(search->point), "%s", point);
	}
}

static void see_lab(void *arg, const struct wt_lab *lab)
{
	for (unsigned i = 0; i < lab->hosts; i++)
		see_point(arg, lab, lab->host[i].name, lab->host[i].name);
	see_point(arg, lab, "drops", "drops, with their causes");
}

static int look(struct search *search)
{
	char err[200];
	int lock = wt_labs_lock(err, sizeof(err));

	if (lock < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	wt_labs_scan(see_lab, search);
	close(lock);
	return WT_EXIT_OK;
}

static int list_interfaces(void)
{
	struct search all = {0};

	printf("extcap {version=%s}{display=Wavetank}\n", WT_VERSION);
	return look(&all);
}

/* The interface may be one of a lab that has gone since: its frames are Ethernet all the same. */
static int say_dlts(const struct request *request)
{
	if (!request->interface || strncmp(request->interface, PREFIX, strlen(PREFIX)))
		return wt_fail(WT_EXIT_USAGE, "--extcap-dlts needs --extcap-interface " PREFIX "LAB-POINT");
	puts("dlt {number=1}{name=EN10MB}{display=Ethernet}");
	return WT_EXIT_OK;
}

static int capture(const struct request *request)
{
	struct search search = {.interface = request->interface};
	char control[WT_LAB_PATH];
	bool found;
	int code;

	if (!request->interface || !request->fifo)
		return wt_fail(WT_EXIT_USAGE, "--capture needs --extcap-interface and --fifo");
	code = look(&search);
	if (code)
		return code;
	if (!*search.lab)
		return wt_fail(WT_EXIT_USAGE, "no running lab has a point '%.60s'; wavetank lab status lists the labs", request->interface);
	code = wt_emu_lab(search.lab, strlen(search.lab), control, &found);
	if (code || !found)
		return code ? code : wt_fail(WT_EXIT_USAGE, "lab '%s' has just ended", search.lab);
	return wt_emu_capture(control, search.point, request->filter, request->fifo);
}

static int extcap_run(int argc, char **argv)
{
	struct request request = {.what = -1};
	struct wt_args args;
	int option;

	wt_args_init(&args, wt_current_command, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == WT_ARGS_WORD)
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s'", args.value);
		if (option == OPT_INTERFACE)
			request.interface = args.value;
		else if (option == OPT_FIFO)
			request.fifo = args.value;
		else if (option == OPT_FILTER)
			request.filter = args.value;
		else if (option != OPT_VERSION)
			request.what = option;
	}
	switch (request.what) {
	case OPT_INTERFACES: return list_interfaces();
	case OPT_DLTS: return say_dlts(&request);
	case OPT_CONFIG: return WT_EXIT_OK;
	case OPT_CAPTURE: return capture(&request);
	}
	return wt_fail(WT_EXIT_USAGE, "Wireshark calls this command, once 'wavetank wireshark install' has registered it");
}

const struct wt_command wt_command_wireshark_extcap = {
	.name = "wireshark extcap",
	.arguments = "",
	.text = "list the points of labs and capture at one: Wireshark calls this",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = extcap_run,
};
