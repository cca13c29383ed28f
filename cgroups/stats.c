/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/stats.c - write the usage of a container as clients of `events`
 * expect it, from the files of v1 or v2.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "cgroups/internal.h"
#include "oci/write.h"

#define TEXT_SIZE 16384
#define NS_PER_US 1000
#define NS_PER_TICK 10000000 /* USER_HZ is 100 everywhere */

struct stats {
	struct arena *arena;
	const struct cgroup *cgroup;
	const struct cgroup_member *v2; /* NULL on v1 and hybrid */
	struct writer *w;
	char *text; /* buffer of TEXT_SIZE bytes for a file */
};

/* Return the text of a controller's file; "" if it does not exist. */
static const char *read_file(const struct stats *s, const char *controller,
			     const char *file)
{
	const struct cgroup_member *m =
		s->v2 ? s->v2 :
			member_with(s->cgroup, controller, strlen(controller));

	if (!m || file_read(m->path, file, s->text, TEXT_SIZE) < 0)
		s->text[0] = '\0';
	return s->text;
}

/* "max" is the largest number, as in clients written in Go. */
static uint64_t number(const char *text)
{
	return starts_with(text, "max") ? UINT64_MAX : strtoull(text, NULL, 10);
}

static uint64_t read_number(const struct stats *s, const char *controller,
			    const char *file)
{
	return number(read_file(s, controller, file));
}

/* Return the number after a key at the start of a line. */
static uint64_t value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return number(line + len + 1);
	}
	return 0;
}

/* Write "1 2 3" as an array of numbers. */
static void put_list(struct writer *w, const char *key, const char *text)
{
	char *end;

	put_array(w, key);
	for (;;) {
		uint64_t n = strtoull(text, &end, 10);

		if (end == text)
			break;
		put_u64(w, NULL, n);
		text = end;
	}
	put_end(w);
}

static void put_cpu_usage(const struct stats *s)
{
	struct writer *w = s->w;
	const char *text;

	put_object(w, "usage");
	if (s->v2) {
		text = read_file(s, "cpu", "cpu.stat");
		put_u64(w, "total", value_of(text, "usage_usec") * NS_PER_US);
		put_u64(w, "kernel", value_of(text, "system_usec") * NS_PER_US);
		put_u64(w, "user", value_of(text, "user_usec") * NS_PER_US);
	} else {
		put_u64(w, "total", read_number(s, "cpuacct", "cpuacct.usage"));
		put_list(w, "percpu",
			 read_file(s, "cpuacct", "cpuacct.usage_percpu"));
		put_list(w, "percpu_kernel",
			 read_file(s, "cpuacct", "cpuacct.usage_percpu_sys"));
		put_list(w, "percpu_user",
			 read_file(s, "cpuacct", "cpuacct.usage_percpu_user"));
		text = read_file(s, "cpuacct", "cpuacct.stat");
		put_u64(w, "kernel", value_of(text, "system") * NS_PER_TICK);
		put_u64(w, "user", value_of(text, "user") * NS_PER_TICK);
	}
	put_end(w);
}

static void put_cpu(const struct stats *s)
{
	const char *text;

	put_object(s->w, "cpu");
	put_cpu_usage(s);
	text = read_file(s, "cpu", "cpu.stat");
	put_object(s->w, "throttling");
	put_u64(s->w, "periods", value_of(text, "nr_periods"));
	put_u64(s->w, "throttledPeriods", value_of(text, "nr_throttled"));
	put_u64(s->w, "throttledTime",
		s->v2 ? value_of(text, "throttled_usec") * NS_PER_US :
			value_of(text, "throttled_time"));
	put_end(s->w);
	put_end(s->w);
}

/* Write "0-2,7" as an array of numbers. */
static void put_ranges(struct writer *w, const char *key, const char *text)
{
	put_array(w, key);
	while (*text) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (end == text)
			break;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long n = first; n <= last; n++)
			put_u64(w, NULL, n);
		text = end + (*end == ',');
	}
	put_end(w);
}

static void put_cpuset(const struct stats *s)
{
	put_object(s->w, "cpuset");
	put_ranges(s->w, "cpus",
		   read_file(s, "cpuset",
			     s->v2 ? "cpuset.cpus.effective" :
				     "cpuset.effective_cpus"));
	put_ranges(s->w, "mems",
		   read_file(s, "cpuset",
			     s->v2 ? "cpuset.mems.effective" :
				     "cpuset.effective_mems"));
	put_end(s->w);
}

/* prefix is "memory", "memory.memsw", … of v1. */
static void put_memory_v1(const struct stats *s, const char *key,
			  const char *prefix)
{
	static const struct {
		const char *key, *file;
	} values[] = {
		{ "limit", "limit_in_bytes" },
		{ "usage", "usage_in_bytes" },
		{ "max", "max_usage_in_bytes" },
		{ "failcnt", "failcnt" },
	};
	char file[64];

	put_object(s->w, key);
	for (size_t i = 0; i < COUNT(values); i++) {
		snprintf(file, sizeof file, "%s.%s", prefix, values[i].file);
		put_u64(s->w, values[i].key, read_number(s, "memory", file));
	}
	put_end(s->w);
}

static void put_memory_v2(const struct stats *s, const char *key,
			  const char *prefix)
{
	char file[64];

	put_object(s->w, key);
	snprintf(file, sizeof file, "%s.max", prefix);
	put_u64(s->w, "limit", read_number(s, "memory", file));
	snprintf(file, sizeof file, "%s.current", prefix);
	put_u64(s->w, "usage", read_number(s, "memory", file));
	snprintf(file, sizeof file, "%s.peak", prefix);
	put_u64(s->w, "max", read_number(s, "memory", file));
	snprintf(file, sizeof file, "%s.events", prefix);
	put_u64(s->w, "failcnt", value_of(read_file(s, "memory", file), "max"));
	put_end(s->w);
}

static void put_memory_raw(const struct stats *s)
{
	char *text = (char *)read_file(s, "memory", "memory.stat"), *rest;

	put_object(s->w, "raw");
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *blank = strchr(line, ' ');

		if (!blank)
			continue;
		*blank = '\0';
		put_u64(s->w, line, number(blank + 1));
	}
	put_end(s->w);
}

static void put_memory(const struct stats *s)
{
	put_object(s->w, "memory");
	put_u64(s->w, "cache",
		value_of(read_file(s, "memory", "memory.stat"),
			 s->v2 ? "file" : "cache"));
	if (s->v2) {
		put_memory_v2(s, "usage", "memory");
		put_memory_v2(s, "swap", "memory.swap");
	} else {
		put_memory_v1(s, "usage", "memory");
		put_memory_v1(s, "swap", "memory.memsw");
		put_memory_v1(s, "kernel", "memory.kmem");
		put_memory_v1(s, "kernelTCP", "memory.kmem.tcp");
	}
	put_memory_raw(s);
	put_end(s->w);
}

static void put_pids(const struct stats *s)
{
	uint64_t limit = read_number(s, "pids", "pids.max");

	put_object(s->w, "pids");
	put_u64(s->w, "current", read_number(s, "pids", "pids.current"));
	/* Clients expect 0 for no limit. */
	put_u64(s->w, "limit", limit == UINT64_MAX ? 0 : limit);
	put_end(s->w);
}

static void put_io_entry(struct writer *w, unsigned int major,
			 unsigned int minor, const char *op, uint64_t value)
{
	put_object(w, NULL);
	put_u64(w, "major", major);
	put_u64(w, "minor", minor);
	put_string(w, "op", op);
	put_u64(w, "value", value);
	put_end(w);
}

/* v1: "8:0 Read 4096"; the last line is a total without a device. */
static void put_io_v1(const struct stats *s, const char *key, const char *file)
{
	const char *line = read_file(s, "blkio", file);

	put_array(s->w, key);
	for (; line && *line; line = strchr(line, '\n'), line += !!line) {
		unsigned int major, minor;
		uint64_t value;
		char op[16];

		if (sscanf(line, "%u:%u %15s %" SCNu64, &major, &minor, op,
			   &value) == 4)
			put_io_entry(s->w, major, minor, op, value);
	}
	put_end(s->w);
}

/* v2: "8:0 rbytes=1 wbytes=2 rios=3 wios=4 …" */
static void put_io_v2(const struct stats *s, const char *key,
		      const char *const words[2])
{
	static const char *const ops[] = { "Read", "Write" };
	const char *line = read_file(s, "io", "io.stat");

	put_array(s->w, key);
	for (; line && *line; line = strchr(line, '\n'), line += !!line) {
		unsigned int major, minor;

		if (sscanf(line, "%u:%u", &major, &minor) != 2)
			continue;
		for (int i = 0; i < 2; i++) {
			const char *at = strstr(line, words[i]);
			const char *end = strchr(line, '\n');

			if (at && (!end || at < end))
				put_io_entry(s->w, major, minor, ops[i],
					     number(at + strlen(words[i])));
		}
	}
	put_end(s->w);
}

static void put_io(const struct stats *s)
{
	static const char *const bytes[] = { " rbytes=", " wbytes=" };
	static const char *const counts[] = { " rios=", " wios=" };

	put_object(s->w, "blkio");
	if (s->v2) {
		put_io_v2(s, "ioServiceBytesRecursive", bytes);
		put_io_v2(s, "ioServicedRecursive", counts);
	} else {
		put_io_v1(s, "ioServiceBytesRecursive",
			  "blkio.throttle.io_service_bytes_recursive");
		put_io_v1(s, "ioServicedRecursive",
			  "blkio.throttle.io_serviced_recursive");
	}
	put_end(s->w);
}

/* Write one size, "2MB"; v2 does not record the maximum usage. */
static void put_huge_page(const struct stats *s, const struct cgroup_member *m,
			  const char *size)
{
	static const struct {
		const char *key, *v1, *v2;
	} values[] = {
		{ "usage", "usage_in_bytes", "current" },
		{ "max", "max_usage_in_bytes", NULL },
		{ "failcnt", "failcnt", "events" },
	};

	put_object(s->w, size);
	for (size_t i = 0; i < COUNT(values); i++) {
		const char *word = m->v2 ? values[i].v2 : values[i].v1;
		char file[CGROUP_NAME_SIZE];

		if (!word)
			continue;
		snprintf(file, sizeof file, "hugetlb.%s.%s", size, word);
		if (file_read(m->path, file, s->text, TEXT_SIZE) >= 0)
			put_u64(s->w, values[i].key,
				streq(word, "events") ?
					value_of(s->text, "max") :
					number(s->text));
	}
	put_end(s->w);
}

/* On a hybrid host this controller may be on v2. */
static void put_huge_pages(const struct stats *s)
{
	const struct cgroup_member *m = member_with(s->cgroup, "hugetlb", 7);
	struct strings sizes = { 0 };
	const char *suffix;

	if (!m)
		m = member_v2(s->cgroup);
	suffix = m && m->v2 ? ".current" : ".usage_in_bytes";
	if (m &&
	    names_in(s->arena, m->path, ".", "hugetlb.", suffix, &sizes) < 0)
		s->w->error = -ENOMEM;
	put_object(s->w, "hugetlb");
	/* "2MB.rsvd" is for reservations. */
	for (size_t i = 0; i < sizes.n; i++)
		if (!strchr(sizes.items[i], '.'))
			put_huge_page(s, m, sizes.items[i]);
	put_end(s->w);
}

void cgroup_put_stats(struct arena *arena, const struct cgroup *cgroup,
		      struct writer *w)
{
	struct stats s = { .arena = arena, .cgroup = cgroup, .w = w };

	s.text = arena_alloc(arena, TEXT_SIZE);
	if (!s.text) {
		w->error = -ENOMEM;
		return;
	}
	/* On hybrid hosts the controllers are on v1. */
	if (!member_with(cgroup, "memory", 6) &&
	    !member_with(cgroup, "pids", 4))
		s.v2 = member_v2(cgroup);
	put_cpu(&s);
	put_cpuset(&s);
	put_memory(&s);
	put_pids(&s);
	put_io(&s);
	put_huge_pages(&s);
}
