/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/host_mounts.c - mount the directories of filesystem.mount. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/files.h"
#include "runtime/enforce/spec.h"

static int make_mount(const struct policy_mount *mount, bool look,
		      struct oci_mount *ret)
{
	static const char *const writable[] = { "rbind", "rw", NULL };
	static const char *const readonly[] = { "rbind", "ro", "rro", NULL };
	struct stat st;

	if (look && stat(mount->host, &st) < 0)
		return fail(errno, "filesystem.mount '%s': %s", mount->inside,
			    mount->host);
	*ret = (struct oci_mount){
		.destination = mount->inside,
		.source = mount->host,
		.type = "bind",
		.options = mount->readonly ? STRINGS_OF(readonly) :
					     STRINGS_OF(writable),
	};
	return 0;
}

int enforce_host_mounts(struct arena *arena,
			const struct enforcement *enforcement,
			struct oci_spec *spec)
{
	const struct policy_mounts *wanted = &enforcement->policy.mount;
	bool look = enforcement->creating;
	struct oci_mount *mounts;
	size_t n = spec->nmounts;

	if (!wanted->n || enforcement->view)
		return 0;
	if (!spec->linux_.namespaces[OCI_NS_MOUNT].listed ||
	    spec->linux_.namespaces[OCI_NS_MOUNT].path)
		return fail(0, "filesystem.mount needs a mount namespace of "
			       "its own");
	mounts = arena_grow(arena, spec->mounts, n, n + wanted->n,
			    sizeof *mounts);
	if (!mounts)
		return -ENOMEM;
	for (size_t i = 0; i < wanted->n; i++) {
		int r;

		if (look && policy_mount_is_absent(&wanted->items[i]))
			continue;
		r = make_mount(&wanted->items[i], look, &mounts[n]);
		if (r < 0)
			return r;
		n++;
	}
	spec->mounts = mounts;
	spec->nmounts = n;
	return 0;
}
