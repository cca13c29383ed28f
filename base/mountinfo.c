/* SPDX-License-Identifier: Apache-2.0 */
/* base/mountinfo.c - parse a line of mountinfo(5); the child uses it, too. */
#include "base/mountinfo.h"

#include <string.h>

#include "base/util.h"

/* The kernel escapes blanks, line ends and backslashes as \ooo. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		if (p[0] == '\\' && strspn(p + 1, "01234567") >= 3) {
			*to = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 |
				     (p[3] - '0'));
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

/* Return the text up to the next blank; NULL at the end. */
static char *next(char **rest)
{
	char *word = *rest, *blank = word ? strchr(word, ' ') : NULL;

	*rest = blank ? blank + 1 : NULL;
	if (blank)
		*blank = '\0';
	return word;
}

static uint64_t number(const char *digits)
{
	uint64_t n = 0;

	for (; *digits >= '0' && *digits <= '9'; digits++)
		n = n * 10 + (uint64_t)(*digits - '0');
	return n;
}

static uint32_t device(const char *text)
{
	const char *colon = strchr(text, ':');

	return MOUNTINFO_DEVICE(number(text),
				colon ? (uint32_t)number(colon + 1) : 0);
}

/* 31 23 0:28 ROOT POINT rw,relatime shared:1 master:2 - TYPE SOURCE OPTIONS */
bool mountinfo_parse(char *line, struct mountinfo_line *ret)
{
	char *tail = strstr(line, " - "), *head = line, *words[6];
	char *type, *source, *word;
	bool shared = false;

	if (!tail)
		return false;
	*tail = '\0';
	tail += strlen(" - ");
	for (size_t i = 0; i < COUNT(words); i++)
		words[i] = next(&head);
	while ((word = next(&head)))
		shared |= starts_with(word, "shared:");
	type = next(&tail);
	source = next(&tail);
	if (!words[5] || !source)
		return false;
	unescape(words[3]);
	unescape(words[4]);
	unescape(source);
	*ret = (struct mountinfo_line){
		.id = number(words[0]),
		.parent = number(words[1]),
		.device = device(words[2]),
		.root = words[3],
		.point = words[4],
		.shared = shared,
		.type = type,
		.source = source,
		.options = tail ? tail : "",
	};
	return true;
}
