/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/paths.c - read paths of policies: absolute, relative to the caller's
 * directory or home, optional, presets and patterns.
 *
 * Items of a PATTERNS list are always patterns: a backslash quotes special
 * characters, also those of the directory that was prepended to a relative
 * path.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/complain.h"
#include "policy/glob.h"
#include "policy/presets.h"
#include "policy/values.h"

/* Refuse variables: they are not expanded, so the path would be another one. */
static int check_variables(const char *path)
{
	for (const char *p = strchr(path, '$'); p; p = strchr(p + 1, '$'))
		if (p[1] == '{' || p[1] == '_' || isalpha((unsigned char)p[1]))
			return fail(0,
				    "'%s' contains a variable, but variables "
				    "are not expanded: write its value",
				    path);
	return 0;
}

static int check_quotes(const char *pattern)
{
	for (const char *p = strchr(pattern, '\\'); p; p = strchr(p, '\\')) {
		if (p[1] == '\0' || p[1] == '/')
			return fail(0,
				    "'%s': the backslash does not escape "
				    "anything (write \\\\ for a backslash)",
				    pattern);
		p += 2;
	}
	return 0;
}

/* Remove double slashes, "." and a final slash; the kernel resolves "..". */
static void clean(char *path)
{
	char *to = path;

	for (const char *from = path; *from; from++) {
		while (from[0] == '/' &&
		       (from[1] == '/' ||
			(from[1] == '.' && (from[2] == '/' || !from[2]))))
			from += from[1] == '/' ? 1 : 2;
		if (*from == '\0')
			break;
		*to++ = *from;
	}
	if (to > path + 1 && to[-1] == '/')
		to--;
	if (to == path)
		*to++ = '/';
	*to = '\0';
}

/* Join dir/rest; in a pattern, quote special characters of dir. */
static int join(struct arena *arena, const char *dir, const char *rest,
		bool pattern, const char **ret)
{
	const char *above = pattern ? policy_glob_quote(arena, dir) : dir;
	char *joined = above ? arena_printf(arena, "%s/%s", above, rest) : NULL;

	if (!joined)
		return -ENOMEM;
	clean(joined);
	*ret = joined;
	return 0;
}

static int from_home(const struct policy_setter *to,
		     const struct policy_key_info *key, const char *text,
		     bool pattern, const char **ret)
{
	const struct policy_place *place = to->place;

	if (text[1] && text[1] != '/')
		return fail(
			0,
			"'%s': only your own home directory (~/) is supported",
			text);
	if (place && place->bundle && key->host)
		return fail(0,
			    "'%s': ~ cannot be used for a host path in a "
			    "bundle: write an absolute path",
			    text);
	if (!place || !place->home)
		return fail(0,
			    "'%s': the home directory is unknown: write an "
			    "absolute path",
			    text);
	return join(to->arena, place->home, text + 1, pattern, ret);
}

/*
 * Return an absolute, clean path for text that is not a preset and not
 * optional.
 */
static int resolve(const struct policy_setter *to,
		   const struct policy_key_info *key, const char *text,
		   bool pattern, const char **ret)
{
	int r = check_variables(text);

	if (r == 0 && pattern)
		r = check_quotes(text);
	if (r < 0)
		return r;
	if (text[0] == '~')
		return from_home(to, key, text, pattern, ret);
	if (text[0] == '/')
		return join(to->arena, "", text, pattern, ret);
	if (text[0] == '@')
		return fail(0,
			    "'%s': presets are not allowed for this key: write "
			    "a path",
			    text);
	if (!to->place || !to->place->cwd)
		return fail(0,
			    "'%s' is not an absolute path (it must begin with "
			    "'/')",
			    text);
	return join(to->arena, to->place->cwd, text, pattern, ret);
}

/* Like resolve(), with the "-" of an optional path put in front again. */
static int resolve_optional(const struct policy_setter *to,
			    const struct policy_key_info *key, const char *text,
			    bool pattern, const char **ret)
{
	bool optional = text[0] == '-';
	int r;

	if (optional && (text[1] == '\0' || text[1] == '-' || text[1] == '@'))
		return fail(0,
			    "'%s' is not a path (after the '-' of an optional "
			    "path)",
			    text);
	r = resolve(to, key, text + optional, pattern, ret);
	if (r < 0 || !optional)
		return r;
	*ret = arena_printf(to->arena, "-%s", *ret);
	return *ret ? 0 : -ENOMEM;
}

POLICY_READER(policy_read_path)
{
	const char *text;
	int r = policy_plain_text(raw, "a path", &text);

	if (r < 0)
		return r;
	if (text[0] == '-')
		return fail(0,
			    "'%s': this path cannot be optional: remove the "
			    "'-'",
			    text);
	return resolve(to, key, text, /* pattern= */ false, ret);
}

POLICY_READER(policy_read_optional_path)
{
	const char *text;
	int r = policy_plain_text(raw, "a path", &text);

	if (r < 0)
		return r;
	return resolve_optional(to, key, text, /* pattern= */ false, ret);
}

POLICY_READER(policy_read_pattern)
{
	const char *text;
	int r = policy_plain_text(raw, "a path", &text);

	if (r < 0)
		return r;
	if (text[0] != '@')
		return resolve_optional(to, key, text, /* pattern= */ true,
					ret);
	if (!policy_is_path_preset(text + 1))
		return policy_no_preset(to->arena, text, "paths",
					policy_path_preset_name);
	*(const char **)ret = text;
	return 0;
}

POLICY_READER(policy_read_denial)
{
	const char *text;
	int r = policy_plain_text(raw, "a path", &text);

	if (r < 0)
		return r;
	if (strchr(text, '/') || strchr("@-~", text[0]) ||
	    !policy_is_glob(text))
		return policy_read_pattern(to, key, raw, ret);
	r = check_variables(text);
	if (r == 0)
		r = check_quotes(text);
	if (r == 0)
		*(const char **)ret = text;
	return r;
}

/* A program is a path if it has a slash, else a name to find in PATH. */
POLICY_READER(policy_read_word)
{
	const char *text;
	int r = policy_plain_text(raw, "a program", &text);

	if (r < 0)
		return r;
	if (strchr(text, '/'))
		return resolve(to, key, text, /* pattern= */ false, ret);
	*(const char **)ret = text;
	return 0;
}
