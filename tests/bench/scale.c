/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/scale.c - many containers at once: what one more costs. */
#include <string.h>

#include "tests/bench/bench.h"

#define WINDOW 20
#define PROBES 15

static const struct step *find(const struct contender *c, enum kind kind)
{
	for (size_t i = 0; i < c->nsteps; i++)
		if (c->steps[i].kind == kind)
			return &c->steps[i];
	return NULL;
}

/* A field of a file of /proc with a line `Name:  VALUE kB`, or 0. */
static long field_kib(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	char line[256];
	long value = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof line, file))
		if (strncmp(line, name, strlen(name)) == 0 &&
		    sscanf(line + strlen(name), "%ld", &value) == 1)
			break;
	fclose(file);
	return value;
}

/* What the processes of all have for themselves, their shared pages shared out. */
static long memory_kib(const struct contender *c, unsigned int n)
{
	const struct step *pid = find(c, STEP_PID);
	char path[64];
	long sum = 0;

	for (unsigned int i = 1; pid && i <= n; i++) {
		snprintf(path, sizeof path, "/proc/%d/smaps_rollup",
			 spawn_pid(pid, i));
		sum += field_kib(path, "Pss:");
	}
	return sum;
}

/* The median of the creates that made the n-th container and those before. */
static double window(const struct contender *c, size_t n)
{
	double part[WINDOW];
	size_t from = n < WINDOW ? 0 : n - WINDOW;

	memcpy(part, c->us + from, sizeof part);
	return median(part, WINDOW);
}

static void probe(struct contender *c, const struct step *step)
{
	double us[PROBES];

	for (size_t i = 0; i < PROBES; i++) {
		struct usage usage = { 0 };

		if (spawn_copies(c, step, 1, 1, &usage) < 0)
			return;
		us[i] = usage.us;
	}
	printf(", ");
	json_text(step->name);
	printf(": %.1f", median(us, PROBES));
}

static unsigned int create_all(struct contender *c, unsigned int n)
{
	const struct step *create = find(c, STEP_CREATE);
	unsigned int i;

	for (i = 0; create && i < n && i < MAX_ROUNDS; i++) {
		struct usage usage = { 0 };

		if (spawn_copies(c, create, i + 1, 1, &usage) < 0)
			break;
		c->us[i] = usage.us;
	}
	return i;
}

static void remove_all(struct contender *c, unsigned int n)
{
	const struct step *remove = find(c, STEP_REMOVE);

	for (unsigned int i = 1; remove && i <= n; i++) {
		struct usage usage = { 0 };

		(void)spawn_copies(c, remove, i, 1, &usage);
		spawn_collect();
	}
}

static void measure(const struct bench_case *bench, struct contender *c)
{
	long before = field_kib("/proc/meminfo", "MemAvailable:"), after;
	unsigned int n = create_all(c, bench->alive);

	after = field_kib("/proc/meminfo", "MemAvailable:");
	printf(", \"alive\": %u", n);
	if (n >= WINDOW)
		printf(", \"create at 1\": %.1f", window(c, 1));
	if (n >= 100)
		printf(", \"create at 100\": %.1f", window(c, 100));
	if (n > 100)
		printf(", \"create at %u\": %.1f", n, window(c, n));
	if (n > 0)
		printf(", \"pss_kib\": %.1f, \"kib\": %.1f",
		       (double)memory_kib(c, n) / n,
		       (double)(before - after) / n);
	for (size_t i = 0; i < c->nsteps; i++)
		if (c->steps[i].kind == STEP_PROBE && n == bench->alive)
			probe(c, &c->steps[i]);
	remove_all(c, n);
}

void scale_run(struct bench_case *bench, bool *first)
{
	for (size_t i = 0; i < bench->ncontenders; i++) {
		struct contender *c = &bench->contenders[i];

		printf("%s\n  {\"case\": ", *first ? "" : ",");
		*first = false;
		json_text(bench->name);
		printf(", \"mode\": \"scale\", \"by\": ");
		json_text(c->name);
		if (!c->unable)
			measure(bench, c);
		if (c->unable) {
			printf(", \"unable\": ");
			json_text(c->unable);
		}
		putchar('}');
	}
}
