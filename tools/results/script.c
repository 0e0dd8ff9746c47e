/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/results/script.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/python.h"

FILE *wt_report_request(void)
{
	return tmpfile();
}

int wt_report_script(FILE *request)
{
	const char *const words[] = {wt_current_command->name, wt_quiet ? "--quiet" : NULL, NULL}; /* the name is for messages */
	int code;

	if (fflush(request) || ferror(request) || fseek(request, 0, SEEK_SET)) {
		fclose(request);
		return wt_fail(WT_EXIT_ENVIRONMENT, "temporary file: %s", strerror(errno));
	}
	code = wt_python_run("report", "report.py", "python3-matplotlib", fileno(request), words);
	fclose(request);
	return code;
}
