/* SPDX-License-Identifier: Apache-2.0 */
/* policy/near.c - find annotations with a misspelled io.sandlock prefix. */
#include "policy/near.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define OURS "sandlock"

static char lower(char c)
{
	return (char)tolower((unsigned char)c);
}

/* At most one letter is missing, added or changed, or two are swapped. */
static bool is_nearly(const char *word, size_t len)
{
	const char *ours = OURS;
	size_t n = strlen(OURS);

	while (n && len && lower(*word) == *ours) {
		ours++, n--;
		word++, len--;
	}
	while (n && len && lower(word[len - 1]) == ours[n - 1])
		n--, len--;
	if (n == 2 && len == 2)
		return lower(word[0]) == ours[1] && lower(word[1]) == ours[0];
	return n <= 1 && len <= 1;
}

/* True if the first word, up to "." or "/", is nearly ours. */
static bool begins_nearly(const char *text)
{
	size_t len = strcspn(text, "./");

	return text[len] && is_nearly(text, len);
}

bool near_is_ours(const char *annotation)
{
	/* sandlock.io/KEY, or a prefix that lacks "io.". */
	if (begins_nearly(annotation))
		return true;
	for (const char *p = annotation; p; p = strchr(p, '.')) {
		p += *p == '.';
		if (strncasecmp(p, "io.", 3) == 0 && begins_nearly(p + 3))
			return true;
	}
	return false;
}
