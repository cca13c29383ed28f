/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks/program.h - run one program to its end, and keep the end of its output.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct copy;
struct hooks_place;

/* Enough for the end of both streams in one recorded error. */
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
	const char *input;		 /* for standard input; NULL: none */
	uint32_t timeout;		 /* seconds, 0: none */
	struct copy *out, *err;		 /* copies of the output; NULL: none */
	const struct hooks_place *place; /* NULL: no changes */
};

struct program_end {
	int status;	/* as from waitpid(2) */
	bool timed_out; /* and killed for that */
	struct program_tail out, err;
};

/*
 * Run a program and wait for it, but not for children it left behind. This
 * fails only if the program cannot start; the caller checks how it ended.
 */
int program_run(const struct program *program, struct program_end *ret);
/*
 * Find a program of ours that is installed beside us: in the directory that
 * SANDLOCK_LIBEXEC names, or where it was installed. `need` is what requires it,
 * `instead` what a user can do without it.
 */
int program_find_helper(struct arena *arena, const char *name, const char *need,
			const char *instead, const char **ret);
/* Fail unless the exit status is 0; the error contains the program's output. */
int program_check(const struct program *program, const struct program_end *end);
