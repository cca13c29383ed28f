/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/elf.h - find the loader or interpreter of a program. The child calls
 * these functions, too: they do not allocate, format or record an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ELF_INTERPRETER 256

bool elf_is(const char *header, size_t len);
/*
 * Get the PT_INTERP of a file of either class; header is its first len bytes.
 * "" if there is none. ret has ELF_INTERPRETER bytes.
 */
void elf_interpreter(int fd, const char *header, size_t len, char *ret);
/* Get the interpreter of "#! interpreter argument", or "" for other files. */
void elf_script_interpreter(const char *header, size_t len, char *ret);
