/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/external_dump.c - name the resources that a checkpoint
 * leaves to the host.
 */
#include "runtime/checkpoint/external.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/mountinfo.h"
#include "base/proc.h"
#include "base/root.h"
#include "base/util.h"
#include "runtime/checkpoint/criu.h"
#include "runtime/checkpoint/protobuf.h"
#include "runtime/launch/sd_notify.h"
#include "runtime/plan/mounts.h"

const char *external_below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	if (streq(directory, "/"))
		return streq(path, "/") ? "" : path;
	if (!starts_with(path, directory))
		return NULL;
	return path[len] == '/' || !path[len] ? path + len : NULL;
}

const char *external_name(struct arena *arena,
			  const struct external_places *places,
			  const struct mountinfo_line *mount)
{
	const struct external_place *best = NULL;
	const char *below = NULL;

	/* If two are equally near, the later one is on top. */
	for (size_t i = 0; i < places->n; i++) {
		const struct external_place *p = &places->items[i];
		const char *rest = external_below(mount->point, p->path);

		if (!rest || (p->kind == EXTERNAL_NODE && *rest))
			continue;
		if (!best || strlen(p->path) >= strlen(best->path)) {
			best = p;
			below = rest;
		}
	}
	/* A masked directory has its own tmpfs; a node may be on one. */
	if (!best || best->kind == EXTERNAL_NOT ||
	    (best->kind == EXTERNAL_NODE && streq(mount->root, "/")) ||
	    (best->kind == EXTERNAL_CGROUP &&
	     !starts_with(mount->type, "cgroup")))
		return NULL;
	return arena_printf(arena, "%s%s", best->name, below);
}

/* Return where a path of config.json is in the container. */
static const char *real_path(struct arena *arena, int root, const char *path)
{
	autoclose int fd = root_open(root, path, O_PATH);
	char link[64], real[4096];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : readlink(link, real, sizeof real);
	if (n <= 0 || (size_t)n == sizeof real || real[0] != '/')
		return path;
	return arena_strndup(arena, real, (size_t)n);
}

static enum external_kind kind_of(const struct oci_spec *spec,
				  const struct oci_mount *mount)
{
	if (oci_mount_is_bind(mount))
		return EXTERNAL_BIND;
	/* With a cgroup namespace, these mounts belong to the container. */
	if (mount->type && streq(mount->type, "cgroup") &&
	    !spec->linux_.namespaces[OCI_NS_CGROUP].listed)
		return EXTERNAL_CGROUP;
	return EXTERNAL_NOT;
}

/* The caller has allocated enough items. */
static void add_place(struct external_places *places, const char *path,
		      const char *name, enum external_kind kind)
{
	places->items[places->n++] =
		(struct external_place){ path, name, kind };
}

static int find_places(struct arena *arena, int root,
		       const struct oci_spec *spec, struct external_places *ret)
{
	const struct oci_linux *l = &spec->linux_;
	const struct oci_device *usual;
	size_t n = devices_default(&usual);
	struct external_places all = { 0 };

	all.items = arena_array(arena,
				n + l->ndevices + spec->nmounts + 1 +
					l->masked_paths.n,
				sizeof *all.items);
	if (!all.items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		add_place(&all, usual[i].path, usual[i].path, EXTERNAL_NODE);
	for (size_t i = 0; i < l->ndevices; i++)
		add_place(&all, l->devices[i].path, l->devices[i].path,
			  EXTERNAL_NODE);
	for (size_t i = 0; i < spec->nmounts; i++)
		add_place(&all, spec->mounts[i].destination,
			  spec->mounts[i].destination,
			  kind_of(spec, &spec->mounts[i]));
	add_place(&all, NOTIFY_INSIDE, NOTIFY_INSIDE, EXTERNAL_BIND);
	for (size_t i = 0; i < l->masked_paths.n; i++)
		add_place(&all, l->masked_paths.items[i], "/dev/null",
			  EXTERNAL_NODE);
	for (size_t i = 0; i < all.n; i++) {
		all.items[i].path = real_path(arena, root, all.items[i].path);
		if (!all.items[i].path)
			return -ENOMEM;
	}
	*ret = all;
	return 0;
}

static int put_mounts(struct arena *arena, const struct mountinfo *mounts,
		      const struct external_places *places, struct pb *request)
{
	for (size_t i = 0; i < mounts->n; i++) {
		const struct mountinfo_line *m = &mounts->items[i];
		const char *name = external_name(arena, places, m);
		const char *text;

		if (!name)
			continue;
		/* criu uses brackets as delimiters. */
		if (strchr(m->point, ']') || strchr(name, ']'))
			return fail(
				0,
				"mount %s: criu does not accept ']' in a path",
				m->point);
		text = arena_printf(arena, "mnt[%s]:%s", m->point, name);
		if (!text)
			return -ENOMEM;
		pb_text(request, CRIU_EXTERNAL, text);
	}
	return 0;
}

/* criu creates the other namespaces, or shares its own. */
static int put_namespaces(struct arena *arena, int proc, pid_t pid,
			  const struct oci_spec *spec, struct pb *request)
{
	static const struct {
		enum oci_ns ns;
		const char *name;
	} known[] = { { OCI_NS_NETWORK, "extRootNetNS" },
		      { OCI_NS_PID, "extRootPidNS" } };

	for (size_t i = 0; i < COUNT(known); i++) {
		const char *type = oci_ns_kinds[known[i].ns].proc;
		char file[64];
		struct stat st;
		const char *text;

		if (!spec->linux_.namespaces[known[i].ns].path)
			continue;
		snprintf(file, sizeof file, "%d/ns/%s", pid, type);
		if (fstatat(proc, file, &st, 0) < 0)
			return fail(errno,
				    "inspect /proc/%s, a namespace of the "
				    "container",
				    file);
		text = arena_printf(arena, "%s[%llu]:%s", type,
				    (unsigned long long)st.st_ino,
				    known[i].name);
		if (!text)
			return -ENOMEM;
		pb_text(request, CRIU_EXTERNAL, text);
	}
	return 0;
}

int external_put_dump(struct arena *arena, int proc, pid_t pid,
		      const struct oci_spec *spec, struct pb *request)
{
	struct mountinfo mounts;
	struct external_places places;
	autoclose int root = -1;
	char name[64];
	int r;

	r = put_namespaces(arena, proc, pid, spec, request);
	if (r < 0)
		return r;
	if (!spec->linux_.namespaces[OCI_NS_MOUNT].listed)
		return 0;
	snprintf(name, sizeof name, "%d/root", pid);
	root = openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail(errno,
			    "open the container's root directory /proc/%s",
			    name);
	snprintf(name, sizeof name, "%d", pid);
	r = mountinfo_read(arena, proc, name, &mounts);
	if (r < 0)
		return r;
	r = find_places(arena, root, spec, &places);
	if (r < 0)
		return r;
	return put_mounts(arena, &mounts, &places, request);
}
