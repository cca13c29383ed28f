/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/external_restore.c - assign resources of this host to the
 * names in the images.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/mountinfo.h"
#include "base/proc.h"
#include "base/root.h"
#include "base/util.h"
#include "runtime/checkpoint/criu.h"
#include "runtime/checkpoint/external.h"
#include "runtime/checkpoint/protobuf.h"
#include "runtime/launch/device_nodes.h"
#include "runtime/launch/sd_notify.h"
#include "runtime/plan/join.h"
#include "runtime/plan/mounts.h"

/* `below` is appended to both name and source. */
static int put_mount(struct arena *arena, struct pb *request, const char *name,
		     const char *below, const char *source)
{
	const char *text = arena_printf(arena, "mnt[%s%s]:%s%s", name, below,
					source, below);

	if (!text)
		return -ENOMEM;
	pb_text(request, CRIU_EXTERNAL, text);
	return 0;
}

/* Return allocated memory; NULL with a recorded error if there is none. */
static char *find_source(const struct make_input *in,
			 const struct oci_mount *mount)
{
	const char *path = mount->source;
	char *real;

	if (!is_set(path)) {
		fail(0, "source: required for a bind mount");
		return NULL;
	}
	if (path[0] != '/')
		path = arena_printf(in->arena, "%s/%s", in->settings.bundle,
				    path);
	if (!path)
		return NULL;
	real = realpath(path, NULL);
	if (!real)
		fail(errno, "source: find %s", path);
	return real;
}

/* Assign the bind, the mounts below its source, and read-only paths in it. */
static int put_bind(const struct make_input *in, const struct oci_mount *mount,
		    const struct mountinfo *host, struct pb *request)
{
	const struct strings *paths = &in->spec->linux_.readonly_paths;
	autofree char *source = find_source(in, mount);
	int r;

	if (!source)
		return -EINVAL;
	r = put_mount(in->arena, request, mount->destination, "", source);
	for (size_t i = 0; r >= 0 && i < host->n; i++) {
		const char *below =
			external_below(host->items[i].point, source);

		if (below && *below)
			r = put_mount(in->arena, request, mount->destination,
				      below, source);
	}
	for (size_t i = 0; r >= 0 && i < paths->n; i++) {
		const char *below =
			external_below(paths->items[i], mount->destination);

		if (below && *below)
			r = put_mount(in->arena, request, mount->destination,
				      below, source);
	}
	return r;
}

static const char *own_directory(const struct cgroup *cgroup,
				 const struct cgroup_hierarchy *h)
{
	for (size_t i = 0; i < cgroup->n; i++)
		if (cgroup->items[i].v2 == h->v2 &&
		    streq(cgroup->items[i].controllers, h->controllers))
			return cgroup->items[i].path;
	return h->mount;
}

/* Like mount_cgroup.c does without a cgroup namespace. */
static int put_cgroups(const struct make_input *in, const struct cgroup *cgroup,
		       const struct oci_mount *mount, struct pb *request)
{
	const struct cgroup_layout *layout = &in->facts->cgroups;

	if (in->spec->linux_.namespaces[OCI_NS_CGROUP].listed)
		return 0;
	if (layout->mode == CGROUP_V2)
		return put_mount(in->arena, request, mount->destination, "",
				 layout->items[0].mount);
	for (size_t i = 0; i < layout->n; i++) {
		const struct cgroup_hierarchy *h = &layout->items[i];
		const char *name = arena_printf(in->arena, "%s%s",
						mount->destination,
						strrchr(h->mount, '/'));
		int r = name ? put_mount(in->arena, request, name, "",
					 own_directory(cgroup, h)) :
			       -ENOMEM;

		if (r < 0)
			return r;
	}
	return 0;
}

static int put_nodes(const struct make_input *in, struct pb *request)
{
	const struct oci_linux *l = &in->spec->linux_;
	const struct oci_device *usual;
	size_t n = devices_default(&usual);
	int r = 0;

	/* This includes /dev/null, which masks use. */
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = put_mount(in->arena, request, usual[i].path, "",
			      usual[i].path);
	for (size_t i = 0; r >= 0 && i < l->ndevices; i++) {
		const char *path = device_nodes_find(in->arena, &l->devices[i]);

		r = path ? put_mount(in->arena, request, l->devices[i].path, "",
				     path) :
			   -ENOMEM;
	}
	return r;
}

int external_put_restore(const struct make_input *in,
			 const struct cgroup *cgroup, const char *notify,
			 struct pb *request)
{
	autoclose int proc = proc_open();
	struct mountinfo host;
	int r;

	if (proc < 0)
		return proc;
	r = mountinfo_read(in->arena, proc, "self", &host);
	if (r >= 0)
		r = put_nodes(in, request);
	if (r >= 0)
		r = put_mount(in->arena, request, NOTIFY_INSIDE, "", notify);
	for (size_t i = 0; r >= 0 && i < in->spec->nmounts; i++) {
		const struct oci_mount *m = &in->spec->mounts[i];

		if (oci_mount_is_bind(m))
			r = put_bind(in, m, &host, request);
		else if (m->type && streq(m->type, "cgroup"))
			r = put_cgroups(in, cgroup, m, request);
		if (r < 0)
			return fail_in(r, "mounts[%zu]", i);
	}
	return r;
}

/* The name that external_dump.c has used. */
static const char *inherited_name(enum oci_ns ns)
{
	return ns == OCI_NS_NETWORK ? "extRootNetNS" :
	       ns == OCI_NS_PID	    ? "extRootPidNS" :
				      NULL;
}

static int put_namespace(struct criu *criu, const struct make_input *in,
			 enum oci_ns ns, struct pb *request)
{
	const char *path = in->spec->linux_.namespaces[ns].path;
	struct pb entry = { .arena = in->arena };

	if (inherited_name(ns)) {
		criu->fds[criu->nfds] = in->join->fds[ns];
		pb_text(&entry, 1, inherited_name(ns));
		pb_number(&entry, 2, CRIU_FIRST_FD + criu->nfds++);
		pb_message(request, CRIU_INHERIT_FD, &entry);
		return 0;
	}
	if (ns != OCI_NS_IPC && ns != OCI_NS_UTS && ns != OCI_NS_TIME)
		return fail(0,
			    "linux.namespaces (%s): criu cannot restore into "
			    "an existing namespace",
			    oci_ns_kinds[ns].type);
	pb_text(&entry, 1, oci_ns_kinds[ns].proc);
	pb_text(&entry, 2, path);
	pb_message(request, CRIU_JOIN_NS, &entry);
	return 0;
}

int external_put_namespaces(struct criu *criu, const struct make_input *in,
			    struct pb *request)
{
	for (int ns = 0; ns < OCI_NAMESPACES; ns++) {
		int r = in->join->fds[ns] < 0 ?
				0 :
				put_namespace(criu, in, ns, request);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Find the mount that contains a destination (NULL: rootfs), and the path in
 * it.
 */
static const struct oci_mount *find_parent(const struct oci_spec *spec,
					   size_t at, const char **ret_below)
{
	const struct oci_mount *parent = NULL;

	*ret_below = spec->mounts[at].destination;
	for (size_t i = 0; i < at; i++) {
		const char *below = external_below(spec->mounts[at].destination,
						   spec->mounts[i].destination);

		if (below && *below && strlen(below) <= strlen(*ret_below)) {
			parent = &spec->mounts[i];
			*ret_below = below;
		}
	}
	return parent;
}

static int make_point(const struct make_input *in, int root,
		      const struct oci_mount *mount, const char *path)
{
	autofree char *source = NULL;
	autoclose int point = -1;
	struct stat st = { .st_mode = S_IFDIR };
	bool created;

	if (oci_mount_is_bind(mount)) {
		source = find_source(in, mount);
		if (!source)
			return -EINVAL;
		if (stat(source, &st) < 0)
			return fail(errno, "source: find %s", source);
	}
	point = S_ISDIR(st.st_mode) ?
			root_make_dir(root, path, 0755, &created) :
			root_make_file(root, path, &created);
	return point < 0 ? fail(errno, "create the mount point %s",
				mount->destination) :
			   0;
}

/* Do this only in the rootfs or the source of a bind: criu restores others. */
static int make_point_of(const struct make_input *in, size_t at)
{
	const char *below;
	const struct oci_mount *parent = find_parent(in->spec, at, &below);
	autofree char *source = NULL;
	autoclose int root = -1;

	if (parent && !oci_mount_is_bind(parent))
		return 0;
	if (parent) {
		source = find_source(in, parent);
		if (!source)
			return -EINVAL;
	}
	root = open(source ? source : in->settings.rootfs,
		    O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail(errno, "open %s to create the mount point inside",
			    source ? source : in->settings.rootfs);
	return make_point(in, root, &in->spec->mounts[at], below);
}

int external_make_points(const struct make_input *in)
{
	for (size_t i = 0; i < in->spec->nmounts; i++) {
		int r = make_point_of(in, i);

		if (r < 0)
			return fail_in(r, "mounts[%zu]", i);
	}
	return 0;
}
