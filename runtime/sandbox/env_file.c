/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/env_file.c - read a policy's variables from files, and hide values
 * that are on the command line.
 */
#include "runtime/sandbox/env_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/utf8.h"
#include "base/util.h"
#include "policy/policy.h"

#define FLAG "--env-file"
#define MAX_FILE (1UL << 20)
/* The kernel's limit for a string (MAX_ARG_STRLEN), without the NUL. */
#define MAX_LINE ((128UL << 10) - 1)

struct reader {
	struct arena *arena;
	const struct strings *caller;
	const char *path;
	struct policy_pair *items; /* of all files so far */
	size_t n;
	size_t first; /* the first item of this file */
};

static int read_file(struct arena *arena, const char *path, char **ret,
		     size_t *ret_len)
{
	/* Accept a pipe: --env-file <(command). */
	autoclose int fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, FLAG " %s", path);
	if (S_ISDIR(st.st_mode))
		return fail(EISDIR, FLAG " %s", path);
	r = io_read_all(arena, fd, MAX_FILE, ret, ret_len);
	return r < 0 ? fail_in(r, FLAG " %s", path) : 0;
}

/* A later file overrides an earlier one; a file may set a name once. */
static int put(struct reader *reader, const char *name, const char *value)
{
	struct policy_pair *items;

	for (size_t i = 0; i < reader->n; i++) {
		if (!streq(reader->items[i].key, name))
			continue;
		if (i >= reader->first)
			return fail(0, "an earlier line of this file sets the "
				       "same variable: remove one");
		reader->items[i].value = value;
		return 0;
	}
	items = arena_grow(reader->arena, reader->items, reader->n,
			   reader->n + 1, sizeof *items);
	if (!items)
		return -ENOMEM;
	items[reader->n++] = (struct policy_pair){ name, value };
	reader->items = items;
	return 0;
}

/* No error quotes the line: the name may be part of a secret. */
static int take_line(struct reader *reader, char *line)
{
	char *equals;
	const char *value;

	if (strlen(line) > MAX_LINE)
		return fail(0, "the line is longer than %lu bytes", MAX_LINE);
	while (isspace((unsigned char)*line))
		line++;
	if (!*line || *line == '#')
		return 0;
	equals = strchr(line, '=');
	if (equals)
		*equals = '\0';
	if (!*line)
		return fail(0, "the name of the variable before '=' is empty");
	if (!utf8_is(line))
		return fail(0, "the name of the variable is not UTF-8");
	for (const char *p = line; *p; p++)
		if (isspace((unsigned char)*p) || iscntrl((unsigned char)*p))
			return fail(0, "the name of the variable contains a "
				       "space or a control byte: write "
				       "NAME=VALUE");
	value = equals ? equals + 1 : oci_env_get(reader->caller, line);
	if (!value)
		return fail(0, "the variable is not set in the caller's "
			       "environment: set it, or write NAME=VALUE");
	return put(reader, line, value);
}

static int take_file(struct reader *reader)
{
	size_t len, number = 0;
	char *text;
	int r = read_file(reader->arena, reader->path, &text, &len);

	if (r < 0)
		return r;
	if (strlen(text) != len)
		return fail(0, FLAG " %s: contains a NUL byte", reader->path);
	reader->first = reader->n;
	while (text) {
		char *line = strsep(&text, "\n");
		size_t n = strlen(line);

		number++;
		if (n && line[n - 1] == '\r')
			line[n - 1] = '\0';
		r = take_line(reader, line);
		if (r < 0)
			return fail_in(r, FLAG " %s:%zu", reader->path, number);
	}
	return 0;
}

static bool has(const struct policy_map *map, const char *name)
{
	for (size_t i = 0; i < map->n; i++)
		if (streq(map->items[i].key, name))
			return true;
	return false;
}

int env_files_add(struct arena *arena, const struct strings *files,
		  const struct strings *caller, struct policy *policy)
{
	struct reader reader = { .arena = arena, .caller = caller };
	struct policy_pair *all;
	size_t n = policy->env.n;

	if (files->n == 0)
		return 0;
	for (size_t i = 0; i < files->n; i++) {
		int r;

		reader.path = files->items[i];
		r = take_file(&reader);
		if (r < 0)
			return r;
	}
	all = arena_array(arena, n + reader.n, sizeof *all);
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		all[i] = policy->env.items[i];
	for (size_t i = 0; i < reader.n; i++)
		if (!has(&policy->env, reader.items[i].key))
			all[n++] = reader.items[i];
	if (!policy->set[KEY_ENV])
		policy->origin[KEY_ENV] = FLAG;
	policy->set[KEY_ENV] = true;
	policy->env = (struct policy_map){ all, n };
	return 0;
}

int env_hide_words(struct arena *arena, char *words, size_t size,
		   struct policy *policy)
{
	const struct policy_map *env = &policy->env;
	struct policy_pair *items = arena_array(arena, env->n, sizeof *items);

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < env->n; i++) {
		size_t at = (size_t)((uintptr_t)env->items[i].value -
				     (uintptr_t)words);

		items[i] = env->items[i];
		if (at >= size)
			continue;
		items[i].value = arena_strdup(arena, env->items[i].value);
		if (!items[i].value)
			return -ENOMEM;
		memset(words + at, 0, strlen(items[i].value));
	}
	policy->env.items = items;
	return 0;
}
