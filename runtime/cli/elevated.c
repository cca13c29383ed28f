/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/elevated.c - refuse to run with more rights than the caller has. */
#include "runtime/cli/elevated.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"

/* True for capabilities of the file: ambient ones do not set AT_SECURE. */
static bool has_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { 0 };

	if (getuid() == 0)
		return false;
	return syscall(SYS_capget, &header, data) < 0 || data[0].permitted ||
	       data[1].permitted;
}

int elevated_refuse(void)
{
	const char *by = NULL;

	/* A security module may also set AT_SECURE, so find the reason. */
	if (!getauxval(AT_SECURE))
		return 0;
	if (getuid() != geteuid())
		by = "set-user-ID";
	else if (getgid() != getegid())
		by = "set-group-ID";
	else if (has_capabilities())
		by = "file capabilities";
	if (!by)
		return 0;
	return fail(0,
		    "refusing to run with elevated privileges (%s): any caller "
		    "of this program would gain them; remove them from the "
		    "file (chmod ug-s, setcap -r)",
		    by);
}
