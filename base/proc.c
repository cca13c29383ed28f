/* SPDX-License-Identifier: Apache-2.0 */
/* base/proc.c - open files of a verified procfs; the child uses it, too. */
#include "base/proc.h"

#include "base/sys.h"

int proc_open_at(int proc, const char *path, int flags)
{
	return sys_openat2(proc, path, (uint64_t)flags, 0,
			   KERNEL_RESOLVE_BENEATH | KERNEL_RESOLVE_NO_XDEV |
				   KERNEL_RESOLVE_NO_MAGICLINKS);
}
