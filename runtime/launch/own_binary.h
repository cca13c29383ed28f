/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/own_binary.h - keep containers from writing the runtime's
 * binary.
 */
#pragma once

/*
 * Call this before entering a container whose processes can access this one: it
 * makes the runtime run from a read-only detached clone of its file, or a
 * sealed copy. It returns when that is so; if the kernel does not let a process
 * change its file, the command starts again, with descriptors 3 to 2+preserved
 * still open.
 */
#define SELF_KEEP_ALL (~0U)
int own_binary_protect(unsigned int preserved);
