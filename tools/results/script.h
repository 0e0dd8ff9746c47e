/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of reports that is Python (tools/report): figures by matplotlib, pages. It reads one JSON request and result files. */
#ifndef WT_TOOLS_RESULTS_SCRIPT_H
#define WT_TOOLS_RESULTS_SCRIPT_H

#include <stdio.h>

/* A file for the request, read by the script as its standard input. NULL with errno. */
FILE *wt_report_request(void);
/*
 * Runs the script on the request and closes it. The script is that of $WAVETANK_DATA/report, else of the build or the
 * installation this program belongs to. enum wt_exit; one line is said if Python, the script or matplotlib is not there.
 */
int wt_report_script(FILE *request);

#endif
