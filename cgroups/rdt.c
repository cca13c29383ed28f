/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/rdt.c - make and join groups of resctrl: cache and memory bandwidth.
 */
#include "cgroups/rdt.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/mountinfo.h"
#include "base/proc.h"
#include "base/util.h"

#define SCHEMATA_MAX 65536
#define LINE_MAX_BYTES 4096

int rdt_mount(struct arena *arena, int proc, const char **ret)
{
	struct mountinfo mounts;
	int r = mountinfo_read(arena, proc, "self", &mounts);

	if (r < 0)
		return r;
	for (size_t i = 0; i < mounts.n; i++)
		if (streq(mounts.items[i].type, "resctrl")) {
			*ret = mounts.items[i].point;
			return 0;
		}
	return fail(0,
		    "linux.intelRdt: no resctrl file system is mounted (mount "
		    "-t resctrl resctrl /sys/fs/resctrl)");
}

static bool has_schemas(const struct oci_intel_rdt *asked)
{
	return is_set(asked->l3_cache_schema) || is_set(asked->mem_bw_schema) ||
	       asked->schemata.n;
}

int rdt_place(struct arena *arena, const char *mount,
	      const struct oci_intel_rdt *asked, const char *id,
	      struct rdt *ret)
{
	struct rdt rdt = { .mount = mount };

	if (!is_set(asked->clos_id)) {
		rdt.group = arena_printf(arena, "%s/%s", mount, id);
		rdt.own_group = true;
	} else if (streq(asked->clos_id, "/")) {
		rdt.group = mount;
		rdt.must_exist = true;
	} else {
		rdt.group = arena_printf(arena, "%s/%s", mount, asked->clos_id);
		rdt.must_exist = !has_schemas(asked);
	}
	if (!rdt.group)
		return -ENOMEM;
	if (asked->enable_monitoring) {
		rdt.monitor =
			arena_printf(arena, "%s/mon_groups/%s", rdt.group, id);
		if (!rdt.monitor)
			return -ENOMEM;
	}
	*ret = rdt;
	return 0;
}

int rdt_find(struct arena *arena, int proc, const struct oci_intel_rdt *asked,
	     const char *id, struct rdt *ret)
{
	const char *mount;
	int r = rdt_mount(arena, proc, &mount);

	return r < 0 ? r : rdt_place(arena, mount, asked, id, ret);
}

static int write_line(const char *group, const char *file, const char *text)
{
	char path[LINE_MAX_BYTES], line[LINE_MAX_BYTES];
	int n = snprintf(line, sizeof line, "%s\n", text);

	if (n < 0 || (size_t)n >= sizeof line ||
	    (size_t)snprintf(path, sizeof path, "%s/%s", group, file) >=
		    sizeof path)
		return fail(
			0,
			"the path %s/%s, or the line to write to it, is longer "
			"than %d bytes",
			group, file, LINE_MAX_BYTES - 1);

	autoclose int fd =
		open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0)
		return fail(errno, "open %s to change the resctrl group", path);
	if (write(fd, line, (size_t)n) != n)
		return fail(errno, "write '%s' to %s", text, path);
	return 0;
}

/* In the order of the specification. */
static int each_schema(const struct oci_intel_rdt *asked,
		       int (*act)(const char *schema, void *context),
		       void *context)
{
	int r = 0;

	if (is_set(asked->l3_cache_schema))
		r = act(asked->l3_cache_schema, context);
	if (r < 0)
		return fail_in(r, "linux.intelRdt.l3CacheSchema");
	if (is_set(asked->mem_bw_schema))
		r = act(asked->mem_bw_schema, context);
	if (r < 0)
		return fail_in(r, "linux.intelRdt.memBwSchema");
	for (size_t i = 0; i < asked->schemata.n; i++) {
		r = act(asked->schemata.items[i], context);
		if (r < 0)
			return fail_in(r, "linux.intelRdt.schemata[%zu]", i);
	}
	return 0;
}

static int write_schema(const char *schema, void *context)
{
	return write_line(context, "schemata", schema);
}

/* "0=00ff" and "0=ff" are the same mask. */
static bool same_value(const char *a, size_t alen, const char *b)
{
	const char *ea = memchr(a, '=', alen), *eb = strchr(b, '=');
	const char *end = a + alen;

	if (!ea || !eb || ea - a != eb - b ||
	    strncmp(a, b, (size_t)(ea - a)) != 0)
		return false;
	for (ea++; ea < end - 1 && *ea == '0'; ea++)
		;
	for (eb++; *eb == '0' && isalnum((unsigned char)eb[1]); eb++)
		;
	return strncasecmp(ea, eb, (size_t)(end - ea)) == 0 &&
	       !isalnum((unsigned char)eb[end - ea]);
}

/*
 * True if every "domain=value" of the schema is in the group's line of its
 * kind.
 */
static bool group_has(char *text, const char *schema)
{
	size_t kind = strcspn(schema, ":");
	char *line = text;

	for (; line; line = strchr(line, '\n'), line += !!line) {
		line += strspn(line, " ");
		if (strncmp(line, schema, kind) == 0 && line[kind] == ':')
			break;
	}
	if (!line || !schema[kind])
		return false;
	for (const char *want = schema + kind + 1; *want;) {
		size_t len = strcspn(want, ";\n");
		const char *at = line + kind + 1;
		bool found = false;

		while (!found && *at && *at != '\n') {
			found = same_value(want, len, at);
			at += strcspn(at, ";\n");
			at += *at == ';';
		}
		if (!found)
			return false;
		want += len;
		want += *want == ';';
	}
	return true;
}

struct existing {
	const char *group;
	char text[SCHEMATA_MAX];
};

static int check_schema(const char *schema, void *context)
{
	struct existing *existing = context;

	if (!group_has(existing->text, schema))
		return fail(0,
			    "the resctrl group %s already exists with schemas "
			    "other than '%s' (use another closID)",
			    existing->group, schema);
	return 0;
}

static int check_existing(const char *group, const struct oci_intel_rdt *asked)
{
	struct existing existing;
	char path[LINE_MAX_BYTES];
	ssize_t n;

	if (!has_schemas(asked))
		return 0;
	snprintf(path, sizeof path, "%s/schemata", group);

	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(errno, "linux.intelRdt: open %s", path);
	n = read(fd, existing.text, sizeof existing.text - 1);
	if (n < 0)
		return fail(errno, "linux.intelRdt: read %s", path);
	existing.text[n] = '\0';
	existing.group = group;
	return each_schema(asked, check_schema, &existing);
}

int rdt_make(const struct rdt *rdt, const struct oci_intel_rdt *asked)
{
	int r;

	if (rdt->must_exist && access(rdt->group, F_OK) < 0)
		return fail(errno,
			    "linux.intelRdt.closID: the resctrl group %s must "
			    "exist, because the bundle gives no schema",
			    rdt->group);
	if (rdt->must_exist) {
		r = check_existing(rdt->group, asked);
	} else if (mkdir(rdt->group, 0755) == 0) {
		r = each_schema(asked, write_schema, (void *)rdt->group);
	} else if (errno == EEXIST && !rdt->own_group) {
		r = check_existing(rdt->group, asked);
	} else {
		r = fail(errno, "linux.intelRdt: create the resctrl group %s",
			 rdt->group);
	}
	if (r < 0)
		return r;
	if (rdt->monitor && mkdir(rdt->monitor, 0755) < 0 && errno != EEXIST)
		return fail(errno,
			    "linux.intelRdt.enableMonitoring: create the "
			    "monitoring group %s",
			    rdt->monitor);
	return 0;
}

int rdt_update(const struct rdt *rdt, const struct oci_intel_rdt *asked)
{
	return each_schema(asked, write_schema, (void *)rdt->group);
}

int rdt_join(const struct rdt *rdt, pid_t pid)
{
	char text[16];
	int r;

	snprintf(text, sizeof text, "%d", pid);
	r = write_line(rdt->group, "tasks", text);
	if (r >= 0 && rdt->monitor)
		r = write_line(rdt->monitor, "tasks", text);
	return r < 0 ? fail_in(r, "linux.intelRdt") : 0;
}

int rdt_remove(const struct rdt *rdt)
{
	if (rdt->monitor && rmdir(rdt->monitor) < 0 && errno != ENOENT)
		return fail(errno, "remove the resctrl group %s", rdt->monitor);
	if (rdt->own_group && rdt->group && rmdir(rdt->group) < 0 &&
	    errno != ENOENT)
		return fail(errno, "remove the resctrl group %s", rdt->group);
	return 0;
}
