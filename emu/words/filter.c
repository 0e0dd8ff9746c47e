/* SPDX-License-Identifier: BSD-2-Clause */
/* only (EXPRESSION) { WORDS }: where filters begin and end in the text of a path. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emu/words/words.h"

#define BLANKS " \t\n\r\v\f"

const char *wt_words_skip(const char *text)
{
	return text + strspn(text, BLANKS);
}

/* "only", and then an opening parenthesis. */
const char *wt_words_find_filter(const char *text)
{
	for (const char *at = text; *at; at++)
		if (!strncmp(at, "only", 4) && (at == text || isspace((unsigned char)at[-1]) || at[-1] == '|') && *wt_words_skip(at + 4) == '(')
			return at;
	return text + strlen(text);
}

/* What follows the closing partner of the bracket at `at`; NULL: there is none. */
static const char *partner(const char *at, char open, char close)
{
	unsigned depth = 0;

	for (; *at; at++) {
		if (*at == open)
			depth++;
		else if (*at == close && --depth == 0)
			return at + 1;
	}
	return NULL;
}

int wt_words_copy(char *to, size_t room, const char *from, const char *end, char *err, size_t err_len)
{
	while (end > from && isspace((unsigned char)end[-1]))
		end--;
	if ((size_t)(end - from) >= room) {
		snprintf(err, err_len, "\"%.40s...\" has more than %zu characters", from, room - 1);
		return -EINVAL;
	}
	memcpy(to, from, (size_t)(end - from));
	to[end - from] = 0;
	return 0;
}

int wt_words_filter(const char **text, struct wt_stage_plan *filter, char words[WT_READER_TEXT], const char **inside, char *err,
		    size_t err_len)
{
	const char *open = wt_words_skip(*text + 4), *close = partner(open, '(', ')'), *brace, *end;
	int error;

	brace = close ? wt_words_skip(close) : NULL;
	end = brace && *brace == '{' ? partner(brace, '{', '}') : NULL;
	if (!end) {
		snprintf(err, err_len, "\"%.40s\": expected only (EXPRESSION) { WORDS }", *text);
		return -EINVAL;
	}
	if (wt_words_skip(open + 1) == close - 1) { /* libpcap would take it for everything */
		snprintf(err, err_len, "\"only ()\": expected an expression, such as only (tcp dst port 80); what is for all packets needs no filter");
		return -EINVAL;
	}
	filter->kind = WT_STAGE_FILTER;
	error = wt_words_copy(filter->expression, sizeof(filter->expression), open + 1, close - 1, err, err_len);
	*inside = wt_words_skip(brace + 1);
	if (!error)
		error = wt_words_copy(words, WT_READER_TEXT, *inside, end - 1, err, err_len);
	*text = wt_words_skip(end);
	return error;
}
