/* SPDX-License-Identifier: Apache-2.0 */
/* policy/presets_python.c - find the files of Python without running it. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "policy/glob.h"
#include "policy/presets.h"
#include "policy/presets_internal.h"

/* Where hosts install Python; no sbin directory has one. */
#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* Get the value of a "key = value" line; NULL if there is none. */
static int find_setting(struct arena *arena, const char *text, const char *key,
			const char **ret)
{
	size_t len = strlen(key);

	*ret = NULL;
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		const char *q = p + strspn(p, " \t");

		if (strncmp(q, key, len) != 0)
			continue;
		q += len + strspn(q + len, " \t");
		if (*q != '=')
			continue;
		q++;
		q += strspn(q, " \t");
		len = strcspn(q, "\r\n");
		while (len > 0 && strchr(" \t", q[len - 1]))
			len--;
		*ret = arena_strndup(arena, q, len);
		return *ret ? 0 : -ENOMEM;
	}
	return 0;
}

/* Return the directory of a path with a slash; "/" at the top. */
static const char *parent(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == path)
		return "/";
	return arena_strndup(arena, path, (size_t)(slash - path));
}

/* The prefix of ~/bin/python3 would be the whole home. */
static bool is_too_wide(const char *prefix, const char *home)
{
	size_t len = strlen(prefix);

	if (streq(prefix, "/"))
		return true;
	return home && strncmp(home, prefix, len) == 0 &&
	       (home[len] == '/' || home[len] == '\0');
}

static int add_prefix(struct preset_builder *b, const char *prefix)
{
	return is_too_wide(prefix, b->context->home) ? 0 :
						       preset_add(b, prefix);
}

/* Add lib/python3.11 of python3.11; any version if the name has none. */
static int add_library(struct preset_builder *b, const char *prefix,
		       const char *program)
{
	const char *name = strrchr(program, '/') + 1;
	bool exact = starts_with(name, "python3.") &&
		     isdigit((unsigned char)name[strlen("python3.")]);
	const char *quoted =
		policy_glob_quote(b->arena, streq(prefix, "/") ? "" : prefix);

	if (!quoted)
		return -ENOMEM;
	return preset_add_pattern(b, arena_printf(b->arena, "%s/lib/%s", quoted,
						  exact ? name : "python3.*"));
}

static int add_program(struct preset_builder *b, const char *program)
{
	const char *bin = parent(b->arena, program);
	const char *prefix = bin ? parent(b->arena, bin) : NULL;
	int r = prefix ? preset_add(b, program) : -ENOMEM;

	if (r == 0)
		r = add_prefix(b, prefix);
	if (r == 0)
		r = add_library(b, prefix, program);
	return r;
}

/*
 * Return 1 if dir contains a python3. A process that may write there could have
 * made a link to any file, so accept it only if it leads to a Python.
 */
static int add_python3(struct preset_builder *b, const char *dir)
{
	const struct policy_context *context = b->context;
	const char *path = preset_join(b->arena, dir, "python3");
	const char *real = NULL;
	int r = path ? context->real_path(context->user, b->arena, path,
					  &real) :
		       -ENOMEM;

	if (r < 0 || !real || !starts_with(strrchr(real, '/'), "/python"))
		return r;
	r = add_program(b, real);
	return r < 0 ? r : 1;
}

/*
 * Add a virtual environment, and the Python it was made with. A process that
 * may write the project also writes the file that names this Python, so ignore
 * it unless there is a Python.
 */
static int add_environment(struct preset_builder *b, const char *dir,
			   const char *config)
{
	const char *home, *prefix, *bin;
	int r = preset_add(b, dir);

	if (r == 0)
		r = find_setting(b->arena, config, "home", &home);
	if (r < 0)
		return r;
	if (!home || home[0] != '/') {
		bin = preset_join(b->arena, dir, "bin");
		return bin ? add_python3(b, bin) : -ENOMEM;
	}
	r = add_python3(b, home);
	if (r <= 0)
		return r;
	prefix = parent(b->arena, home);
	return prefix ? add_prefix(b, prefix) : -ENOMEM;
}

/* Return 1 if there is a virtual environment. */
static int find_environment(struct preset_builder *b)
{
	const struct policy_context *context = b->context;
	const char *dir, *path, *config;
	int r;

	for (const char *const *p = preset_environments; *p; p++) {
		if ((*p)[0] == '.' && !context->project)
			continue;
		r = preset_member(b, *p, &dir);
		if (r == 0)
			continue;
		path = r > 0 ? preset_join(b->arena, dir, "pyvenv.cfg") : NULL;
		if (!path)
			return r < 0 ? r : -ENOMEM;
		config = NULL;
		r = context->read_file(context->user, b->arena, path, &config);
		if (r < 0)
			return r;
		if (config) {
			r = add_environment(b, dir, config);
			return r < 0 ? r : 1;
		}
	}
	return 0;
}

int preset_python(struct preset_builder *b)
{
	const char *path = oci_env_get(&b->context->env, "PATH");
	int r = find_environment(b);

	path = is_set(path) ? path : DEFAULT_PATH;
	for (size_t n; r == 0 && *path; path += n, path += *path == ':') {
		const char *dir;

		n = strcspn(path, ":");
		if (path[0] != '/')
			continue;
		dir = arena_strndup(b->arena, path, n);
		r = dir ? add_python3(b, dir) : -ENOMEM;
	}
	return r < 0 ? r : 0;
}
