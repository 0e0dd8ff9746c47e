/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/script/language/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/script/language/scan.h"

#define DEPTH_MAX 40
#define NOTES 400

/* One statement being evaluated; `notes` collects "name is value" of what it asked. */
struct evaluation {
	struct wt_scan scan;
	wt_expression_lookup *lookup;
	void *context;
	unsigned depth;
	char notes[NOTES];
};

typedef struct wt_expression_value value;

static bool parse_or(struct evaluation *ev, value *out);

static bool truth(const value *v)
{
	return v->is_text ? v->text[0] != 0 : v->number != 0;
}

static value from_bool(bool b)
{
	return (value){.number = b};
}

static bool need_number(struct evaluation *ev, const value *v)
{
	return !v->is_text || wt_scan_fail(&ev->scan, "'%s' is text, not a number", v->text);
}

static void note(struct evaluation *ev, const char *name, const value *v)
{
	size_t used = strlen(ev->notes);
	char begin[WT_SCAN_WORD + 8];

	snprintf(begin, sizeof(begin), "%s is ", name);
	if (strstr(ev->notes, begin))
		return;
	if (v->is_text)
		snprintf(ev->notes + used, NOTES - used, "%s%s'%s'", used ? ", " : "", begin, v->text);
	else
		snprintf(ev->notes + used, NOTES - used, "%s%s%.15g", used ? ", " : "", begin, v->number);
}

/* ---- primaries -------------------------------------------------------------------------------------------- */

static bool parse_literal(struct evaluation *ev, value *out)
{
	char text[40];
	size_t n = 0;
	uint64_t size;
	wt_time time;
	int used = 0;

	while (ev->scan.at + n < ev->scan.end && n < sizeof(text) - 1 &&
	       (isalnum((unsigned char)ev->scan.at[n]) || ev->scan.at[n] == '.')) {
		text[n] = ev->scan.at[n];
		n++;
	}
	text[n] = 0;
	ev->scan.at += n;
	memset(out, 0, sizeof(*out));
	if (sscanf(text, "%lf%n", &out->number, &used) == 1 && (size_t)used == n)
		return true;
	if (wt_parse_time(text, &time, NULL, 0) == 0) {
		out->number = (double)time;
		return true;
	}
	if (wt_parse_size(text, &size, NULL, 0) == 0) {
		out->number = (double)size;
		return true;
	}
	return wt_scan_fail(&ev->scan, "'%s' is not a number, a time or a size", text);
}

static bool parse_string(struct evaluation *ev, const char *quote, value *out)
{
	const char *start;
	size_t len;

	if (!wt_scan_until(&ev->scan, quote, &start, &len))
		return false;
	memset(out, 0, sizeof(*out));
	out->is_text = true;
	if (len >= sizeof(out->text))
		return wt_scan_fail(&ev->scan, "a string is too long");
	memcpy(out->text, start, len);
	return true;
}

/* min(a, b), max(a, b), abs(a) */
static bool parse_function(struct evaluation *ev, const char *name, value *out)
{
	value next;
	bool minimum = !strcmp(name, "min"), maximum = !strcmp(name, "max");

	if (!minimum && !maximum && strcmp(name, "abs"))
		return wt_scan_fail(&ev->scan, "unknown function '%s' (there are min, max, abs)", name);
	if (!parse_or(ev, out) || !need_number(ev, out))
		return false;
	if (!minimum && !maximum && out->number < 0)
		out->number = -out->number;
	while ((minimum || maximum) && wt_scan_is(&ev->scan, ",")) {
		if (!parse_or(ev, &next) || !need_number(ev, &next))
			return false;
		if (minimum ? next.number < out->number : next.number > out->number)
			*out = next;
	}
	return wt_scan_need(&ev->scan, ")");
}

static bool parse_name(struct evaluation *ev, const char *name, value *out)
{
	char error[200];

	if (wt_scan_is(&ev->scan, "("))
		return parse_function(ev, name, out);
	memset(out, 0, sizeof(*out));
	if (!strcmp(name, "True") || !strcmp(name, "true")) {
		out->number = 1;
		return true;
	}
	if (!strcmp(name, "False") || !strcmp(name, "false"))
		return true;
	if (!ev->lookup)
		return true;
	if (!ev->lookup(ev->context, name, out, error, sizeof(error)))
		return wt_scan_fail(&ev->scan, "%s", error);
	if (strcspn(name, "abcdefghijklmnopqrstuvwxyz") < strlen(name)) /* constants explain themselves */
		note(ev, name, out);
	return true;
}

static bool parse_primary(struct evaluation *ev, value *out)
{
	char word[WT_SCAN_WORD];
	char next = wt_scan_peek(&ev->scan);

	if (next && (isdigit((unsigned char)next) || next == '.'))
		return parse_literal(ev, out);
	if (wt_scan_is(&ev->scan, "'"))
		return parse_string(ev, "'", out);
	if (wt_scan_is(&ev->scan, "\""))
		return parse_string(ev, "\"", out);
	if (wt_scan_is(&ev->scan, "("))
		return parse_or(ev, out) && wt_scan_need(&ev->scan, ")");
	if (wt_scan_word(&ev->scan, word))
		return parse_name(ev, word, out);
	return wt_scan_expected(&ev->scan, "a number, a name or '('");
}

/* ---- operators, loosest last --------------------------------------------------------------------------------- */

static bool parse_unary(struct evaluation *ev, value *out)
{
	if (!wt_scan_is(&ev->scan, "-"))
		return parse_primary(ev, out);
	if (++ev->depth > DEPTH_MAX)
		return wt_scan_fail(&ev->scan, "nested too deeply");
	if (!parse_unary(ev, out) || !need_number(ev, out))
		return false;
	out->number = -out->number;
	ev->depth--;
	return true;
}

static bool apply(struct evaluation *ev, char op, value *left, const value *right)
{
	if (!need_number(ev, left) || !need_number(ev, right))
		return false;
	if ((op == '/' || op == '%') && right->number == 0) {
		if (!ev->lookup) /* names read as 0 while only the syntax is checked */
			return true;
		return wt_scan_fail(&ev->scan, "division by zero");
	}
	switch (op) {
	case '*':
		left->number *= right->number;
		break;
	case '/':
		left->number /= right->number;
		break;
	case '+':
		left->number += right->number;
		break;
	case '-':
		left->number -= right->number;
		break;
	default: /* % and & are for whole numbers */
		if (left->number < 0 || right->number < 0 || left->number > 9e15 || right->number > 9e15)
			return wt_scan_fail(&ev->scan, "'%c' needs whole numbers from 0", op);
		if (op == '&')
			left->number = (double)((uint64_t)left->number & (uint64_t)right->number);
		else if ((uint64_t)right->number)
			left->number = (double)((uint64_t)left->number % (uint64_t)right->number);
		break;
	}
	return true;
}

static bool parse_product(struct evaluation *ev, value *out)
{
	value right;

	if (!parse_unary(ev, out))
		return false;
	for (;;) {
		char op = wt_scan_peek(&ev->scan);

		if (op != '*' && op != '/' && op != '%')
			return !ev->scan.failed;
		ev->scan.at++;
		if (!parse_unary(ev, &right) || !apply(ev, op, out, &right))
			return false;
	}
}

static bool parse_sum(struct evaluation *ev, value *out)
{
	value right;

	if (!parse_product(ev, out))
		return false;
	for (;;) {
		char op = wt_scan_peek(&ev->scan);

		if (op != '+' && op != '-' && (op != '&' || ev->scan.end - ev->scan.at < 2 || ev->scan.at[1] == '&'))
			return !ev->scan.failed;
		ev->scan.at++;
		if (!parse_product(ev, &right) || !apply(ev, op, out, &right))
			return false;
	}
}

static bool compare(struct evaluation *ev, const char *op, const value *left, const value *right, bool *result)
{
	double difference;

	if (left->is_text != right->is_text && ev->lookup)
		return wt_scan_fail(&ev->scan, "a text and a number cannot be compared");
	difference = left->is_text ? strcmp(left->text, right->text) : left->number - right->number;
	if (!strcmp(op, "=="))
		*result = difference == 0;
	else if (!strcmp(op, "!="))
		*result = difference != 0;
	else if (!strcmp(op, "<="))
		*result = difference <= 0;
	else if (!strcmp(op, ">="))
		*result = difference >= 0;
	else
		*result = *op == '<' ? difference < 0 : difference > 0;
	return true;
}

static bool parse_comparison(struct evaluation *ev, value *out)
{
	static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">"};
	bool all = true, one = false, any = false;
	value left, right;

	if (!parse_sum(ev, &left))
		return false;
	*out = left;
	for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (!wt_scan_is(&ev->scan, ops[i]))
			continue;
		if (!parse_sum(ev, &right) || !compare(ev, ops[i], &left, &right, &one))
			return false;
		any = true;
		all = all && one;
		left = right; /* a < b < c means a < b and b < c */
		i = (unsigned)-1;
	}
	if (any)
		*out = from_bool(all);
	if (wt_scan_peek(&ev->scan) == '=')
		return wt_scan_fail(&ev->scan, "'=' compares nothing; write '=='");
	return !ev->scan.failed;
}

static bool parse_not(struct evaluation *ev, value *out)
{
	if (!wt_scan_is(&ev->scan, "not") && !wt_scan_is(&ev->scan, "!"))
		return parse_comparison(ev, out);
	if (++ev->depth > DEPTH_MAX)
		return wt_scan_fail(&ev->scan, "nested too deeply");
	if (!parse_not(ev, out))
		return false;
	*out = from_bool(!truth(out));
	ev->depth--;
	return true;
}

static bool parse_and(struct evaluation *ev, value *out)
{
	value right;

	if (!parse_not(ev, out))
		return false;
	while (wt_scan_is(&ev->scan, "and") || wt_scan_is(&ev->scan, "&&")) {
		if (!parse_not(ev, &right))
			return false;
		*out = from_bool(truth(out) && truth(&right));
	}
	return !ev->scan.failed;
}

static bool parse_or(struct evaluation *ev, value *out)
{
	value right;

	if (++ev->depth > DEPTH_MAX)
		return wt_scan_fail(&ev->scan, "nested too deeply");
	if (!parse_and(ev, out))
		return false;
	while (wt_scan_is(&ev->scan, "or") || wt_scan_is(&ev->scan, "||")) {
		if (!parse_and(ev, &right))
			return false;
		*out = from_bool(truth(out) || truth(&right));
	}
	ev->depth--;
	return !ev->scan.failed;
}

/* ---- statements ------------------------------------------------------------------------------------------------ */

/* [assert] EXPRESSION [, MESSAGE of an assert]; false after failing or finding it false */
static bool statement(struct evaluation *ev, char *error, size_t error_len)
{
	const char *start;
	size_t len;
	unsigned line;
	bool is_assert;
	value result, message;

	is_assert = wt_scan_is(&ev->scan, "assert");
	wt_scan_space(&ev->scan);
	start = ev->scan.at;
	line = ev->scan.line;
	ev->notes[0] = 0;
	if (!parse_or(ev, &result))
		return false;
	len = (size_t)(ev->scan.at - start);
	while (len && isspace((unsigned char)start[len - 1]))
		len--;
	if (ev->lookup && !truth(&result)) {
		snprintf(error, error_len, "%s:%u: %.*s does not hold: %s", ev->scan.file, line, (int)(len > 200 ? 200 : len),
			 start, ev->notes);
		return false;
	}
	return !is_assert || !wt_scan_is(&ev->scan, ",") || parse_or(ev, &message);
}

int wt_expression_check(const char *file, unsigned line, const char *code, size_t len, wt_expression_lookup *lookup,
			void *context, char *error, size_t error_len)
{
	struct evaluation ev = {.lookup = lookup, .context = context};
	bool all = true;

	wt_scan_init(&ev.scan, file, code, len);
	ev.scan.line = line;
	if (wt_scan_done(&ev.scan))
		wt_scan_expected(&ev.scan, "a question");
	while (all && !wt_scan_done(&ev.scan)) {
		all = statement(&ev, error, error_len);
		while (wt_scan_is(&ev.scan, ",") || wt_scan_is(&ev.scan, ";"))
			;
	}
	if (ev.scan.failed) {
		snprintf(error, error_len, "%s", ev.scan.error);
		return -EINVAL;
	}
	return all;
}
