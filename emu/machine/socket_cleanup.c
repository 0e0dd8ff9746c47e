/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/socket_cleanup.h"

#include <stdio.h>
#include <sys/socket.h>

#include "emu/machine/confine.h"
#include "emu/daemon/control.h"
#include "emu/machine/helper.h"

static void work(void *arg, int link)
{
	struct wt_control_file file;

	wt_confine(NULL, WT_KEEP(CAP_DAC_OVERRIDE)); /* the folder need not be root's */
	if (recv(link, &file, sizeof(file), MSG_WAITALL) != sizeof(file))
		return; /* there was no socket yet */
	wt_helper_heard(link);
	wt_control_remove(&file);
}

int wt_socket_cleanup_prepare(struct wt_socket_cleanup *cleanup, const struct wt_options *options, char *err, size_t err_len)
{
	int link;

	if (!options->control || !options->identity.changes)
		return 0;
	link = wt_helper_start(work, NULL);
	if (link < 0) {
		snprintf(err, err_len, "control socket: no helper process");
		return link;
	}
	cleanup->helper = link;
	return 0;
}

void wt_socket_cleanup_watch(const struct wt_socket_cleanup *cleanup, const struct wt_control *control)
{
	if (cleanup->helper)
		(void)!send(cleanup->helper, wt_control_file(control), sizeof(struct wt_control_file), MSG_NOSIGNAL);
}

void wt_socket_cleanup_finish(struct wt_socket_cleanup *cleanup)
{
	wt_helper_finish(cleanup->helper);
	cleanup->helper = 0;
}
