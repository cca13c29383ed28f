/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/verify.h - check what criu has restored, before it runs.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "oci/oci.h"

struct creation;

/* Get the inodes of the namespaces of a process. */
int verify_inodes(int proc, pid_t pid, uint64_t ret[OCI_NAMESPACES]);
/*
 * Images may contain anything, so check that the restored processes have the
 * namespaces, capabilities, no_new_privs, seccomp and cgroup of config.json.
 */
int verify_restored(const struct creation *creation);
