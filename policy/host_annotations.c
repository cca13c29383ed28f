/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/host_annotations.c - refuse annotations that a pod's author
 * may not set.
 */
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"
#include "policy/policy.h"

static bool is_allowed(const struct strings *allowed, const char *key)
{
	for (size_t i = 0; i < allowed->n; i++)
		if (streq(allowed->items[i], key))
			return true;
	return false;
}

int host_annotations_check(const struct strings *allowed,
			   const struct oci_spec *spec)
{
	const struct oci_annotations *all = &spec->annotations;

	if (!policy_is_of_pod(all))
		return 0;
	for (size_t i = 0; i < all->n; i++) {
		const char *key = all->items[i].key;

		if (oci_annotation_touches_host(key) &&
		    !is_allowed(allowed, key))
			return fail(0,
				    "annotations.%s: affects the host, and in "
				    "a pod any user may set annotations; allow "
				    "it with --allow-annotations %s",
				    key, key);
	}
	return 0;
}
