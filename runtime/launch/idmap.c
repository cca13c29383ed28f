/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/idmap.c - write id maps, directly or by newuidmap and
 * newgidmap.
 */
#include "runtime/launch/idmap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/util.h"
#include "hooks/program.h"

/* The helper, the pid, and three numbers for each line of six bytes or more. */
#define MAX_ARGS (2 + IDMAP_TEXT / 2 + 1)

/* What differs between the map of users and the map of groups. */
struct side {
	const char *field;
	const char *file;
	const char *helper;
};

static const struct side user = { "linux.uidMappings", "uid_map", "newuidmap" };
static const struct side group = { "linux.gidMappings", "gid_map",
				   "newgidmap" };

int idmap_format(const struct oci_id_maps *maps, char ret_text[IDMAP_TEXT])
{
	size_t len = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < maps->n; i++) {
		const struct oci_id_map *m = &maps->items[i];
		int n = snprintf(ret_text + len, IDMAP_TEXT - len, "%u %u %u\n",
				 m->container_id, m->host_id, m->size);

		if (n < 0 || (size_t)n >= IDMAP_TEXT - len) {
			fail(0,
			     "%zu id mappings are too many: they must fit into "
			     "%d bytes",
			     maps->n, IDMAP_TEXT);
			return -E2BIG;
		}
		len += (size_t)n;
	}
	return 0;
}

static int write_proc(int proc, pid_t pid, const char *file, const char *text)
{
	char name[64];

	snprintf(name, sizeof name, "%d/%s", pid, file);

	autoclose int fd = proc_open_at(proc, name, O_WRONLY);

	if (fd < 0)
		return fail(errno, "open /proc/%s to write the ID mappings",
			    name);
	if (write(fd, text, strlen(text)) < 0)
		return fail(errno, "write '%.*s' to /proc/%s",
			    (int)strcspn(text, "\n"), text, name);
	return 0;
}

static bool is_program(const char *path)
{
	return *path == '/' && access(path, X_OK) == 0;
}

/* Engines may call the runtime with an empty PATH. */
static int find_helper(const char *name, char ret_path[PATH_MAX])
{
	const char *lists[] = { getenv("PATH"), "/usr/bin:/bin" };

	for (size_t i = 0; i < COUNT(lists); i++) {
		for (const char *p = lists[i]; p && *p;) {
			int len = (int)strcspn(p, ":");

			snprintf(ret_path, PATH_MAX, "%.*s/%s", len, p, name);
			if (is_program(ret_path))
				return 0;
			p += len;
			p += *p == ':';
		}
	}
	return fail(0,
		    "requires the program %s, which is not in PATH (install "
		    "the package uidmap)",
		    name);
}

static int run_helper(const struct side *side, pid_t pid, char *text)
{
	char path[PATH_MAX], number[16], *word, *rest = text;
	char *args[MAX_ARGS];
	struct program program = {
		.path = path,
		.argv = args,
		.envp = environ,
	};
	struct program_end end;
	size_t n = 0;
	int r = find_helper(side->helper, path);

	if (r < 0)
		return r;
	snprintf(number, sizeof number, "%d", pid);
	args[n++] = path;
	args[n++] = number;
	while ((word = strsep(&rest, " \n")) && *word)
		args[n++] = word;
	args[n] = NULL;
	r = program_run(&program, &end);
	if (r < 0)
		return r;
	r = program_check(&program, &end);
	return r < 0 ? fail_in(r, "%s", side->helper) : 0;
}

static bool is_only(const struct oci_id_maps *maps, uint32_t own)
{
	return maps->n == 1 && maps->items[0].size == 1 &&
	       maps->items[0].host_id == own;
}

static int write_side(const struct side *side, int proc, pid_t pid,
		      const struct oci_id_maps *maps, bool direct)
{
	char text[IDMAP_TEXT];
	int r = idmap_format(maps, text);

	if (r >= 0)
		r = direct ? write_proc(proc, pid, side->file, text) :
			     run_helper(side, pid, text);
	return r < 0 ? fail_in(r, "%s", side->field) : 0;
}

int idmap_write(int proc, pid_t pid, const struct oci_id_maps *uids,
		const struct oci_id_maps *gids, bool privileged)
{
	bool only_group = !privileged && is_only(gids, getegid());
	int r;

	/*
	 * user_namespaces(7): an unprivileged process may map its own group
	 * only after this.
	 */
	if (only_group) {
		r = write_proc(proc, pid, "setgroups", "deny");
		if (r < 0)
			return fail_in(r, "%s", group.field);
	}
	r = write_side(&group, proc, pid, gids, privileged || only_group);
	if (r < 0)
		return r;
	return write_side(&user, proc, pid, uids,
			  privileged || is_only(uids, geteuid()));
}

int idmap_identity(struct arena *arena, const char *text,
		   struct oci_id_maps *ret)
{
	struct oci_id_map *items;
	size_t n = 0, lines = 0;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	items = arena_array(arena, lines, sizeof *items);
	if (!items)
		return -ENOMEM;
	while (n < lines) {
		struct oci_id_map *m = &items[n++];

		if (sscanf(text, "%u %*u %u", &m->container_id, &m->size) != 2)
			return fail(EINVAL, "unexpected contents of an id map");
		m->host_id = m->container_id;
		text = strchr(text, '\n') + 1;
	}
	*ret = (struct oci_id_maps){ .items = items, .n = n };
	return 0;
}

static int own_alone(struct arena *arena, uint32_t own, struct oci_id_maps *ret)
{
	struct oci_id_map *single = arena_alloc(arena, sizeof *single);

	if (!single)
		return -ENOMEM;
	*single = (struct oci_id_map){ .host_id = own, .size = 1 };
	*ret = (struct oci_id_maps){ .items = single, .n = 1 };
	return 0;
}

static int all_of_ours(struct arena *arena, int proc, const char *name,
		       struct oci_id_maps *ret)
{
	autoclose int fd = proc_open_at(proc, name, O_RDONLY);
	char *text;
	int r;

	if (fd < 0)
		return fail(errno,
			    "open /proc/%s to read the caller's ID mappings",
			    name);
	r = io_read_all(arena, fd, /* max= */ 65536, &text, NULL);
	if (r >= 0)
		r = idmap_identity(arena, text, ret);
	return r < 0 ? fail_in(r, "/proc/%s", name) : 0;
}

int idmap_default(struct arena *arena, int proc, uid_t euid, gid_t egid,
		  struct oci_id_maps *uids, struct oci_id_maps *gids)
{
	int r = 0;

	if (uids->n == 0)
		r = euid == 0 ? all_of_ours(arena, proc, "self/uid_map", uids) :
				own_alone(arena, euid, uids);
	if (r >= 0 && gids->n == 0)
		r = euid == 0 ? all_of_ours(arena, proc, "self/gid_map", gids) :
				own_alone(arena, egid, gids);
	return r;
}
