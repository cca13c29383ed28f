/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/delete.c - kill the processes of a container and remove its
 * files.
 */
#include "runtime/container/delete.h"

#include "base/err.h"
#include "hooks/hooks.h"
#include "oci/oci.h"
#include "runtime/container/state_dir.h"

/* Run the poststop hooks. */
static void run_poststop(struct arena *arena, const struct container *c,
			 const struct oci_hooks *hooks)
{
	struct hooks_place here = {
		.cwd = c->record.bundle,
	};
	const char *json;

	if (oci_state_for_hook(arena, &c->record, OCI_STOPPED, 0, &json) == 0)
		(void)hooks_run(hooks, HOOK_POSTSTOP, &here, json);
}

int delete_container(struct arena *arena, struct container *container,
		     const struct oci_hooks *hooks)
{
	/* A sandbox has no hooks; ignore what its directory contains. */
	bool due = !container->broken && !container->record.sandbox &&
		   (container->record.kept || container->record.hooks_begun);
	struct oci_spec spec;
	int r;

	if (due && !hooks && container_spec(arena, container, &spec) == 0)
		hooks = &spec.hooks;

	r = state_dir_end(arena, container);
	if (r < 0)
		return r;
	r = state_dir_release(container);
	if (r < 0)
		return r;
	if (due && hooks)
		run_poststop(arena, container, hooks);
	err_clear();
	return 0;
}
