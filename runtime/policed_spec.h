/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/policed_spec.h - what a policy changes in a config.json. */
#pragma once

#include "runtime/policed.h"

/* Pure. Limits meet those of the bundle at the smaller value. */
int policed_spec(struct arena *arena, struct policed *policed,
		 struct oci_spec *spec);
/* policed_mounts.c: read-only what may not be written; policed->writable. */
int policed_mounts(struct arena *arena, struct policed *policed,
		   struct oci_spec *spec);
