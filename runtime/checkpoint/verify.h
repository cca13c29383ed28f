/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/checkpoint/verify.h - look at what criu has made, before it runs. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "oci/oci.h"

struct creation;

/* The namespaces a process is in. */
int verify_inodes(int proc, pid_t pid, uint64_t ret[OCI_NAMESPACES]);
/*
 * Images may say anything: the namespaces, capabilities, no_new_privs, seccomp
 * and cgroup of config.json must hold for what they were made into.
 */
int verify_restored(const struct creation *creation);
