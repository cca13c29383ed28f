/* SPDX-License-Identifier: Apache-2.0 */
/* policy/system_config.c - read /etc/sandlock/config.toml. */
#include "policy/system_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "policy/complain.h"
#include "policy/keys.h"
#include "policy/toml.h"
#include "policy/writers.h"

#define MAX_CONFIG (1UL << 20)

struct word {
	const char *name;
	size_t offset; /* in struct system_config, of a text */
	bool is_list;
};

#define TEXT(name_)                                                  \
	{                                                            \
#name_, offsetof(struct system_config, name_), false \
	}

static const struct word top_words[] = {
	TEXT(profile),
	TEXT(enforce),
	{ "allow_annotations",
	  offsetof(struct system_config, allow_annotations), true },
};
static const struct word runtime_words[] = {
	TEXT(root),	      TEXT(log),      TEXT(log_format), TEXT(log_level),
	TEXT(cgroup_manager), TEXT(rootless), TEXT(criu),
};

/* ---- the file ---- */

/*
 * Returns 0 if there is no such file. Its directory is checked, too: a user with
 * write access to it could replace the file.
 */
static int read_file(struct arena *arena, const char *path, char **ret_text,
		     size_t *ret_len)
{
	const char *folder, *slash = strrchr(path, '/');
	autoclose int dir = writers_open_folder(arena, path, &folder);
	autoclose int fd = dir < 0 ? -1 :
				     openat(dir, slash ? slash + 1 : path,
					    O_RDONLY | O_NOFOLLOW | O_NOCTTY |
						    O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ELOOP)
		return fail(0, "%s: must not be a symbolic link", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, "open %s", path);
	if (!S_ISREG(st.st_mode))
		return fail(0, "%s: must be a regular file", path);
	r = writers_check(dir, folder);
	if (r == 0)
		r = writers_check(fd, path);
	if (r == 0)
		r = io_read_all(arena, fd, MAX_CONFIG, ret_text, ret_len);
	return r < 0 ? r : 1;
}

/* ---- what it says ---- */

static int set_text(const struct toml_value *value, const char **ret)
{
	if (value->type != TOML_STRING || !value->len)
		return fail(0, "%s: must be a string that is not empty",
			    value->key);
	*ret = value->text;
	return 0;
}

static int set_list(struct arena *arena, const struct toml_value *value,
		    struct strings *ret)
{
	if (value->type != TOML_ARRAY)
		return fail(0, "%s: must be a list of strings", value->key);
	toml_each (item, value) {
		int r = item->type == TOML_STRING && item->len ?
				strings_add(arena, ret, item->text) :
				fail(0, "%s: must be a list of strings",
				     value->key);

		if (r < 0)
			return r;
	}
	return 0;
}

static int refuse_unknown(struct arena *arena, const struct toml_value *value,
			  const struct word *words, size_t n)
{
	const char **known = arena_array(arena, n + 2, sizeof *known);
	struct policy_raw raw;

	if (!known || policy_raw_from_toml(arena, value, &raw) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		known[i] = words[i].name;
	if (words == top_words)
		known[n] = "[runtime]";
	return policy_unknown(arena, "key", value->key, &raw, known);
}

static int read_word(struct arena *arena, const struct toml_value *value,
		     const struct word *words, size_t n,
		     struct system_config *ret)
{
	for (size_t i = 0; i < n; i++) {
		char *member = (char *)ret + words[i].offset;

		if (!streq(words[i].name, value->key))
			continue;
		return words[i].is_list ?
			       set_list(arena, value, (void *)member) :
			       set_text(value, (void *)member);
	}
	return refuse_unknown(arena, value, words, n);
}

static int read_member(struct arena *arena, const struct toml_value *value,
		       struct system_config *ret)
{
	if (!streq(value->key, "runtime"))
		return read_word(arena, value, top_words, COUNT(top_words),
				 ret);
	if (value->type != TOML_TABLE)
		return fail(0, "runtime: must be a table: write [runtime]");
	toml_each (member, value) {
		int r = read_word(arena, member, runtime_words,
				  COUNT(runtime_words), ret);

		if (r < 0)
			return fail_in(fail_in(r, "[runtime]"), "line %u",
				       member->line);
	}
	return 0;
}

static int parse(struct arena *arena, const char *text, size_t len,
		 struct system_config *ret)
{
	const struct toml_value *root;
	int r = toml_parse(arena, text, len, &root);

	if (r < 0)
		return r;
	toml_each (member, root) {
		r = read_member(arena, member, ret);
		if (r < 0)
			return streq(member->key, "runtime") ?
				       r :
				       fail_in(r, "line %u", member->line);
	}
	return 0;
}

int system_config_load(struct arena *arena, const char *given,
		       struct system_config *ret)
{
	const char *path = given ? given : SYSTEM_CONFIG;
	struct system_config config = { 0 };
	char *text;
	size_t len;
	int r;

	if (given && !writers_is_root())
		return fail(0,
			    "--config %s: only root may choose another file "
			    "than " SYSTEM_CONFIG,
			    given);
	r = read_file(arena, path, &text, &len);
	if (r < 0)
		return given ? fail_in(r, "--config") : r;
	if (r == 0 && given)
		return fail(ENOENT, "--config: open %s", path);
	if (r > 0)
		r = parse(arena, text, len, &config);
	if (r < 0)
		return fail_in(r, "%s", path);
	*ret = config;
	return 0;
}
