/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/policy_files_cover.c - add mounts that protect policy files.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/root.h"
#include "base/util.h"
#include "runtime/enforce/enforce.h"
#include "runtime/enforce/files.h"
#include "runtime/enforce/policy_files.h"

/* Open the longest part of a path that exists, which may be on a mount. */
static int open_nearest(const struct enforce_files *files, const char *top,
			const char *path)
{
	size_t len = strlen(path);
	int fd = root_open_plain(files->root, path,
				 O_PATH | O_NOFOLLOW | O_CLOEXEC);

	while (fd < 0 && errno == ENOENT && len > strlen(top)) {
		const char *dir;

		while (len > 1 && path[len - 1] != '/')
			len--;
		len -= len > 1;
		dir = arena_strndup(files->arena, path, len);
		fd = dir ? root_open_plain(files->root, dir,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC) :
			   -1;
	}
	return fd;
}

/* Whether another carve or a read-only mount already protects it. */
static bool is_closed(const struct enforce_files *files,
		      const struct files_carves *carves, const char *top,
		      const char *path)
{
	autoclose int fd = open_nearest(files, top, path);
	struct statfs fs;

	for (size_t i = 0; i < carves->n; i++)
		if (carves->items[i].rights & LANDLOCK_MAY_WRITE &&
		    !streq(path, carves->items[i].path) &&
		    files_is_at_or_below(path, carves->items[i].path))
			return true;
	return fd >= 0 && fstatfs(fd, &fs) == 0 &&
	       (unsigned long)fs.f_flags & ST_RDONLY;
}

static int carve_one(const struct enforce_files *files,
		     const struct policy_kept *kept, const char *top,
		     struct files_carves *carves)
{
	struct files_entry *denied =
		arena_array(files->arena, 2, sizeof *denied);
	struct files_carve carve = {
		.path = arena_printf(files->arena, "%s%s",
				     streq(top, "/") && *kept->rest ? "" : top,
				     kept->rest),
		.rights = kept->on_way ? 0 : LANDLOCK_MAY_WRITE,
		.missing = kept->missing,
		.leaf = kept->file,
		.absent = kept->absent,
		.link = kept->link,
	};

	if (!denied || !carve.path)
		return -ENOMEM;
	if (is_closed(files, carves, top, carve.path))
		return 0;
	denied[0] = (struct files_entry){ .path = carve.path,
					  .key = POLICY_FILES_KEY,
					  .item = kept->host,
					  .implied = true };
	denied[1] = (struct files_entry){ .path = top };
	carve.denied = &denied[0];
	carve.above = &denied[1];
	return files_carve_add(files->arena, carves, &carve);
}

int policy_files_carve(const struct enforce_files *files,
		       struct files_carves *carves)
{
	const struct files_place place = {
		.proc = files->proc,
		.root = files->root,
	};
	const struct policy_kept_list *all = &files->enforcement->kept;
	const char *last = NULL, *top = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < all->n; i++) {
		const struct policy_kept *kept = &all->items[i];

		if (!last || !streq(last, kept->top))
			r = files_real_path(files->arena, &place, kept->top,
					    &top);
		last = kept->top;
		if (r == 0 && top)
			r = carve_one(files, kept, top, carves);
	}
	if (r == 0 && all->n)
		files_carve_sort(carves);
	return r;
}
