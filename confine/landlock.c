/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/landlock.c - convert rights on paths, ports and scopes to the masks
 * that a kernel accepts.
 */
#include "confine/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/policy.h"

#define FS(right) LANDLOCK_ACCESS_FS_##right

/* Rights that a rule for a file may have. */
#define NOT_OF_DIRECTORIES                                             \
	(FS(EXECUTE) | FS(WRITE_FILE) | FS(READ_FILE) | FS(TRUNCATE) | \
	 FS(IOCTL_DEV) | FS(RESOLVE_UNIX))

static const struct {
	enum landlock_right right;
	uint64_t access;
} meanings[] = {
	{ LANDLOCK_MAY_READ, FS(READ_FILE) | FS(READ_DIR) },
	{ LANDLOCK_MAY_WRITE,
	  FS(WRITE_FILE) | FS(TRUNCATE) | FS(REMOVE_DIR) | FS(REMOVE_FILE) |
		  FS(MAKE_DIR) | FS(MAKE_REG) | FS(MAKE_SOCK) | FS(MAKE_FIFO) |
		  FS(MAKE_SYM) | FS(REFER) },
	{ LANDLOCK_MAY_EXECUTE, FS(EXECUTE) },
	{ LANDLOCK_MAY_IOCTL, FS(IOCTL_DEV) },
	{ LANDLOCK_MAY_MKNOD, FS(MAKE_CHAR) | FS(MAKE_BLOCK) },
	{ LANDLOCK_MAY_CONNECT, FS(RESOLVE_UNIX) },
	{ LANDLOCK_MAY_LIST, FS(READ_DIR) },
	{ LANDLOCK_MAY_USE,
	  FS(READ_FILE) | FS(WRITE_FILE) | FS(TRUNCATE) | FS(IOCTL_DEV) },
};

/* Protections that a kernel with Landlock may lack. */
static const struct {
	enum policy_protection protection;
	int abi; /* the first version that has it */
	struct kernel_landlock_ruleset handled;
} protections[] = {
	{ PROTECT_FS_REFER, 2, { .handled_fs = FS(REFER) } },
	{ PROTECT_FS_TRUNCATE, 3, { .handled_fs = FS(TRUNCATE) } },
	{ PROTECT_NET_TCP,
	  4,
	  { .handled_net = LANDLOCK_ACCESS_NET_BIND_TCP |
			   LANDLOCK_ACCESS_NET_CONNECT_TCP } },
	{ PROTECT_FS_IOCTL_DEV, 5, { .handled_fs = FS(IOCTL_DEV) } },
	{ PROTECT_SIGNAL_SCOPE, 6, { .scoped = LANDLOCK_SCOPE_SIGNAL } },
	{ PROTECT_ABSTRACT_SCOPE,
	  6,
	  { .scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET } },
};

bool landlock_judges_sockets(const struct landlock_host *host)
{
	return host->rights.handled_fs & FS(RESOLVE_UNIX);
}

static uint64_t access_of(uint32_t rights)
{
	uint64_t access = 0;

	for (size_t i = 0; i < COUNT(meanings); i++)
		if (rights & meanings[i].right)
			access |= meanings[i].access;
	return access;
}

/* All wanted rights, whether the kernel has them or not. */
static struct kernel_landlock_ruleset wanted(const struct landlock_host *host,
					     const struct landlock_want *want)
{
	struct kernel_landlock_ruleset handled = { 0 };

	if (want->files)
		handled.handled_fs = access_of(~(uint32_t)LANDLOCK_MAY_CONNECT);
	if (want->unix_sockets && landlock_judges_sockets(host))
		handled.handled_fs |= FS(RESOLVE_UNIX);
	if (want->binds)
		handled.handled_net |= LANDLOCK_ACCESS_NET_BIND_TCP;
	if (want->connects)
		handled.handled_net |= LANDLOCK_ACCESS_NET_CONNECT_TCP;
	if (want->signals)
		handled.scoped |= LANDLOCK_SCOPE_SIGNAL;
	if (want->abstract_sockets)
		handled.scoped |= LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET;
	return handled;
}

static struct kernel_landlock_ruleset
common(const struct kernel_landlock_ruleset *a,
       const struct kernel_landlock_ruleset *b)
{
	return (struct kernel_landlock_ruleset){
		a->handled_fs & b->handled_fs,
		a->handled_net & b->handled_net,
		a->scoped & b->scoped,
	};
}

static bool is_empty(const struct kernel_landlock_ruleset *r)
{
	return !r->handled_fs && !r->handled_net && !r->scoped;
}

static void take_out(struct kernel_landlock_ruleset *from,
		     const struct kernel_landlock_ruleset *what)
{
	from->handled_fs &= ~what->handled_fs;
	from->handled_net &= ~what->handled_net;
	from->scoped &= ~what->scoped;
}

/* True if this kernel enforces all of these rights. */
static bool has(const struct landlock_host *host,
		struct kernel_landlock_ruleset rights)
{
	take_out(&rights, &host->rights);
	return is_empty(&rights);
}

static int refuse(const struct landlock_host *host,
		  enum policy_protection protection, int abi)
{
	const char *name = policy_protection_name(protection);

	if (host->abi < abi)
		return fail(
			ENOTSUP,
			"%s: requires Landlock version %d, but this kernel has "
			"version %d (list %s in config.allow_degraded to run "
			"without it)",
			name, abi, host->abi, name);
	return fail(ENOTSUP,
		    "%s: this kernel has Landlock version %d, but rejects "
		    "the rights that this protection needs (list %s in "
		    "config.allow_degraded to run without it)",
		    name, host->abi, name);
}

/* Remove rights that the kernel lacks or the policy disables. */
static int settle(const struct landlock_host *host,
		  const struct landlock_want *want, struct landlock_plan *plan)
{
	if (want->files && host->abi < 1)
		return fail(ENOTSUP,
			    "filesystem: Landlock is not available in this "
			    "kernel (add landlock to the boot parameter lsm=)");
	for (size_t i = 0; i < COUNT(protections); i++) {
		const struct kernel_landlock_ruleset wants =
			common(&plan->handled, &protections[i].handled);
		uint32_t bit = 1U << protections[i].protection;

		if (is_empty(&wants))
			continue;
		if (want->disable & bit)
			plan->disabled |= bit;
		else if (has(host, wants))
			continue;
		else if (want->allow_degraded & bit)
			plan->missing |= bit;
		else
			return refuse(host, protections[i].protection,
				      protections[i].abi);
		take_out(&plan->handled, &protections[i].handled);
	}
	if (!has(host, plan->handled))
		return fail(ENOTSUP,
			    "filesystem: this kernel has Landlock version %d, "
			    "but rejects the file rights of version 1",
			    host->abi);
	return 0;
}

/*
 * A ruleset for files denies every move between directories that no rule
 * grants, even if it does not handle moves. If the policy does not restrict
 * moves, grant them for the root, except on a kernel without this right.
 */
static bool moves_freely(const struct landlock_host *host,
			 const struct landlock_want *want,
			 const struct landlock_plan *plan)
{
	bool held = want->files && !(want->disable & 1U << PROTECT_FS_REFER);

	return !held && plan->handled.handled_fs &&
	       host->rights.handled_fs & FS(REFER);
}

static int allow_paths(struct arena *arena, const struct landlock_host *host,
		       const struct landlock_want *want,
		       struct landlock_plan *plan)
{
	struct landlock_rule *rules =
		arena_array(arena, want->npaths + 1, sizeof *rules);

	if (!rules)
		return -ENOMEM;
	for (size_t i = 0; i < want->npaths; i++) {
		uint64_t access = access_of(want->paths[i].rights) &
				  plan->handled.handled_fs;

		if (access)
			rules[plan->nrules++] = (struct landlock_rule){
				want->paths[i].path,
				{ access, access & NOT_OF_DIRECTORIES },
			};
	}
	if (moves_freely(host, want, plan)) {
		plan->handled.handled_fs |= FS(REFER);
		rules[plan->nrules++] = (struct landlock_rule){
			"/",
			{ .directory = FS(REFER) },
		};
	}
	plan->rules = rules;
	return 0;
}

static int count_ports(const struct landlock_ports *ports, size_t n,
		       size_t *ret)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (ports[i].last < ports[i].first) {
			fail(0,
			     "'%u-%u' is not a range of ports: the first must "
			     "not be greater than the last",
			     ports[i].first, ports[i].last);
			return -EINVAL;
		}
		sum += (size_t)(ports[i].last - ports[i].first) + 1;
	}
	if (sum > LANDLOCK_MOST_PORTS) {
		fail(0, "%zu ports in all, but at most %d can be allowed", sum,
		     LANDLOCK_MOST_PORTS);
		return -E2BIG;
	}
	*ret = sum;
	return 0;
}

static void add_ports(struct kernel_landlock_port *rules, size_t *n,
		      const struct landlock_ports *ports, size_t nports,
		      uint64_t access)
{
	for (size_t i = 0; access && i < nports; i++)
		for (uint32_t port = ports[i].first; port <= ports[i].last;
		     port++)
			rules[(*n)++] =
				(struct kernel_landlock_port){ access, port };
}

static int allow_ports(struct arena *arena, const struct landlock_want *want,
		       struct landlock_plan *plan)
{
	struct kernel_landlock_port *rules;
	size_t nbind, nconnect;
	int r = count_ports(want->bind, want->nbind, &nbind);

	if (r < 0)
		return fail_in(r, "network.bind");
	r = count_ports(want->connect, want->nconnect, &nconnect);
	if (r < 0)
		return fail_in(r, "network.allow");
	rules = arena_array(arena, nbind + nconnect, sizeof *rules);
	if (!rules)
		return -ENOMEM;
	add_ports(rules, &plan->nports, want->bind, want->nbind,
		  plan->handled.handled_net & LANDLOCK_ACCESS_NET_BIND_TCP);
	add_ports(rules, &plan->nports, want->connect, want->nconnect,
		  plan->handled.handled_net & LANDLOCK_ACCESS_NET_CONNECT_TCP);
	plan->ports = rules;
	return 0;
}

int landlock_plan(struct arena *arena, const struct landlock_host *host,
		  const struct landlock_want *want, struct landlock_plan *ret)
{
	struct landlock_plan plan = { .handled = wanted(host, want) };
	int r = settle(host, want, &plan);

	if (r < 0)
		return r;
	plan.needed = !is_empty(&plan.handled);
	if (want->log)
		plan.flags = host->flags &
			     LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON;
	r = allow_paths(arena, host, want, &plan);
	if (r < 0)
		return r;
	r = allow_ports(arena, want, &plan);
	if (r < 0)
		return r;
	*ret = plan;
	return 0;
}

/* Let the process reopen them as /dev/stdout with their present access mode. */
int landlock_allow_stdio(int ruleset,
			 const struct kernel_landlock_ruleset *handled)
{
	const uint64_t read = LANDLOCK_ACCESS_FS_READ_FILE;
	const uint64_t write = LANDLOCK_ACCESS_FS_WRITE_FILE |
			       LANDLOCK_ACCESS_FS_TRUNCATE;

	for (int fd = 0; fd <= 2; fd++) {
		int flags = fcntl(fd, F_GETFL), mode = flags & O_ACCMODE;
		struct landlock_access access = { 0 };
		struct stat st;

		if (flags < 0 || flags & O_PATH || fstat(fd, &st) < 0 ||
		    (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode)))
			continue;
		if (mode != O_WRONLY)
			access.other |= read;
		if (mode != O_RDONLY)
			access.other |= write;
		if (S_ISCHR(st.st_mode))
			access.other |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
		access.other &= handled->handled_fs;
		/*
		 * Landlock does not restrict files of internal file systems
		 * (EBADFD).
		 */
		if (landlock_allow(ruleset, fd, &access) < 0 && errno != EBADFD)
			return fail(errno,
				    "filesystem: allow access to the inherited "
				    "descriptor %d with Landlock",
				    fd);
	}
	return 0;
}
