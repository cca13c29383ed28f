/* SPDX-License-Identifier: Apache-2.0 */
/* policy/mounts.c - read and write filesystem.mount, and filesystem.tmpfs. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/text.h"
#include "base/util.h"
#include "policy/types.h"
#include "policy/values.h"

#define FORM "VIRTUAL:HOST[:ro]"

/* The two parts of "VIRTUAL:HOST[:ro]", or of a member of a table. */
struct halves {
	const char *inside;
	const char *host;
};

static bool says_how(const char *host)
{
	return ends_with(host, ":ro") || ends_with(host, ":rw");
}

static bool has_parent(const char *path)
{
	return strstr(path, "/../") || ends_with(path, "/..");
}

static int split(struct arena *arena, const struct policy_raw *raw,
		 struct halves *ret)
{
	const char *text, *colon;
	int r = policy_plain_text(raw, FORM, &text);

	if (r < 0)
		return r;
	*ret = (struct halves){ .inside = raw->key, .host = text };
	if (raw->key)
		return 0;
	colon = strchr(text, ':');
	if (!colon || colon == text || !colon[1])
		return policy_wrong(raw, FORM);
	ret->inside = arena_strndup(arena, text, (size_t)(colon - text));
	ret->host = colon + 1;
	return ret->inside ? 0 : -ENOMEM;
}

static int read_inside(const struct policy_setter *to,
		       const struct policy_key_info *key, const char *text,
		       struct policy_mount *mount)
{
	static const struct policy_place inside_place = { 0 };
	const struct policy_raw raw = { .type = POLICY_RAW_STRING,
					.text = text };
	struct policy_setter inside = *to;
	int r;

	inside.place = &inside_place;
	r = policy_read_path(&inside, key, &raw, &mount->inside);
	if (r < 0)
		return r;
	if (has_parent(mount->inside))
		return policy_wrong(&raw, "a path without '..'");
	return 0;
}

static int read_host(const struct policy_setter *to,
		     const struct policy_key_info *key, const char *text,
		     struct policy_mount *mount)
{
	struct policy_raw raw = { .type = POLICY_RAW_STRING };
	size_t len = strlen(text);
	const char *host;
	int r;

	mount->readonly = ends_with(text, ":ro");
	raw.text =
		arena_strndup(to->arena, text, says_how(text) ? len - 3 : len);
	if (!raw.text)
		return -ENOMEM;
	r = policy_read_optional_path(to, key, &raw, &host);
	if (r < 0)
		return r;
	mount->optional = host[0] == '-';
	mount->host = host + mount->optional;
	return 0;
}

static int add(struct policy_mount *all, size_t *n,
	       const struct policy_mount *mount)
{
	for (size_t i = 0; i < *n; i++)
		if (streq(all[i].inside, mount->inside))
			return fail(0,
				    "'%s' is given twice as a mount point: "
				    "remove one",
				    mount->inside);
	all[(*n)++] = *mount;
	return 0;
}

POLICY_READER(policy_read_mounts)
{
	struct policy_mount *all;
	size_t n = 0;

	if (raw->type != POLICY_RAW_LIST && raw->type != POLICY_RAW_MAP)
		return policy_wrong(raw, "a list or a table");
	all = arena_array(to->arena, raw->n, sizeof *all);
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < raw->n; i++) {
		struct policy_mount mount = { 0 };
		struct halves halves = { 0 };
		int r = split(to->arena, &raw->items[i], &halves);

		if (r == 0)
			r = read_inside(to, key, halves.inside, &mount);
		if (r == 0)
			r = read_host(to, key, halves.host, &mount);
		if (r == 0)
			r = add(all, &n, &mount);
		if (r < 0)
			return r;
	}
	*(struct policy_mounts *)ret = (struct policy_mounts){ all, n };
	return 0;
}

/* Write ":rw" only if the path itself ends with ":ro" or ":rw". */
static const char *how_of(const struct policy_mount *mount)
{
	if (mount->readonly)
		return ":ro";
	return says_how(mount->host) ? ":rw" : "";
}

POLICY_WRITER(policy_write_mounts)
{
	const struct policy_mounts *mounts = value;

	text_put(out, "{");
	for (size_t i = 0; i < mounts->n; i++) {
		const struct policy_mount *m = &mounts->items[i];
		const char *host = arena_printf(out->arena, "%s%s%s",
						m->optional ? "-" : "", m->host,
						how_of(m));

		if (!host) {
			out->error = -ENOMEM;
			return;
		}
		text_put(out, "%s", i ? ", " : " ");
		text_put_quoted(out, m->inside);
		text_put(out, " = ");
		text_put_quoted(out, host);
	}
	text_put(out, mounts->n ? " }" : "}");
}

bool policy_mount_is_absent(const struct policy_mount *mount)
{
	struct stat st;

	return mount->optional && stat(mount->host, &st) < 0 && errno == ENOENT;
}

/* ---- filesystem.tmpfs ---- */

int policy_tmpfs(struct arena *arena, const char *item,
		 struct policy_tmpfs *ret)
{
	const char *colon = strrchr(item, ':');

	*ret = (struct policy_tmpfs){ .path = item };
	if (!colon)
		return 0;
	ret->path = arena_strndup(arena, item, (size_t)(colon - item));
	ret->size = colon + 1;
	return ret->path ? 0 : -ENOMEM;
}

static bool is_kernels(const char *path)
{
	static const char *const tops[] = { "/proc", "/sys", "/dev" };

	for (size_t i = 0; i < COUNT(tops); i++) {
		size_t n = strlen(tops[i]);

		if (strncmp(path, tops[i], n) == 0 &&
		    (!path[n] || path[n] == '/'))
			return true;
	}
	return streq(path, "/");
}

/* The size is written in bytes, so that equal items have equal texts. */
POLICY_READER(policy_read_tmpfs)
{
	struct policy_raw path = { .type = POLICY_RAW_STRING };
	struct policy_tmpfs given = { 0 };
	const char *text;
	uint64_t size = 0;
	int r = policy_plain_text(raw, "PATH[:SIZE]", &text);

	if (r == 0)
		r = policy_tmpfs(to->arena, text, &given);
	if (r < 0)
		return r;
	if (given.size && (num_bytes(given.size, &size) < 0 || !size))
		return policy_wrong(raw, "PATH[:SIZE] (a size such as 64M)");
	path.text = given.path;
	r = policy_read_path(to, key, &path, &text);
	if (r < 0)
		return r;
	if (has_parent(text))
		return policy_wrong(raw, "a path without '..'");
	if (is_kernels(text) || strchr(text, ':'))
		return policy_wrong(raw, "a directory that can be private (not "
					 "/, /proc, /sys or /dev, no ':')");
	*(const char **)ret =
		size ? arena_printf(to->arena, "%s:%" PRIu64, text, size) :
		       text;
	return *(const char **)ret ? 0 : -ENOMEM;
}
