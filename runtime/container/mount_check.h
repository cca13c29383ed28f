/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/mount_check.h - check mounts without a new mount namespace. */
#pragma once

struct make_input;

/*
 * For a container without a new mount namespace, check that every mount of
 * config.json exists in the namespace that the container will run in. The error
 * names the first missing one by index and destination.
 */
int mount_check(const struct make_input *in, int proc);
