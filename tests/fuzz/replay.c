/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/replay.c - a fuzz target as a test: its seeds, their beginnings,
 * and everything that has ever broken it.
 *
 * Run as tests/fuzz/NAME; the inputs are below $srcdir/tests/fuzz.
 */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "tests/fuzz/fuzz.h"

#define MAX_FILE ((size_t)1 << 20)
#define BEGINNINGS 200 /* of one seed, at most */

/* A copy of its own, so that the sanitizer sees where it ends. */
static void run_one(const uint8_t *data, size_t size)
{
	autofree uint8_t *copy = malloc(size ? size : 1);

	demand(copy);
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
}

static void run_file(const char *path, bool beginnings)
{
	autofree uint8_t *data = malloc(MAX_FILE);
	FILE *file = fopen(path, "re");
	size_t size;

	/* The last line of a test that aborts says which file it was. */
	printf("# %s\n", path);
	fflush(stdout);
	demand(data && file);
	size = fread(data, 1, MAX_FILE, file);
	demand(!ferror(file) && size < MAX_FILE);
	(void)fclose(file);
	run_one(data, size);
	for (size_t i = 0; beginnings && i < size; i += 1 + size / BEGINNINGS)
		run_one(data, i);
}

/* How many files there are; a directory that is missing has none. */
static size_t run_all(const char *kind, const char *name, bool beginnings)
{
	const char *srcdir = getenv("srcdir");
	char path[PATH_MAX];
	struct dirent **files;
	int n;

	snprintf(path, sizeof path, "%s/tests/fuzz/%s/%s",
		 srcdir ? srcdir : ".", kind, name);
	n = scandir(path, &files, NULL, alphasort);
	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++) {
		autofree struct dirent *file = files[i];
		char whole[PATH_MAX + sizeof file->d_name + 1];

		snprintf(whole, sizeof whole, "%s/%s", path, file->d_name);
		if (file->d_name[0] != '.')
			run_file(whole, beginnings);
	}
	free(files);
	return n < 2 ? 0 : (size_t)n - 2;
}

int main(int argc, char **argv)
{
	const char *name = argc > 0 ? basename(argv[0]) : "";
	size_t seeds = run_all("seeds", name, true);
	size_t regressions = run_all("regressions", name, false);

	printf("%s 1 - %s: %zu seeds, %zu regressions\n1..1\n",
	       seeds ? "ok" : "not ok", name, seeds, regressions);
	return seeds ? EXIT_SUCCESS : EXIT_FAILURE;
}
