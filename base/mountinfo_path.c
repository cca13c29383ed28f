/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/mountinfo_path.c - find the mount of a path, and the path inside the
 * file system. The second is the same in every mount namespace.
 */
#include <string.h>

#include "base/arena.h"
#include "base/mountinfo.h"
#include "base/util.h"

const char *mountinfo_rest(const char *path, const char *dir)
{
	size_t n = streq(dir, "/") ? 0 : strlen(dir);
	const char *rest = path + n;

	if (strncmp(path, dir, n) != 0 || (*rest && *rest != '/'))
		return NULL;
	return streq(rest, "/") ? "" : rest;
}

/* Of two mounts at one place, the later one covers the other. */
const struct mountinfo_line *mountinfo_of(const struct mountinfo *mounts,
					  const char *path)
{
	const struct mountinfo_line *best = NULL;

	for (size_t i = 0; i < mounts->n; i++) {
		const struct mountinfo_line *line = &mounts->items[i];

		if (mountinfo_rest(path, line->point) &&
		    (!best || strlen(line->point) >= strlen(best->point)))
			best = line;
	}
	return best;
}

const struct mountinfo_line *mountinfo_by_id(const struct mountinfo *mounts,
					     uint64_t id)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->items[i].id == id)
			return &mounts->items[i];
	return NULL;
}

/* Replace the directory `from` at the begin of a path by `to`. */
static char *move(struct arena *arena, const char *path, const char *from,
		  const char *to)
{
	const char *rest = mountinfo_rest(path, from);

	if (!rest)
		return NULL;
	if (streq(to, "/"))
		return arena_strdup(arena, *rest ? rest : "/");
	return arena_printf(arena, "%s%s", to, rest);
}

char *mountinfo_inner(struct arena *arena, const struct mountinfo_line *mount,
		      const char *path)
{
	return move(arena, path, mount->point, mount->root);
}

char *mountinfo_outer(struct arena *arena, const struct mountinfo_line *mount,
		      const char *inner)
{
	return move(arena, inner, mount->root, mount->point);
}
