/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/git_config.c - read the settings of git that name files.
 *
 * Each condition of includeIf counts as true, as it may become true later.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/util.h"
#include "policy/presets_git.h"

#define BLANKS " \t\r\n"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static char unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	default:
		return c;
	}
}

/* The length of a line continuation at p, or 0. */
static size_t continuation(const char *p)
{
	if (p[1] == '\n')
		return 2;
	return p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

/*
 * Read the value at *p up to the end of its line, without quotes, backslashes,
 * comments and trailing blanks.
 */
static const char *read_value(struct arena *arena, const char **p)
{
	char *value = arena_alloc(arena, strlen(*p) + 1);
	size_t n = 0, keep = 0;
	bool quoted = false;

	*p += strspn(*p, " \t");
	while (value && **p && **p != '\n') {
		char c = *(*p)++;

		if (!quoted && (c == '#' || c == ';')) {
			*p += strcspn(*p, "\n");
		} else if (c == '"') {
			quoted = !quoted;
			keep = n;
		} else if (c == '\\' && continuation(*p - 1)) {
			*p += continuation(*p - 1) - 1;
		} else if (c == '\\' && **p) {
			value[n++] = unescape(*(*p)++);
			keep = n;
		} else {
			value[n++] = c;
			if (quoted || !strchr(BLANKS, c))
				keep = n;
		}
	}
	if (value)
		value[keep] = '\0';
	return value;
}

static bool is_word(const char *p, size_t len, const char *word)
{
	return len == strlen(word) && strncasecmp(p, word, len) == 0;
}

/* `[name]` or `[name "subsection"]`, which may have brackets in it. */
static void read_section(struct git_reader *r)
{
	const char *p = r->at + 1, *name;
	bool quoted = false, named = false;
	size_t len;

	p += strspn(p, " \t");
	name = p;
	len = strcspn(p, " \t\"]\n");
	for (p += len; *p && *p != '\n' && (quoted || *p != ']'); p++) {
		if (*p == '\\' && quoted && p[1])
			p++;
		else if (*p == '"')
			quoted = !quoted;
		named = named || quoted;
	}
	r->at = p + (*p == ']');
	r->section = GIT_OTHER;
	if (!named && is_word(name, len, "core"))
		r->section = GIT_CORE;
	else if (is_word(name, len, "include") ||
		 is_word(name, len, "includeif"))
		r->section = GIT_INCLUDE;
}

static bool is_ours(enum git_section section, const char *name, size_t len,
		    enum git_setting_kind *ret)
{
	static const struct {
		enum git_section section;
		const char *name;
		enum git_setting_kind kind;
	} ours[] = {
		{ GIT_CORE, "hookspath", GIT_HOOKS_PATH },
		{ GIT_CORE, "worktree", GIT_WORK_TREE },
		{ GIT_CORE, "bare", GIT_BARE },
		{ GIT_INCLUDE, "path", GIT_INCLUDE_PATH },
	};

	for (size_t i = 0; i < COUNT(ours); i++)
		if (section == ours[i].section &&
		    is_word(name, len, ours[i].name)) {
			*ret = ours[i].kind;
			return true;
		}
	return false;
}

/* Read `key = value`, or a key alone; 1 if the key is relevant. */
static int read_key(struct arena *arena, struct git_reader *r,
		    struct git_setting *ret)
{
	const char *name = r->at, *p = name, *value;
	bool ours;
	size_t len;

	while (isalnum((unsigned char)*p) || *p == '-')
		p++;
	len = (size_t)(p - name);
	ours = is_ours(r->section, name, len, &ret->kind);
	p += strspn(p, " \t");
	if (*p != '=') {
		r->at = p + strcspn(p, "\n");
		return 0;
	}
	r->at = p + 1;
	value = read_value(arena, &r->at);
	ret->value = value;
	return !value ? -ENOMEM : ours && *value;
}

int git_config_next(struct arena *arena, struct git_reader *r,
		    struct git_setting *ret)
{
	int found = 0;

	if (strncmp(r->at, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
		r->at += strlen(BYTE_ORDER_MARK);
	while (found == 0 && *(r->at += strspn(r->at, BLANKS))) {
		if (*r->at == '[')
			read_section(r);
		else
			found = read_key(arena, r, ret);
	}
	return found;
}
