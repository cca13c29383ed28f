/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/seatbelt_facts.c - find the facts that a Seatbelt profile is made of,
 * on a Mac or on a machine where the profile is only read.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "confine/seatbelt.h"
#include "policy/glob.h"

#define MAX_SMALL 65536

static int get_file(void *user, struct arena *arena, const char *path,
		    const char **ret)
{
	autoclose int fd =
		open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	char *text;
	int r;

	(void)user;
	*ret = NULL;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	r = io_read_all(arena, fd, MAX_SMALL, &text, NULL);
	if (r < 0)
		return fail_in(r, "%s", path);
	*ret = text;
	return 0;
}

static int get_real_path(void *user, struct arena *arena, const char *path,
			 const char **ret)
{
	autofree char *real = realpath(path, NULL);

	(void)user;
	*ret = real ? arena_strdup(arena, real) : NULL;
	return real && !*ret ? -ENOMEM : 0;
}

static int find(void *user, struct arena *arena, const char *pattern,
		struct strings *ret)
{
	autoclose int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)user;
	if (root < 0)
		return fail(errno, "open /");
	return policy_glob_expand(arena, root, pattern, ret);
}

static unsigned long count_names(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ?
		       (unsigned long)st.st_nlink :
		       0;
}

static bool has_marker(const char *dir)
{
	char path[PATH_MAX];
	struct stat st;

	for (size_t i = 0; policy_project_markers[i]; i++)
		if ((size_t)snprintf(path, sizeof path, "%s/%s", dir,
				     policy_project_markers[i]) < sizeof path &&
		    lstat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
			return true;
	return false;
}

static bool is_above(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

/*
 * A workload can create a marker, which makes a nearer directory the project of
 * the next run. So every marked directory above counts as well, up to the home.
 */
static int find_projects(struct arena *arena, struct seatbelt_facts *facts)
{
	const char *home = facts->context.home;
	char *dir = arena_strdup(arena, facts->context.project), *slash;
	int r = strings_add(arena, &facts->projects, facts->context.project);

	if (!dir)
		return -ENOMEM;
	while (r == 0 && (slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (home && is_above(dir, home))
			break;
		if (has_marker(dir))
			r = strings_add(arena, &facts->projects,
					arena_strdup(arena, dir));
	}
	return r;
}

static int keep(struct arena *arena, struct seatbelt_facts *facts,
		const char *dir, const char *name)
{
	return strings_add(arena, &facts->kept,
			   arena_printf(arena, "%s/%s",
					streq(dir, "/") ? "" : dir, name));
}

static int find_kept(struct arena *arena, struct seatbelt_facts *facts,
		     const char *source)
{
	static const char *const names[] = {
		"pyproject.toml",
		"uv.toml",
		".claude/settings.json",
		".claude/settings.local.json",
	};
	const char *config =
		oci_env_get(&facts->context.env, "XDG_CONFIG_HOME");
	const char *home = facts->context.home;
	int r = keep(arena, facts, "/etc", "sandlock");

	if (r == 0)
		r = keep(arena, facts, "/usr/share", "sandlock");
	if (r == 0 && config && config[0] == '/')
		r = keep(arena, facts, config, "sandlock");
	if (r == 0 && home)
		r = keep(arena, facts, home, ".config/sandlock");
	if (r == 0 && home)
		r = keep(arena, facts, home, ".sandlock");
	for (size_t i = 0; r == 0 && i < facts->projects.n; i++)
		for (size_t k = 0; r == 0 && k < COUNT(names); k++)
			r = keep(arena, facts, facts->projects.items[i],
				 names[k]);
	if (r == 0 && source) {
		autofree char *real = realpath(source, NULL);

		if (real)
			r = strings_add(arena, &facts->kept,
					arena_strdup(arena, real));
	}
	return r;
}

int seatbelt_find_facts(struct arena *arena, const char *home,
			const char *project, const char *source,
			const struct strings *env, struct seatbelt_facts *ret)
{
	struct seatbelt_facts facts = {
		.context = { .os = POLICY_MACOS,
			     .home = home,
			     .project = project,
			     .env = *env,
			     .read_file = get_file,
			     .real_path = get_real_path,
			     .find = find },
		.count_names = count_names,
	};
	int r;

#ifdef __APPLE__
	facts.here = true;
#endif
	r = project ? find_projects(arena, &facts) : 0;
	if (r == 0)
		r = find_kept(arena, &facts, source);
	if (r == 0)
		*ret = facts;
	return r;
}
