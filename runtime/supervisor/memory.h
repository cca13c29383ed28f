/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/supervisor/memory.h - give back the memory of the creation. */
#pragma once

/*
 * Drop the pages of the program's file, which come back when they are used, and
 * free memory of the heap.
 */
void memory_drop(void);
