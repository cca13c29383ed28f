/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/gpus.c - list the host's GPU nodes for a sandbox. */
#include "runtime/sandbox/gpus.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"
#include "policy/glob.h"
#include "policy/gpus.h"

static int add_node(struct arena *arena, const char *path,
		    struct oci_linux *linux_)
{
	struct oci_device *devices;
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ?
			       0 :
			       fail(errno, "inspect the GPU device %s", path);
	if (!S_ISCHR(st.st_mode))
		return 0;
	devices = arena_grow(arena, linux_->devices, linux_->ndevices,
			     linux_->ndevices + 1, sizeof *devices);
	if (!devices)
		return -ENOMEM;
	devices[linux_->ndevices++] = (struct oci_device){
		.type = S_IFCHR,
		.path = path,
		.major = major(st.st_rdev),
		.minor = minor(st.st_rdev),
		.has_mode = true,
		.mode = st.st_mode & 07777,
		.uid = st.st_uid,
		.gid = st.st_gid,
	};
	linux_->devices = devices;
	return 0;
}

int gpus_of_host(struct arena *arena, struct oci_spec *spec)
{
	autoclose int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (root < 0)
		return fail(errno, "open / to find the GPU devices");
	for (size_t i = 0; r == 0 && policy_gpu_nodes[i]; i++) {
		struct strings found;

		r = policy_glob_expand(arena, root, policy_gpu_nodes[i],
				       &found);
		for (size_t k = 0; r == 0 && k < found.n; k++)
			r = add_node(arena, found.items[k], &spec->linux_);
	}
	return r;
}
