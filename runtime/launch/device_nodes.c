/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/device_nodes.c - make device nodes by their numbers, or find the host's. */
#include "runtime/launch/device_nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/sys.h"
#include "base/util.h"
#include "oci/oci.h"
#include "runtime/plan/facts.h"
#include "runtime/plan/plan.h"

#define UEVENT_MAX 65536

void device_nodes_close(struct device_nodes *nodes)
{
	closep(&nodes->tree);
}

/* Attach the mount to the root: older kernels cannot clone a detached one. */
static int open_nodes(struct device_nodes *nodes)
{
	autoclose int fs = sys_fsopen("tmpfs");
	autoclose int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	autoclose int tree = -1;

	if (fs < 0 || root < 0 ||
	    sys_fsconfig(fs, FSCONFIG_SET_STRING, "mode", "0755") < 0 ||
	    sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
		return fail(errno, "create the tmpfs for device nodes of the "
				   "container");
	tree = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
	if (tree < 0 || sys_move_mount(tree, root) < 0)
		return fail(errno,
			    "mount the tmpfs for device nodes of the container");
	nodes->tree = take_fd(&tree);
	return 0;
}

static bool is_there(const char *path, const struct oci_device *d)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == d->type &&
	       st.st_rdev ==
		       makedev((unsigned int)d->major, (unsigned int)d->minor);
}

/* Return the name in a line such as "DEVNAME=mapper/control", below /dev. */
static const char *kernel_name(struct arena *arena, const struct oci_device *d)
{
	char path[64], *text, *line;

	snprintf(path, sizeof path, "/sys/dev/%s/%u:%u/uevent",
		 d->type == S_IFBLK ? "block" : "char", (unsigned int)d->major,
		 (unsigned int)d->minor);
	if (io_read_at(arena, AT_FDCWD, path, UEVENT_MAX, &text) < 0) {
		err_clear();
		return NULL;
	}
	while ((line = strsep(&text, "\n")))
		if (starts_with(line, "DEVNAME="))
			return line + strlen("DEVNAME=");
	return NULL;
}

const char *device_nodes_find(struct arena *arena,
			      const struct oci_device *device)
{
	const char *name, *path;

	if (is_there(device->path, device))
		return device->path;
	name = kernel_name(arena, device);
	if (!name)
		return device->path;
	path = arena_printf(arena, "/dev/%s", name);
	if (!path)
		return NULL;
	return is_there(path, device) ? path : device->path;
}

static int clone_host(struct arena *arena, const struct oci_device *device)
{
	const char *path = device_nodes_find(arena, device);
	int tree;

	if (!path)
		return -ENOMEM;
	if (!is_there(path, device))
		return fail(EPERM,
			    "device %u:%u cannot be created, and the host has "
			    "no node for it at %s",
			    (unsigned int)device->major,
			    (unsigned int)device->minor, path);
	tree = sys_open_tree(AT_FDCWD, path, OPEN_TREE_CLONE);
	return tree < 0 ? fail(errno,
			       "copy the mount of device node %s for the "
			       "container",
			       path) :
			  tree;
}

int device_nodes_make(struct device_nodes *nodes, struct arena *arena,
		      const struct oci_device *device)
{
	dev_t number = makedev((unsigned int)device->major,
			       (unsigned int)device->minor);
	char name[16];
	int r, tree;

	if (nodes->tree < 0 && (r = open_nodes(nodes)) < 0)
		return r;
	snprintf(name, sizeof name, "%u", nodes->n++);
	if (mknodat(nodes->tree, name, device->type, number) < 0)
		return errno == EPERM ? clone_host(arena, device) :
					fail(errno, "create device node %s",
					     device->path);
	if (fchownat(nodes->tree, name, device->uid, device->gid,
		     AT_SYMLINK_NOFOLLOW) < 0 ||
	    fchmodat(nodes->tree, name, device->mode & 07777, 0) < 0)
		return fail(errno, "create device node %s", device->path);
	tree = sys_open_tree(nodes->tree, name, OPEN_TREE_CLONE);
	return tree < 0 ? fail(errno,
			       "copy the mount of device node %s for the "
			       "container",
			       device->path) :
			  tree;
}

static bool may_mknod(const struct facts *facts)
{
	return !facts->rootless && !facts->in_userns &&
	       facts->caps >> CAP_MKNOD & 1;
}

int device_nodes_locate(const struct facts *facts, struct plan *plan)
{
	if (may_mknod(facts))
		return 0;
	for (size_t i = 0; i < plan->nsteps; i++) {
		struct step *step = &plan->steps[i];
		struct oci_device device;

		if (step->op != STEP_CLONE_TREE || !step->node.mode ||
		    !step->place || !starts_with(step->place, "linux.devices"))
			continue;
		device = (struct oci_device){
			.type = step->node.mode & S_IFMT,
			.path = step->text,
			.major = step->node.major,
			.minor = step->node.minor,
		};
		step->text = device_nodes_find(plan->arena, &device);
		if (!step->text)
			return -ENOMEM;
	}
	return 0;
}
