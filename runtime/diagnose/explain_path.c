/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/explain_path.c - say whether the policy of a bundle allows
 * one path, and if not, what denies it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/write.h"
#include "runtime/cli/quote.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/denials.h"
#include "runtime/diagnose/explain.h"
#include "runtime/enforce/view.h"

#define ALL_RIGHTS \
	(LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE | LANDLOCK_MAY_EXECUTE)

static const struct {
	uint32_t right;
	const char *name;
} rights[] = {
	{ LANDLOCK_MAY_READ, "read" },
	{ LANDLOCK_MAY_WRITE, "write" },
	{ LANDLOCK_MAY_EXECUTE, "execute" },
};

/* Add what no list of allowed files has. */
static int add_open(struct arena *arena, const struct policy *policy,
		    struct files_list *allowed)
{
	struct files_entry entry = { .path = "/",
				     .rights = ALL_RIGHTS,
				     .directory = true };
	int r = 0;

	if (files_only_denied(policy))
		r = files_add(arena, allowed, &entry);
	for (size_t i = 0; r == 0 && i < policy->tmpfs.n; i++) {
		struct policy_tmpfs tmpfs;

		r = policy_tmpfs(arena, policy->tmpfs.items[i], &tmpfs);
		entry.path = tmpfs.path;
		if (r == 0)
			r = files_add(arena, allowed, &entry);
	}
	return r;
}

/* Get the path of the root on the host, "" for a root directory. */
static int find_prefix(struct arena *arena, int root, const char **ret)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", root);
	n = readlink(link, path, sizeof path);
	if (n < 0)
		return fail(errno, "find the container's root file system");
	*ret = n <= 1 ? "" : arena_strndup(arena, path, (size_t)n);
	return *ret ? 0 : -ENOMEM;
}

int explain_path(struct arena *arena, struct explanation *all, int root)
{
	const struct policy *policy = &all->prepared.enforcement.policy;
	struct denials *denials = arena_alloc(arena, sizeof *denials);
	struct view view = { .allowed = *all->allowed, .denied = *all->denied };
	struct attribution attribution = {
		.policy = policy,
		.view = &view,
		.denials = denials,
		.root = root,
		.home = all->request->home,
		.project = all->request->project,
		.bundle = true,
	};
	int r;

	if (!denials)
		return -ENOMEM;
	*denials = (struct denials){ .arena = arena };
	r = find_prefix(arena, root, &attribution.prefix);
	if (r == 0)
		r = add_open(arena, policy, &view.allowed);
	for (size_t i = 0; r >= 0 && i < COUNT(rights); i++) {
		const struct attribute_path wanted = {
			.path = all->path,
			.rights = rights[i].right,
			.error = EACCES,
		};

		r = attribute_file(&attribution, &wanted);
	}
	if (r >= 0)
		all->path_denials = denials;
	return r;
}

static const struct denial *find(const struct denials *denials,
				 const char *operation)
{
	for (size_t i = 0; denials && i < denials->n; i++)
		if (streq(denials->items[i].operation, operation))
			return &denials->items[i];
	return NULL;
}

int explain_print_path(struct arena *arena, const struct explanation *all)
{
	const char *path = quote_shown(arena, all->path);

	for (size_t i = 0; path && i < COUNT(rights); i++) {
		const struct denial *denial =
			find(all->path_denials, rights[i].name);
		const char *text =
			denial ? denial_text(all->path_denials, denial) : "";

		if (!text)
			return -ENOMEM;
		if (denial)
			printf("denied: %s\n", text);
		else
			printf("not denied by the policy: %s %s\n",
			       rights[i].name, path);
	}
	return path ? 0 : -ENOMEM;
}

int explain_print_path_json(struct arena *arena, const struct explanation *all)
{
	const struct denials none = { 0 };
	struct writer w;

	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "path", all->path);
	denials_put(&w, "denied",
		    all->path_denials ? all->path_denials : &none);
	put_end(&w);
	return writer_print(&w);
}
