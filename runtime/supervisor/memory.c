/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/memory.c - drop pages that a waiting process does not use.
 *
 * The creation has touched most of the program's code. If no other process runs
 * this program, these pages count as private to the supervisor.
 */
#include "runtime/supervisor/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Defined by the linker: code and constants of the program's file. */
extern const char __executable_start[];
extern const char __etext[];

void memory_drop(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)__executable_start & ~(page - 1);
	uintptr_t to = (uintptr_t)__etext & ~(page - 1);

#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
	/* Never written, so the kernel reads them from the file again. */
	if (to > from)
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
}
