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

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text);

	return len >= strlen(end) && streq(text + len - strlen(end), end);
}

/* One of filesystem.mount; *ret_skip: it is optional, and not there. */
static int make_mount(struct arena *arena, const struct policy_pair *pair,
		      bool look, struct oci_mount *ret, bool *ret_skip)
{
	static const char *const writable[] = { "rbind", "rw" };
	static const char *const readonly[] = { "rbind", "ro", "rro" };
	const char *value = pair->value;
	bool optional = value[0] == '-', ro = ends_with(value, ":ro");
	bool says_how = ro || ends_with(value, ":rw");
	char *host = arena_strdup(arena, value + optional);
	struct stat st;

	if (!host)
		return -ENOMEM;
	if (says_how)
		host[strlen(host) - strlen(":ro")] = '\0';
	*ret_skip = false;
	if (look && stat(host, &st) < 0) {
		*ret_skip = optional && errno == ENOENT;
		if (!*ret_skip)
			return fail(errno, "filesystem.mount '%s': %s",
				    pair->key, host);
	}
	*ret = (struct oci_mount){
		.destination = pair->key,
		.source = host,
		.type = "bind",
		.options = ro ? (struct strings){ (const char **)readonly,
						  COUNT(readonly) } :
				(struct strings){ (const char **)writable,
						  COUNT(writable) },
	};
	return 0;
}

int enforce_host_mounts(struct arena *arena,
			const struct enforcement *enforcement,
			struct oci_spec *spec)
{
	const struct policy_map *map = &enforcement->policy.mount;
	struct oci_mount *mounts;
	size_t n = spec->nmounts;

	if (!map->n || enforcement->view)
		return 0;
	if (!spec->linux_.namespaces[OCI_NS_MOUNT].listed ||
	    spec->linux_.namespaces[OCI_NS_MOUNT].path)
		return fail(0, "filesystem.mount needs a mount namespace of "
			       "its own");
	mounts = arena_grow(arena, spec->mounts, n, n + map->n, sizeof *mounts);
	if (!mounts)
		return -ENOMEM;
	for (size_t i = 0; i < map->n; i++) {
		bool skip;
		int r = make_mount(arena, &map->items[i], enforcement->creating,
				   &mounts[n], &skip);

		if (r < 0)
			return r;
		n += !skip;
	}
	spec->mounts = mounts;
	spec->nmounts = n;
	return 0;
}
