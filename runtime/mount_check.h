/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/mount_check.h - mounts of a container that has no namespace of them. */
#pragma once

struct make_input;

/*
 * Of a container without a new mount namespace: is every mount of config.json
 * there already, in the namespace that it will be in? The first that is not is
 * named by index and destination.
 */
int mount_check(const struct make_input *in, int proc);
