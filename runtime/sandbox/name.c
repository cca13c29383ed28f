/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/name.c - convert names to IDs and back: special bytes become
 * +XX.
 */
#include "runtime/sandbox/name.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"

static const char digits[] = "0123456789ABCDEF";

/* ASCII only, independent of the locale. */
static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* A leading dot would allow . and .., and hide the directory. */
static bool stays(const char *text, size_t i)
{
	return is_plain((unsigned char)text[i]) && !(i == 0 && text[i] == '.');
}

int sandbox_name_to_id(struct arena *arena, const char *name, const char **ret)
{
	size_t len = strlen(name), n = 0;
	char *id = arena_array(arena, 3 * len + 1, 1);

	if (!id)
		return -ENOMEM;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		if (stays(name, i)) {
			id[n++] = name[i];
			continue;
		}
		id[n++] = '+';
		id[n++] = digits[c >> 4];
		id[n++] = digits[c & 15];
	}
	id[n] = '\0';
	*ret = id;
	return 0;
}

static int value(char digit)
{
	const char *at = digit ? strchr(digits, digit) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Return the byte of "+XX", or -1. */
static int escaped(const char *text)
{
	int high = value(text[1]);
	int low = high < 0 ? -1 : value(text[2]);

	return low < 0 ? -1 : high << 4 | low;
}

int sandbox_name_from_id(struct arena *arena, const char *id, const char **ret)
{
	size_t n = 0;
	char *name = arena_array(arena, strlen(id) + 1, 1);

	if (!name)
		return -ENOMEM;
	for (size_t i = 0; id[i]; i++) {
		int c;

		if (stays(id, i)) {
			name[n++] = id[i];
			continue;
		}
		c = id[i] == '+' ? escaped(id + i) : -1;
		if (c <= 0 ||
		    (is_plain((unsigned char)c) && !(i == 0 && c == '.')))
			return fail(0,
				    "'%s' is not a sandbox ID (letters, "
				    "digits, _ - . and +XX for any other "
				    "byte)",
				    id);
		name[n++] = (char)c;
		i += 2;
	}
	name[n] = '\0';
	*ret = name;
	return 0;
}
