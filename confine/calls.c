/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/calls.c - numbers of system calls that libseccomp may not know yet.
 */
#include "confine/calls.h"

#include <errno.h>

#include "base/util.h"

/* From number 424 on, a new call has the same number on all architectures. */
static const struct {
	const char *name;
	int number;
} newer[] = {
	{ "set_mempolicy_home_node", 450 },
	{ "cachestat", 451 },
	{ "fchmodat2", 452 },
	{ "map_shadow_stack", 453 },
	{ "futex_wake", 454 },
	{ "futex_wait", 455 },
	{ "futex_requeue", 456 },
	{ "statmount", 457 },
	{ "listmount", 458 },
	{ "lsm_get_self_attr", 459 },
	{ "lsm_set_self_attr", 460 },
	{ "lsm_list_modules", 461 },
	{ "mseal", 462 },
	{ "setxattrat", 463 },
	{ "getxattrat", 464 },
	{ "listxattrat", 465 },
	{ "removexattrat", 466 },
	{ "open_tree_attr", 467 },
	{ "file_getattr", 468 },
	{ "file_setattr", 469 },
};

uint32_t call_newest(void)
{
	return (uint32_t)newer[COUNT(newer) - 1].number;
}

int call_number(uint32_t arch, const char *name)
{
	for (size_t i = 0; i < COUNT(newer); i++)
		if (newer[i].name[0] == name[0] && streq(newer[i].name, name))
			return newer[i].number;
	return libseccomp_number(arch, name);
}
