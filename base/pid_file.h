/* SPDX-License-Identifier: Apache-2.0 */
/* base/pid_file.h - tell engines which process it is. */
#pragma once

#include <sys/types.h>

/* Decimal, no newline, whole or not at all; relative to the caller. */
int pid_file_write(const char *path, pid_t pid);
