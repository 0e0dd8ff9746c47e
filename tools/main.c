/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>

#include "tools/common/cli.h"

/*
 * A standard descriptor that is closed would be that of the next file or device we open, and what is meant for people would go there. Of
 * standard output nothing is lost in silence: writing to it fails, as to one that is closed.
 */
static void occupy_closed_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) < 0)
			return;
}

int main(int argc, char **argv)
{
	occupy_closed_descriptors();
	return wt_cli_main(argc, argv);
}
