/* SPDX-License-Identifier: Apache-2.0 */
/* network/bundle.c - plan the network rules of a container. */
#include "network/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/root.h"
#include "base/util.h"

#define ARENA_SIZE (16UL << 20) /* mapped; touched only when used */
#define HOSTS "/etc/hosts"
#define MAX_HOSTS (4UL << 20)
#define NO_HOSTS "127.0.0.1\tlocalhost\n::1\tlocalhost\n"
#define READ_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* The rest of /etc/hosts below the destination of a mount; NULL: not there. */
static const char *rest_below(const char *destination)
{
	size_t len = strlen(destination);

	if (streq(destination, "/"))
		return HOSTS;
	if (strncmp(HOSTS, destination, len) != 0)
		return NULL;
	return HOSTS[len] == '/' || !HOSTS[len] ? &HOSTS[len] : NULL;
}

static int open_below(const char *folder, const char *rest)
{
	autoclose int root = open(folder, O_PATH | O_CLOEXEC);

	if (root < 0)
		return -1;
	return *rest ? root_open(root, rest, READ_FLAGS) :
		       open(folder, READ_FLAGS);
}

/* Open the file that the container would see without us; -1: none. */
static int open_hosts(struct arena *arena, const struct net_bundle_want *want,
		      const struct oci_spec *spec)
{
	for (size_t i = spec->nmounts; i-- > 0;) {
		const struct oci_mount *mount = &spec->mounts[i];
		const char *rest = rest_below(mount->destination);
		const char *source = mount->source;

		if (!rest)
			continue;
		if (!oci_mount_is_bind(mount) || !source)
			return -1;
		if (*source != '/')
			source = arena_printf(arena, "%s/%s",
					      want->path ? want->path : ".",
					      source);
		return source ? open_below(source, rest) : -1;
	}
	return open_below(want->rootfs, HOSTS);
}

/* The names of the rules first: the first line with a name wins. */
static int write_hosts(struct arena *arena, const struct net_bundle_want *want,
		       const struct oci_spec *spec, struct net_bundle *bundle)
{
	autoclose int fd = open_hosts(arena, want, spec);
	char *text = NULL;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		int r = io_read_all(arena, fd, MAX_HOSTS, &text, NULL);

		if (r < 0)
			return fail_in(r, "read " HOSTS " of the container");
	}
	bundle->hosts = arena_printf(arena, "%s%s", bundle->plan.hosts,
				     text ? text : NO_HOSTS);
	return bundle->hosts ? 0 : -ENOMEM;
}

static int mount_hosts(struct arena *arena, const struct net_bundle_want *want,
		       struct oci_spec *spec)
{
	static const char *const options[] = { "bind",	"ro",	  "nosuid",
					       "nodev", "noexec", "rprivate",
					       NULL };
	const struct oci_namespace *ns = &spec->linux_.namespaces[OCI_NS_MOUNT];
	struct oci_mount *mounts;

	if (!ns->listed || ns->path)
		return fail(0,
			    "network.allow: names in rules require the "
			    "container's own mount namespace, for " HOSTS
			    ": add one to linux.namespaces, or write addresses "
			    "instead of names");
	mounts = arena_grow(arena, spec->mounts, spec->nmounts,
			    spec->nmounts + 1, sizeof *mounts);
	if (!mounts)
		return -ENOMEM;
	mounts[spec->nmounts++] = (struct oci_mount){
		.destination = HOSTS,
		.source = want->hosts,
		.type = "bind",
		.options = STRINGS_OF(options),
	};
	spec->mounts = mounts;
	return 0;
}

/* The supervisor of a container executes no program to resolve names. */
static int refuse_dns(struct net_plan *plan)
{
	for (size_t i = 0; i < plan->rules.n_allow; i++)
		if (plan->rules.allow[i].rule.host.kind == NET_HOST_BELOW)
			return fail(0,
				    "network.allow: '%s': names below a domain "
				    "are not enforced in containers by this "
				    "build: list the names one by one",
				    plan->rules.allow[i].text);
	plan->routing.answers_dns = false;
	return 0;
}

int net_bundle_make(struct arena *arena, const struct net_bundle_want *want,
		    struct oci_spec *spec, struct net_bundle **ret)
{
	struct net_bundle *bundle = arena_alloc(arena, sizeof *bundle);
	int r = bundle ? arena_open(&bundle->arena, ARENA_SIZE) : -ENOMEM;

	if (r < 0)
		return r;
	*ret = bundle;
	r = net_plan_make(&bundle->arena, want->policy, &bundle->plan);
	if (r == 0)
		r = refuse_dns(&bundle->plan);
	if (r < 0 || !is_set(bundle->plan.hosts))
		return r;
	r = write_hosts(arena, want, spec, bundle);
	return r < 0 ? r : mount_hosts(arena, want, spec);
}

void net_bundle_close(struct net_bundle *bundle)
{
	if (bundle)
		arena_close(&bundle->arena);
}
