/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/saved_policy.c - save the policy of a container for its
 * users, and read it back.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/text.h"
#include "base/util.h"
#include "runtime/enforce/saved.h"

#define MAX_POLICY (4UL << 20)

static int save_floors(struct arena *arena, const struct policy *policy,
		       int dir)
{
	const struct policy_floor *floor;
	struct text out = { .arena = arena };
	const char *text;
	int r = 0;

	for (floor = policy->floor; r == 0 && floor;
	     floor = floor->policy.floor) {
		const char *name =
			text_escape(arena, floor->name, /* exactly= */ true);

		r = name ? policy_to_toml(arena, &floor->policy, &text) :
			   -ENOMEM;
		if (r == 0)
			text_put(&out, FLOOR_LINE "%s\n%s", name, text);
	}
	if (r == 0)
		r = text_close(&out, &text);
	return r < 0 ? r :
		       io_replace_at(dir, FLOORS_FILE, text, strlen(text),
				     0600);
}

int enforce_save_policy(struct arena *arena, const struct policy *policy,
			int dir)
{
	const char *text;
	int r = policy_to_toml(arena, policy, &text);

	if (r == 0)
		r = io_replace_at(dir, POLICY_FILE, text, strlen(text), 0600);
	return r < 0 || !policy->floor ? r : save_floors(arena, policy, dir);
}

static int read_text(struct arena *arena, int dir, const char *name,
		     char **ret_text)
{
	autoclose int fd = openat(dir, name,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					  O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0)
		return fail(errno, "open the saved policy, %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return fail(0, "%s: must be a regular file", name);
	r = io_read_all(arena, fd, MAX_POLICY, ret_text, NULL);
	return r < 0 ? fail_in(r, "%s", name) : 0;
}

static int parse(struct arena *arena, const char *text, const char *name,
		 struct policy *ret)
{
	const struct policy_place place = { .home = "/" };

	return policy_from_toml(arena, text, strlen(text), name, &place, ret);
}

/* The last one of the file has no floor itself. */
static int load_floors(struct arena *arena, char *text,
		       const struct policy_floor **ret)
{
	struct policy_floor *floor;
	char *next, *end;
	int r;

	if (!text || !starts_with(text, FLOOR_LINE))
		return 0;
	text += strlen(FLOOR_LINE);
	end = strchr(text, '\n');
	next = end ? strstr(end, "\n" FLOOR_LINE) : NULL;
	floor = arena_alloc(arena, sizeof *floor);
	if (!end || !floor)
		return floor ? fail(0, FLOORS_FILE ": is not complete") :
			       -ENOMEM;
	*end = '\0';
	if (next)
		*next++ = '\0';
	*floor = (struct policy_floor){ .name = text, .bundle = true };
	r = parse(arena, end + 1, FLOORS_FILE, &floor->policy);
	if (r >= 0)
		r = load_floors(arena, next, &floor->policy.floor);
	if (r >= 0)
		*ret = floor;
	return r;
}

int enforce_save_update(struct arena *arena, const struct policy *policy,
			int dir)
{
	const char *text;
	int r = policy_to_toml(arena, policy, &text);

	return r < 0 ? r :
		       io_replace_at(dir, UPDATE_FILE, text, strlen(text),
				     0600);
}

int enforce_load_update(struct arena *arena, int dir, struct policy *ret)
{
	struct policy policy = { 0 };
	char *text;
	int r = read_text(arena, dir, UPDATE_FILE, &text);

	if (r == 0)
		r = parse(arena, text, UPDATE_FILE, &policy);
	if (r == 0)
		*ret = policy;
	return r;
}

int enforce_load_policy(struct arena *arena, int dir, struct policy *ret)
{
	struct policy policy = { 0 };
	char *text;
	int r = read_text(arena, dir, POLICY_FILE, &text);

	if (r == -ENOENT)
		return fail(ENOENT, "open the saved policy, " POLICY_FILE);
	if (r == 0)
		r = parse(arena, text, POLICY_FILE, &policy);
	if (r < 0)
		return r;
	r = read_text(arena, dir, FLOORS_FILE, &text);
	if (r == 0)
		r = load_floors(arena, text, &policy.floor);
	if (r < 0 && r != -ENOENT)
		return r;
	*ret = policy;
	return 0;
}
