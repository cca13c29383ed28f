/* SPDX-License-Identifier: Apache-2.0 */
/* policy/complain.c - error texts about words and values of a file. */
#include "policy/complain.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/nearest.h"
#include "base/text.h"
#include "policy/keys.h"

#define MAX_PRESETS 31

static void put_value(struct text *out, const struct policy_raw *value)
{
	switch (value->type) {
	case POLICY_RAW_TEXT:
	case POLICY_RAW_STRING:
		text_put_quoted(out, value->text);
		return;
	case POLICY_RAW_BOOL:
		text_put(out, "%s", value->truth ? "true" : "false");
		return;
	case POLICY_RAW_INTEGER:
		text_put(out, "%" PRId64, value->integer);
		return;
	case POLICY_RAW_FLOAT:
		text_put(out, "%g", value->real);
		return;
	case POLICY_RAW_TIME:
		text_put(out, "a date");
		return;
	case POLICY_RAW_OTHER:
		text_put(out, "%s", value->text);
		return;
	case POLICY_RAW_LIST:
	case POLICY_RAW_MAP:
		break;
	}
	text_put(out, "%s", value->type == POLICY_RAW_LIST ? "[" : "{");
	for (size_t i = 0; i < value->n; i++) {
		text_put(out, "%s", i ? ", " : "");
		if (value->items[i].key) {
			text_put_quoted(out, value->items[i].key);
			text_put(out, " = ");
		}
		put_value(out, &value->items[i]);
	}
	text_put(out, "%s", value->type == POLICY_RAW_LIST ? "]" : "}");
}

int policy_unwanted(struct arena *arena, const struct policy_raw *value,
		    const char *wanted)
{
	struct text out = { .arena = arena };
	const char *text;
	int r;

	put_value(&out, value);
	r = text_close(&out, &text);
	return r < 0 ? r : fail(0, "%s is not %s", text, wanted);
}

int policy_none_of(struct arena *arena, const char *word, const char *what,
		   const char *const *known)
{
	struct text out = { .arena = arena };
	struct nearest near = nearest_to(word, strlen(word));
	const char *text;
	int r;

	if (!what || !known)
		return -ENOMEM;
	for (size_t i = 0; known[i]; i++)
		nearest_try(&near, known[i], known[i]);
	text_put(&out, "%s (known: ", what);
	for (; *known; known++)
		text_put(&out, "%s%s", *known, known[1] ? ", " : "");
	text_put(&out, ")");
	if (nearest_found(&near))
		text_put(&out, ": did you mean %s?", nearest_found(&near));
	r = text_close(&out, &text);
	return r < 0 ? r : fail(0, "%s", text);
}

int policy_no_preset(struct arena *arena, const char *text, const char *of,
		     const char *(*name)(size_t index))
{
	const char *known[MAX_PRESETS + 1] = { NULL };

	if (strchr(text, ','))
		return fail(0, "'%s' has a comma: write each element by itself",
			    text);
	for (size_t i = 0; i < MAX_PRESETS && name(i); i++)
		known[i] = arena_printf(arena, "@%s", name(i));
	return policy_none_of(arena, text,
			      arena_printf(arena, "'%s' is not a preset for %s",
					   text, of),
			      known);
}

int policy_unknown(struct arena *arena, const char *kind, const char *name,
		   const struct policy_raw *value, const char *const *known)
{
	struct text out = { .arena = arena };
	const char *text;
	int r;

	text_put(&out, "unknown %s ", kind);
	text_put_quoted(&out, name);
	/* A table contains variables or headers, which are often secrets. */
	if (value && value->type == POLICY_RAW_MAP) {
		text_put(&out, ", a table");
	} else if (value) {
		text_put(&out, " = ");
		put_value(&out, value);
	}
	r = text_close(&out, &text);
	return r < 0 ? r : policy_none_of(arena, name, text, known);
}
