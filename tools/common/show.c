/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/show.h"

#include <stdio.h>
#include <string.h>

static const char *show(double value, const char *const units[4], char text[24])
{
	unsigned i = 0;

	while (i < 3 && value >= 1000) {
		value /= 1000;
		i++;
	}
	snprintf(text, 24, value < 10 && i ? "%.2f %s" : value < 100 && i ? "%.1f %s" : "%.0f %s", value, units[i]);
	return text;
}

const char *wt_show_bytes(double bytes, char text[24])
{
	return show(bytes, (const char *const[]){"B", "KB", "MB", "GB"}, text);
}

const char *wt_show_rate(double bit_per_s, char text[24])
{
	return show(bit_per_s, (const char *const[]){"bit/s", "Kbit/s", "Mbit/s", "Gbit/s"}, text);
}

const char *wt_show_time(wt_time time, char text[24])
{
	if (time <= 0)
		return strcpy(text, "-");
	return show((double)time, (const char *const[]){"ns", "us", "ms", "s"}, text);
}
