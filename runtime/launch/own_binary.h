/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/own_binary.h - our own binary is on the host: nobody inside may write it. */
#pragma once

/*
 * Before entering a container whose processes can look at us: run from a
 * read-only detached clone of our own file, or a sealed copy. Returns at once
 * when that is so already; otherwise the command starts anew, with descriptors
 * 3 to 2+preserved still open.
 */
#define SELF_KEEP_ALL (~0U)
int own_binary_protect(unsigned int preserved);
