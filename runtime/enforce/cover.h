/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/cover.h - mounts that take something out of a container's
 * view: below what may be written, and on Unix sockets of others.
 */
#pragma once

#include "confine/files.h"
#include "runtime/enforce/files.h"

/*
 * Before anything is done: fails for what cannot be held; what the policy lets
 * be missing is added to *ret_missing.
 */
int enforce_check_covers(const struct enforce_files *files,
			 const struct files_carves *carves,
			 uint32_t *ret_missing);
/* In the container's mount namespace, and as who may mount there. */
int enforce_covers(const struct enforce_files *files,
		   const struct files_carves *carves);
