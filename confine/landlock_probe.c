/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/landlock_probe.c - find out what the kernel's Landlock enforces.
 *
 * The version says what a kernel may have. Some distributions report a version
 * but refuse rights that belong to it, so each right and flag is tried.
 */
#include "confine/landlock.h"

#include <errno.h>

#include "base/auto.h"
#include "base/sys.h"
#include "base/util.h"

#define FS(right) LANDLOCK_ACCESS_FS_##right
#define NO_RULESET (-2)

static const struct {
	int abi;
	struct kernel_landlock_ruleset rights;
	uint32_t flags;
} versions[] = {
	{ 1,
	  { .handled_fs = FS(EXECUTE) | FS(WRITE_FILE) | FS(READ_FILE) |
			  FS(READ_DIR) | FS(REMOVE_DIR) | FS(REMOVE_FILE) |
			  FS(MAKE_CHAR) | FS(MAKE_DIR) | FS(MAKE_REG) |
			  FS(MAKE_SOCK) | FS(MAKE_FIFO) | FS(MAKE_BLOCK) |
			  FS(MAKE_SYM) },
	  0 },
	{ 2, { .handled_fs = FS(REFER) }, 0 },
	{ 3, { .handled_fs = FS(TRUNCATE) }, 0 },
	{ 4,
	  { .handled_net = LANDLOCK_ACCESS_NET_BIND_TCP |
			   LANDLOCK_ACCESS_NET_CONNECT_TCP },
	  0 },
	{ 5, { .handled_fs = FS(IOCTL_DEV) }, 0 },
	{ 6,
	  { .scoped = LANDLOCK_SCOPE_SIGNAL |
		      LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET },
	  0 },
	{ 7, { 0 }, LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON },
	{ 9, { .handled_fs = FS(RESOLVE_UNIX) }, 0 },
};

struct landlock_host landlock_of_version(int abi)
{
	struct landlock_host host = { .abi = abi };

	for (size_t i = 0; i < COUNT(versions) && versions[i].abi <= abi; i++) {
		const struct kernel_landlock_ruleset *more =
			&versions[i].rights;

		host.rights.handled_fs |= more->handled_fs;
		host.rights.handled_net |= more->handled_net;
		host.rights.scoped |= more->scoped;
		host.flags |= versions[i].flags;
	}
	return host;
}

/* Other errors, such as a limit, say nothing about the right or flag. */
static bool is_refused(int err)
{
	return err == EINVAL || err == E2BIG;
}

void landlock_try_rights(struct landlock_host *host,
			 int (*try)(const struct kernel_landlock_ruleset *))
{
	struct kernel_landlock_ruleset one = { 0 };
	const struct {
		uint64_t *rights, *right;
	} parts[] = {
		{ &host->rights.handled_fs, &one.handled_fs },
		{ &host->rights.handled_net, &one.handled_net },
		{ &host->rights.scoped, &one.scoped },
	};

	if (!is_refused(try(&host->rights)))
		return;
	for (size_t i = 0; i < COUNT(parts); i++) {
		for (uint64_t left = *parts[i].rights; left; left &= left - 1) {
			*parts[i].right = left & -left;
			if (is_refused(try(&one)))
				*parts[i].rights &= ~*parts[i].right;
		}
		*parts[i].right = 0;
	}
}

static int try_ruleset(const struct kernel_landlock_ruleset *rights)
{
	autoclose int fd = landlock_create(rights);

	return fd < 0 ? errno : 0;
}

void landlock_try_flags(struct landlock_host *host, int (*try)(uint32_t))
{
	uint32_t all = host->flags;

	if (!all || !is_refused(try(all)))
		return;
	for (uint32_t left = all; left; left &= left - 1)
		if (is_refused(try(left & -left)))
			host->flags &= ~(left & -left);
}

/* The kernel checks flags before the ruleset, so pass an invalid ruleset. */
static int try_restrict(uint32_t flags)
{
	return sys_landlock_restrict_self(NO_RULESET, flags) < 0 ? errno : 0;
}

struct landlock_host landlock_probe(void)
{
	int abi = sys_landlock_create_ruleset(NULL, 0,
					      LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_host host = landlock_of_version(abi < 0 ? 0 : abi);

	if (host.abi == 0)
		return host;
	landlock_try_rights(&host, try_ruleset);
	landlock_try_flags(&host, try_restrict);
	return host;
}
