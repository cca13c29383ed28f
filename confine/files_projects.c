/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files_projects.c - find the directories that denials treat as the
 * project.
 *
 * A workload can create a marker, which makes a nearer directory the project of
 * the next run. So that its denials do not shrink, they also cover every marked
 * directory above.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/files.h"

/* A socket is not a marker: running sandboxes use sockets as placeholders. */
static bool has_marker(int root, const char *dir)
{
	autoclose int fd =
		root_open(root, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	for (size_t i = 0; fd >= 0 && policy_project_markers[i]; i++)
		if (fstatat(fd, policy_project_markers[i], &st,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
		    !S_ISSOCK(st.st_mode))
			return true;
	return false;
}

static int real_or_given(struct arena *arena, const struct files_place *place,
			 const char *path, const char **ret)
{
	int r = files_real_path(arena, place, path, ret);

	if (r == 0 && !*ret)
		*ret = path;
	return r;
}

static int add(struct arena *arena, struct strings *list, const char *dir)
{
	return strings_add(arena, list, arena_strdup(arena, dir));
}

int files_projects(struct arena *arena, const struct files_place *place,
		   struct strings *ret)
{
	const char *project, *home = NULL;
	struct strings list = { 0 };
	char *dir, *slash;
	int r;

	*ret = list;
	if (!place->project)
		return 0;
	r = real_or_given(arena, place, place->project, &project);
	if (r == 0 && place->home)
		r = real_or_given(arena, place, place->home, &home);
	if (r == 0)
		r = add(arena, &list, project);
	dir = r == 0 ? arena_strdup(arena, project) : NULL;
	if (!dir)
		return r < 0 ? r : -ENOMEM;
	while (r == 0 && (slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (home && files_is_at_or_below(home, dir))
			break;
		if (has_marker(place->root, dir))
			r = add(arena, &list, dir);
	}
	*ret = list;
	return r;
}
