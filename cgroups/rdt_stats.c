/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/rdt_stats.c - write statistics of resctrl: a container's share of
 * cache and memory bandwidth, and its counters.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/util.h"
#include "cgroups/internal.h"
#include "cgroups/rdt.h"
#include "oci/write.h"

#define TEXT_SIZE 16384
#define NODE "mon_data/mon_L3_"

/* A resource of the machine, and the keys that clients expect. */
struct resource {
	const char *name; /* in info/, and in the lines of schemata */
	const char *info, *root_schema, *own_schema;
	const char *mask; /* the hexadecimal one, or NULL */
	const char *numbers[4];
};

static const struct resource resources[] = {
	{ "L3",
	  "l3_cache_info",
	  "l3_cache_schema_root",
	  "l3_cache_schema",
	  "cbm_mask",
	  { "min_cbm_bits", "num_closids" } },
	{ "MB",
	  "mem_bw_info",
	  "mem_bw_schema_root",
	  "mem_bw_schema",
	  NULL,
	  { "bandwidth_gran", "delay_linear", "min_bandwidth",
	    "num_closids" } },
};

struct rdt_stats {
	const struct rdt *rdt;
	struct arena *arena;
	struct writer *w;
	char *text; /* of the file just read */
};

__attribute__((format(printf, 3, 4))) static bool
read_file(const struct rdt_stats *s, const char *dir, const char *fmt, ...)
{
	char file[CGROUP_PATH_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(file, sizeof file, fmt, ap);
	va_end(ap);
	return file_read(dir, file, s->text, TEXT_SIZE) >= 0;
}

static void put_info(const struct rdt_stats *s, const struct resource *of)
{
	const char *mount = s->rdt->mount;

	put_object(s->w, of->info);
	if (of->mask && read_file(s, mount, "info/%s/%s", of->name, of->mask))
		put_string(s->w, of->mask, s->text);
	for (size_t i = 0; i < COUNT(of->numbers) && of->numbers[i]; i++)
		if (read_file(s, mount, "info/%s/%s", of->name, of->numbers[i]))
			put_u64(s->w, of->numbers[i],
				strtoull(s->text, NULL, 10));
	put_end(s->w);
}

/* Write the group's line of a resource, without the blanks that align it. */
static void put_schema(const struct rdt_stats *s, const char *key,
		       const char *group, const char *name)
{
	size_t len = strlen(name);
	char *rest;

	if (!read_file(s, group, "schemata"))
		return;
	for (char *line = strtok_r(s->text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		line += strspn(line, " ");
		if (starts_with(line, name) && line[len] == ':')
			put_string(s->w, key, line);
	}
}

/* Write the counters of every node, except those that the machine lacks. */
static void put_counters(const struct rdt_stats *s, const char *key,
			 const char *const *names, size_t n)
{
	const char *group = s->rdt->monitor ? s->rdt->monitor : s->rdt->group;
	struct strings nodes = { 0 };
	bool begun = false;

	if (names_in(s->arena, group, "mon_data", "mon_L3_", "", &nodes) < 0)
		s->w->error = -ENOMEM;
	for (size_t i = 0; i < nodes.n; i++) {
		const char *node = nodes.items[i];

		if (!read_file(s, group, NODE "%s/%s", node, names[0]))
			continue;
		if (!begun)
			put_array(s->w, key);
		begun = true;
		put_object(s->w, NULL);
		/* Skip a text such as "Unavailable". */
		for (size_t k = 0; k < n; k++)
			if (read_file(s, group, NODE "%s/%s", node, names[k]))
				put_u64(s->w, names[k],
					strtoull(s->text, NULL, 10));
		put_end(s->w);
	}
	if (begun)
		put_end(s->w);
}

static void put_group(const struct rdt_stats *s)
{
	static const char *const bandwidth[] = { "mbm_total_bytes",
						 "mbm_local_bytes" };
	static const char *const occupancy[] = { "llc_occupancy" };

	for (size_t i = 0; i < COUNT(resources); i++) {
		const struct resource *of = &resources[i];

		if (!read_file(s, s->rdt->mount, "info/%s/num_closids",
			       of->name))
			continue;
		put_info(s, of);
		put_schema(s, of->root_schema, s->rdt->mount, of->name);
		put_schema(s, of->own_schema, s->rdt->group, of->name);
	}
	put_counters(s, "mbm_stats", bandwidth, COUNT(bandwidth));
	put_counters(s, "cmt_stats", occupancy, COUNT(occupancy));
}

void rdt_put_stats(struct arena *arena, const struct rdt *rdt, struct writer *w,
		   const char *key)
{
	struct rdt_stats s = { .rdt = rdt, .arena = arena, .w = w };

	put_object(w, key);
	if (rdt->group) {
		s.text = arena_alloc(arena, TEXT_SIZE);
		if (s.text)
			put_group(&s);
		else
			w->error = -ENOMEM;
	}
	put_end(w);
}
