/* SPDX-License-Identifier: Apache-2.0 */
/* confine/landlock_child.c - apply a Landlock plan, between clone and exec. */
#include "confine/landlock.h"

#include <errno.h>
#include <sys/prctl.h>

#include "base/sys.h"

/* An older kernel accepts members that it does not know if they are zero. */
int landlock_create(const struct kernel_landlock_ruleset *handled)
{
	return sys_landlock_create_ruleset(handled, sizeof *handled, 0);
}

static int add_rule(int ruleset, int place, uint64_t allowed)
{
	const struct kernel_landlock_path rule = { .allowed = allowed,
						   .parent_fd = place };

	return allowed ?
		       sys_landlock_add_rule(ruleset,
					     KERNEL_LANDLOCK_RULE_PATH_BENEATH,
					     &rule) :
		       0;
}

/* Most are directories; for any other file the kernel refuses such rights. */
int landlock_allow(int ruleset, int place, const struct landlock_access *access)
{
	if (access->directory) {
		int r = add_rule(ruleset, place, access->directory);

		if (r == 0 || errno != EINVAL)
			return r;
	}
	return add_rule(ruleset, place, access->other);
}

int landlock_allow_ports(int ruleset, const struct kernel_landlock_port *ports,
			 size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sys_landlock_add_rule(ruleset,
					  KERNEL_LANDLOCK_RULE_NET_PORT,
					  &ports[i]) < 0)
			return -1;
	return 0;
}

int landlock_restrict(int ruleset, uint32_t flags)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return sys_landlock_restrict_self(ruleset, flags);
}
