/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/elf.h - who loads a program. Runs in the child, too: nothing here
 * allocates, formats or records an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ELF_INTERPRETER 256

bool elf_is(const char *header, size_t len);
/*
 * The PT_INTERP of a file of either class, by its first bytes and itself; ""
 * when there is none. ret has ELF_INTERPRETER bytes.
 */
void elf_interpreter(int fd, const char *header, size_t len, char *ret);
/* "#! interpreter argument": the interpreter, or "" when it is no script. */
void elf_script_interpreter(const char *header, size_t len, char *ret);
