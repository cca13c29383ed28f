/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/profile_files.c - find profiles in their folders, and create
 * one.
 */
#include "runtime/sandlock/profile_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "policy/profile_builtin.h"
#include "policy/profile_find.h"
#include "runtime/sandbox/request.h"

#define ENDING ".toml"

/* ---- list ---- */

static bool has(const struct profile_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (streq(list->items[i].name, name))
			return true;
	return false;
}

static const char *origin_of(const char *folder, const char *name)
{
	for (size_t i = 0; profile_system_folders[i]; i++)
		if (streq(profile_system_folders[i], folder))
			/* The last folder has what make install puts there. */
			return !profile_system_folders[i + 1] &&
					       profile_builtin_find(name) ?
				       "built in" :
				       "system";
	return "user";
}

static int add(struct arena *arena, struct profile_list *list,
	       const struct profile_file *item)
{
	struct profile_file *items;

	if (has(list, item->name))
		return 0;
	items = arena_grow(arena, list->items, list->n, list->n + 1,
			   sizeof *items);
	if (!items)
		return -ENOMEM;
	items[list->n++] = *item;
	list->items = items;
	if (strlen(item->name) > list->width)
		list->width = strlen(item->name);
	return 0;
}

static int add_file(struct arena *arena, struct profile_list *list,
		    const char *folder, const char *file)
{
	size_t len = strlen(file);
	struct profile_file item;

	if (len <= strlen(ENDING) ||
	    !streq(file + len - strlen(ENDING), ENDING))
		return 0;
	item.name = arena_strndup(arena, file, len - strlen(ENDING));
	item.path = arena_printf(arena, "%s/%s", folder, file);
	if (!item.name || !item.path)
		return -ENOMEM;
	item.origin = origin_of(folder, item.name);
	return add(arena, list, &item);
}

static int add_builtins(struct arena *arena, struct profile_list *list)
{
	int r = 0;

	for (size_t i = 0; r == 0 && profile_builtins[i].name; i++) {
		const struct profile_file item = {
			.name = profile_builtins[i].name,
			.origin = "built in",
		};

		r = add(arena, list, &item);
	}
	return r;
}

static int add_folder(struct arena *arena, const char *folder,
		      struct profile_list *list)
{
	autoclosedir DIR *dir = opendir(folder);

	if (!dir && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!dir)
		return fail(errno, "list the profiles in %s", folder);
	for (struct dirent *e; (e = readdir(dir));) {
		int r = add_file(arena, list, folder, e->d_name);

		if (r < 0)
			return r;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct profile_file *)a)->name,
		      ((const struct profile_file *)b)->name);
}

int profile_list(struct arena *arena, struct profile_list *ret)
{
	const char *const *folders;
	struct profile_list list = { 0 };
	int r = request_profile_folders(arena, &folders);

	for (; r >= 0 && *folders; folders++)
		r = add_folder(arena, *folders, &list);
	if (r >= 0)
		r = add_builtins(arena, &list);
	if (r < 0)
		return r;
	if (list.n)
		qsort(list.items, list.n, sizeof *list.items, compare);
	*ret = list;
	return 0;
}

/* ---- new ---- */

static int make_folder(struct arena *arena, const char *folder)
{
	char *path = arena_strdup(arena, folder);

	if (!path)
		return -ENOMEM;
	for (char *at = path; (at = strchr(at + 1, '/'));) {
		*at = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return fail(errno,
				    "create the directory %s for profiles",
				    path);
		*at = '/';
	}
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return fail(errno, "create the directory %s for profiles",
			    path);
	return 0;
}

static int check_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f || *at == '/')
			return fail(0,
				    "'%s' is not a profile name (1 or more "
				    "characters, no slash or control "
				    "character, no . or - at the beginning)",
				    name);
	if (!*name || *name == '.' || *name == '-')
		return fail(0,
			    "'%s' is not a profile name (1 or more "
			    "characters, no slash or control character, no . "
			    "or - at the beginning)",
			    name);
	return 0;
}

int profile_create(struct arena *arena, const char *name, const char *text,
		   const char **ret_path)
{
	const char *const *folders;
	const char *path;
	int r = check_name(name);

	if (r >= 0)
		r = request_profile_folders(arena, &folders);
	if (r < 0)
		return r;
	if (*folders == profile_system_folders[0])
		return fail(0, "cannot find the user's profiles: set "
			       "XDG_CONFIG_HOME or HOME");
	r = make_folder(arena, *folders);
	if (r < 0)
		return r;
	path = arena_printf(arena, "%s/%s" ENDING, *folders, name);
	if (!path)
		return -ENOMEM;

	autoclose int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 && errno == EEXIST)
		return fail(0, "%s already exists and was not changed", path);
	if (fd < 0)
		return fail(errno, "create the profile %s", path);
	/* With a umask of 0 the profile would be refused later. */
	if (fchmod(fd, 0644) < 0 || io_write_all(fd, text, strlen(text)) < 0) {
		fail(errno, "write the profile %s", path);
		(void)unlink(path);
		return -EIO;
	}
	*ret_path = path;
	return 0;
}
