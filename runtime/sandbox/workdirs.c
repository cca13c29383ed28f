/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/workdirs.c - open the branches of config.workdir. */
#include "cow/workdirs.h"

#include <unistd.h>

#include "base/auto.h"
#include "base/proc.h"
#include "runtime/sandbox/sandbox.h"

/* Root of the host mounts overlays with abilities that users lack. */
static int mounts_as_root(int proc, const struct decision *decision, bool *ret)
{
	bool in_userns;
	int r = proc_in_userns(proc, &in_userns);

	*ret = geteuid() == 0 && !decision->own_users && !in_userns;
	return r;
}

int sandbox_open_workdirs(struct arena *arena, const struct policy *policy,
			  const struct decision *decision,
			  struct workdirs *workdirs)
{
	autoclose int proc = policy->workdir.n ? proc_open() : -1;
	struct workdirs_wishes wishes = {
		.paths = &policy->workdir,
		.storage = policy->fs_storage,
		.proc = proc,
	};
	int r;

	if (!policy->workdir.n || decision->refusal)
		return 0;
	if (proc < 0)
		return proc;
	r = mounts_as_root(proc, decision, &wishes.privileged);
	if (r >= 0)
		r = workdirs_find(arena, &wishes, workdirs);
	return r < 0 ? r : workdirs_open(&wishes, workdirs);
}
