/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/toml_dump.h - a TOML tree as one line, for comparing. */
#pragma once

#include <inttypes.h>
#include <stdio.h>

#include "policy/toml.h"

static void dump_quoted(FILE *out, const char *text, size_t len)
{
	fputc('"', out);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void dump_time(FILE *out, const struct toml_value *v)
{
	const struct toml_datetime *t = &v->time;
	int offset = t->offset < 0 ? -t->offset : t->offset;

	if (v->type != TOML_LOCAL_TIME)
		fprintf(out, "%04d-%02u-%02u", t->year, t->month, t->day);
	if (v->type == TOML_DATETIME || v->type == TOML_LOCAL_DATETIME)
		fputc('T', out);
	if (v->type != TOML_LOCAL_DATE)
		fprintf(out, "%02u:%02u:%02u", t->hour, t->minute, t->second);
	if (t->nanosecond)
		fprintf(out, ".%09" PRIu32, t->nanosecond);
	if (v->type == TOML_DATETIME)
		fprintf(out, "%c%02d:%02d", t->offset < 0 ? '-' : '+',
			offset / 60, offset % 60);
}

static void dump_value(FILE *out, const struct toml_value *v)
{
	const char *glue = "";

	switch (v->type) {
	case TOML_STRING:
		dump_quoted(out, v->text, v->len);
		return;
	case TOML_INTEGER:
		fprintf(out, "%" PRId64, v->integer);
		return;
	case TOML_FLOAT:
		if (v->real != v->real)
			fprintf(out, "nan");
		else
			fprintf(out, "f%.17g", v->real);
		return;
	case TOML_BOOL:
		fprintf(out, v->truth ? "true" : "false");
		return;
	case TOML_ARRAY:
	case TOML_TABLE:
		break;
	default:
		dump_time(out, v);
		return;
	}
	fputc(v->type == TOML_ARRAY ? '[' : '{', out);
	toml_each (member, v) {
		fprintf(out, "%s", glue);
		if (v->type == TOML_TABLE) {
			dump_quoted(out, member->key, strlen(member->key));
			fputc(':', out);
		}
		dump_value(out, member);
		glue = ",";
	}
	fputc(v->type == TOML_ARRAY ? ']' : '}', out);
}
