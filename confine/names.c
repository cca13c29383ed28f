/* SPDX-License-Identifier: Apache-2.0 */
/* confine/names.c - check that names in linux.seccomp are system calls. */
#include <errno.h>

#include "base/err.h"
#include "confine/calls.h"
#include "oci/oci.h"

/* Number of libseccomp for the native architecture. */
#define NATIVE 0

/* Like crun, ignore the names in rules that change nothing. */
static int check_rule(const struct oci_seccomp *profile, size_t i)
{
	const struct oci_seccomp_rule *rule = &profile->rules[i];

	if (rule->action == profile->default_action)
		return 0;
	for (size_t k = 0; k < rule->names.n; k++)
		if (libseccomp_number(NATIVE, rule->names.items[k]) == -ENOENT)
			return fail(0,
				    "linux.seccomp.syscalls[%zu].names[%zu]: "
				    "invalid seccomp syscall '%s'",
				    i, k, rule->names.items[k]);
	return 0;
}

int calls_check_names(const struct oci_seccomp *profile)
{
	for (size_t i = 0; profile->fail_unknown && i < profile->nrules; i++) {
		int r = check_rule(profile, i);

		if (r < 0)
			return r;
	}
	return 0;
}
