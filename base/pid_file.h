/* SPDX-License-Identifier: Apache-2.0 */
/* base/pid_file.h - write the pid of a container to a file. */
#pragma once

#include <sys/types.h>

/*
 * Write the pid in decimal, without newline, atomically; path is relative to
 * the cwd.
 */
int pid_file_write(const char *path, pid_t pid);
