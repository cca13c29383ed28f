/* SPDX-License-Identifier: Apache-2.0 */
/* hooks/program.h - run one program to its end, and keep its last words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct copy;
struct hooks_place;

/* Enough for a useful last word of both streams in one recorded error. */
#define PROGRAM_TAIL 1536

/* The last bytes of a stream, ending in NUL, without trailing space. */
struct program_tail {
	char text[PROGRAM_TAIL + 1];
	size_t len;
};

struct program {
	const char *path;
	char *const *argv;
	char *const *envp;
	const char *input;		 /* standard input, whole; NULL: none */
	uint32_t timeout;		 /* seconds, 0: none */
	struct copy *out, *err;		 /* copies of the output; NULL: none */
	const struct hooks_place *place; /* NULL: as we are */
};

struct program_end {
	int status;	/* as waitpid(2) has it */
	bool timed_out; /* and killed for it */
	struct program_tail out, err;
};

/*
 * Wait for the program itself, not for children it left behind. A failure is
 * one to start it; how it ended is the caller's to judge.
 */
int program_run(const struct program *program, struct program_end *ret);
/* Anything but exit status 0, as an error with the program's own words. */
int program_check(const struct program *program, const struct program_end *end);
