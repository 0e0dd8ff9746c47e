/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input is a packet script. Claims: it is read or refused with a sentence; what is read runs to an end, passed or
 * with a sentence; whatever it does, the host's books balance, it rests, and no frame is lost.
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tools/script/language/packet.h"
#include "tools/script/runner/run.h"

#define LONGEST (600 * WT_S)

/* A mutated number may ask for years or gigabytes; those say nothing new. */
static bool small(const struct wt_script *script)
{
	wt_time sum = 0;

	for (unsigned i = 0; i < script->setting_count; i++)
		if (script->settings[i].value && strstr(script->settings[i].value, "buffer"))
			return false;
	for (unsigned i = 0; i < script->event_count; i++) {
		sum = wt_time_add(sum, script->events[i].to);
		if (script->events[i].call.count > 2 && script->events[i].call.arguments[2].number > 1 << 20)
			return false;
	}
	return sum < LONGEST && script->event_count < 500;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_script_options options;
	struct wt_script_report report;
	struct wt_script script;
	char error[WT_SCRIPT_ERROR];

	if (wt_script_parse(&script, "fuzz.pkt", (const char *)data, size, error)) {
		CLAIM(error[0]);
	} else if (small(&script)) {
		bool passed;

		wt_script_options_init(&options);
		passed = wt_script_run(&script, &options, NULL, &report);
		CLAIM(passed == !report.text[0]);
		CLAIM(!strstr(report.text, "do not add up"));
		CLAIM(!strstr(report.text, "never rests"));
		CLAIM(!strstr(report.text, "the host lost"));
		CLAIM(!strstr(report.text, "the stack sent")); /* a broken packet */
		if (passed) { /* what comes as a burst is answered as what comes one by one */
			options.with = WT_SX_MERGE;
			CLAIM(wt_script_run(&script, &options, NULL, &report));
		}
	}
	wt_script_finish(&script);
	return 0;
}
