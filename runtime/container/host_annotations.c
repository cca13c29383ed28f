/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/host_annotations.c - annotations that a pod's author may not set. */
#include "runtime/container/host_annotations.h"

#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"
#include "policy/policy.h"
#include "runtime/cli/command.h"

static bool is_allowed(const struct globals *globals, const char *key)
{
	for (size_t i = 0; i < globals->allow_annotations.n; i++)
		if (streq(globals->allow_annotations.items[i], key))
			return true;
	return false;
}

int annotated_check(const struct globals *globals, const struct oci_spec *spec)
{
	const struct oci_annotations *all = &spec->annotations;

	if (!policy_is_of_pod(all))
		return 0;
	for (size_t i = 0; i < all->n; i++) {
		const char *key = all->items[i].key;

		if (oci_annotation_touches_host(key) &&
		    !is_allowed(globals, key))
			return fail(0,
				    "annotations.%s: touches the host, and in "
				    "a pod anybody may have written it; allow "
				    "it with --allow-annotations %s",
				    key, key);
	}
	return 0;
}
