/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/darwin/stub.c - what macOS has and Linux has not, so that the programs
 * for macOS run here without a sandbox.
 *
 * The profile goes to the file SEATBELT_TO; with SEATBELT_REFUSES the kernel
 * refuses it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sandbox_init(const char *profile, uint64_t flags, char **errorbuf);

int sandbox_init(const char *profile, uint64_t flags, char **errorbuf)
{
	const char *to = getenv("SEATBELT_TO");
	FILE *file = to ? fopen(to, "w") : NULL;

	if (flags != 0 || getenv("SEATBELT_REFUSES")) {
		*errorbuf = strdup("line 3: unbound variable");
		errno = EINVAL;
		return -1;
	}
	if (file) {
		fputs(profile, file);
		fclose(file);
	}
	return 0;
}
