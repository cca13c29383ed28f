/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz.h - what every target shares.
 *
 * A target takes any bytes. parse() is the product's: it takes them or says
 * why not. accepted() gets what was taken and demands what must then be true.
 * Its memory is an arena whose pieces are objects of their own, so that
 * the sanitizer sees their ends (arena.c), and parse() is called once more
 * with less of it than it needs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/util.h"
#include "oci/oci.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_target {
	int (*parse)(struct arena *arena, const char *text, size_t len);
	void (*accepted)(struct arena *arena);
};

/* Always 0, as libFuzzer wants it. */
int fuzz(const struct fuzz_target *target, const uint8_t *data, size_t size);

/* Abort, and say which fact does not hold. */
#define demand(fact) ((fact) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #fact))
__attribute__((noreturn)) void fuzz_broken(const char *file, int line,
					   const char *fact);
/* A failure must have a message. */
void demand_reason(int r);

/* Both or neither, and alike. */
bool fuzz_same_text(const char *a, const char *b);
bool fuzz_is_utf8(const char *text);
/* Up to a NUL, if there is one; NULL: no memory. */
char *fuzz_text(struct arena *arena, const char *text, size_t len);
/* The lines of it. */
int fuzz_lines(struct arena *arena, const char *text, size_t len,
	       struct strings *ret);
