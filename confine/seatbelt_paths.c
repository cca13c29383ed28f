/* SPDX-License-Identifier: Apache-2.0 */
/* confine/seatbelt_paths.c - the filters of Seatbelt for the paths of a list. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/seatbelt_parts.h"
#include "policy/glob.h"

#define PRIVATE "/private"

/* Links that every Mac has, to the same name below /private. */
static const char *const links[] = { "/tmp", "/var", "/etc" };

bool seatbelt_is_at_or_below(const char *path, const char *dir)
{
	size_t n = streq(dir, "/") ? 0 : strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

int seatbelt_add(struct arena *arena, struct strings *list, const char *text)
{
	if (!text)
		return -ENOMEM;
	return strings_has(list, text) ? 0 : strings_add(arena, list, text);
}

int seatbelt_add_names(struct arena *arena, const char *path,
		       struct strings *ret)
{
	size_t n = strlen(PRIVATE);
	int r = seatbelt_add(arena, ret, path);

	for (size_t i = 0; r == 0 && i < COUNT(links); i++) {
		if (seatbelt_is_at_or_below(path, links[i]))
			r = seatbelt_add(arena, ret,
					 arena_printf(arena, PRIVATE "%s",
						      path));
		else if (starts_with(path, PRIVATE) &&
			 seatbelt_is_at_or_below(path + n, links[i]))
			r = seatbelt_add(arena, ret, path + n);
	}
	return r;
}

int seatbelt_add_filter(struct arena *arena, const char *kind, const char *path,
			struct strings *ret)
{
	const char *quoted;
	int r = seatbelt_quote(arena, path, &quoted);

	if (r < 0)
		return r;
	return seatbelt_add(arena, ret,
			    arena_printf(arena, "(%s %s)", kind, quoted));
}

static int add_regex(struct arena *arena, const char *pattern,
		     struct seatbelt_match how, struct strings *ret)
{
	const char *quoted;
	int r = seatbelt_regex(arena, pattern, how, &quoted);

	if (r < 0)
		return r;
	return seatbelt_add(arena, ret,
			    arena_printf(arena, "(regex %s)", quoted));
}

int seatbelt_add_subpath(struct arena *arena, const char *path,
			 struct strings *ret)
{
	struct strings names = { 0 };
	int r = seatbelt_add_names(arena, path, &names);

	for (size_t i = 0; r == 0 && i < names.n; i++)
		r = seatbelt_add_filter(arena, "subpath", names.items[i], ret);
	return r;
}

void seatbelt_put_rule(struct seatbelt *s, const char *head,
		       const struct strings *filters)
{
	if (filters->n == 0)
		return;
	text_put(&s->out, "(%s", head);
	for (size_t i = 0; i < filters->n; i++)
		text_put(&s->out, "\n\t%s", filters->items[i]);
	text_put(&s->out, ")\n");
}

/* ---- the paths of one item ---- */

static bool has_dots(const char *path)
{
	for (const char *p = strstr(path, "/.."); p; p = strstr(p + 1, "/.."))
		if (p[3] == '/' || p[3] == '\0')
			return true;
	return false;
}

/* Find all names of a path; none if it is missing and may be. */
static int find_names(struct seatbelt *s, const char *path,
		      const struct seatbelt_paths *m, struct strings *ret)
{
	const char *real = NULL;
	int r = seatbelt_resolve(s, path, /* missing= */ m->denial, &real);

	if (r == 0 && s->facts->here && !real && !m->denial)
		return m->optional ? 0 :
				     fail(ENOENT,
					  "'%s' (write '-%s' if it may be "
					  "missing)",
					  path, path);
	if (r == 0 && !real && has_dots(path))
		return fail(0, "'%s': write the path without '..'", path);
	if (r == 0 && !has_dots(path))
		r = seatbelt_add_names(s->arena, path, ret);
	if (r == 0 && real)
		r = seatbelt_add_names(s->arena, real, ret);
	return r;
}

/* Return the longest writable path that is or contains this one; or NULL. */
static const char *writable_above(const struct seatbelt *s, const char *path)
{
	const char *found = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < s->roots.n; i++) {
		size_t length = strlen(s->roots.items[i]);

		if (seatbelt_is_at_or_below(path, s->roots.items[i]) &&
		    length > longest) {
			found = s->roots.items[i];
			longest = length;
		}
	}
	return found;
}

bool seatbelt_may_write(const struct seatbelt *s, const char *path)
{
	return s->wild || writable_above(s, path);
}

/*
 * Volumes of a Mac usually ignore the case of names: below a directory that may
 * be written, a denied name that does not exist yet could be made in another
 * case. So denials ignore the case there, too.
 */
int seatbelt_deny_any_case(struct seatbelt *s, const char *pattern, bool alone,
			   struct strings *ret)
{
	struct seatbelt_match how = { .fold = true, .alone = alone };
	const char *start = policy_glob_start(s->arena, pattern);
	const char *root = start && !s->wild ? writable_above(s, start) : NULL;
	const char *quoted = root ? policy_glob_quote(s->arena, root) : NULL;

	if (!start || (root && !quoted))
		return -ENOMEM;
	if (quoted && starts_with(pattern, quoted))
		how.fold_from = strlen(quoted);
	return add_regex(s->arena, pattern, how, ret);
}

/* Rules apply to names, so another name of the file would stay open. */
static int check_names(const struct seatbelt *s, const char *path)
{
	unsigned long n = s->facts->here && s->facts->count_names ?
				  s->facts->count_names(path) :
				  0;

	if (n <= 1)
		return 0;
	return fail(0,
		    "'%s' has %lu hard links, and the others would stay "
		    "accessible",
		    path, n);
}

int seatbelt_add_path(struct seatbelt *s, const char *path,
		      struct seatbelt_paths *m)
{
	struct strings names = { 0 };
	int r = m->denial ? check_names(s, path) : 0;

	if (r == 0)
		r = find_names(s, path, m, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		const char *name = names.items[i];

		r = seatbelt_add(s->arena, &m->paths, name);
		if (r == 0)
			r = seatbelt_add_filter(s->arena, "subpath", name,
						&m->filters);
		if (r == 0 && m->denial && seatbelt_may_write(s, name)) {
			const char *quoted = policy_glob_quote(s->arena, name);

			r = quoted ? seatbelt_deny_any_case(s, quoted,
							    /* alone= */ false,
							    &m->filters) :
				     -ENOMEM;
		}
	}
	return r;
}

/* Deny what exists now by its path, too: its directories must stay. */
static int add_existing(struct seatbelt *s, const char *pattern,
			struct seatbelt_paths *m)
{
	const struct policy_context *context = &s->facts->context;
	struct strings found = { 0 };
	int r = 0;

	if (s->facts->here && m->denial && context->find)
		r = context->find(context->user, s->arena, pattern, &found);
	for (size_t i = 0; r == 0 && i < found.n; i++)
		r = seatbelt_add_path(s, found.items[i], m);
	return r;
}

static int add_pattern(struct seatbelt *s, const char *pattern,
		       struct seatbelt_paths *m)
{
	struct strings names = { 0 };
	const char *path;
	int r;

	if (!policy_is_glob(pattern)) {
		path = policy_glob_unquote(s->arena, pattern);
		return path ? seatbelt_add_path(s, path, m) : -ENOMEM;
	}
	if (has_dots(pattern))
		return fail(0, "'%s': write the pattern without '..'", pattern);
	m->wild = true;
	r = seatbelt_add_names(s->arena, pattern, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++)
		r = m->denial ? seatbelt_deny_any_case(s, names.items[i],
						       /* alone= */ false,
						       &m->filters) :
				add_regex(s->arena, names.items[i],
					  (struct seatbelt_match){ 0 },
					  &m->filters);
	return r < 0 ? r : add_existing(s, pattern, m);
}

static int add_preset(struct seatbelt *s, const char *name, const char *project,
		      struct seatbelt_paths *m)
{
	struct policy_context context = s->facts->context;
	bool optional = m->optional;
	struct policy_preset preset;
	int r;

	context.project = project;
	r = policy_path_preset(s->arena, name, &context, &preset);
	m->optional = true;
	for (size_t i = 0; r == 0 && i < preset.paths.n; i++)
		r = add_pattern(s, preset.paths.items[i], m);
	m->optional = optional;
	return r;
}

/* Denials apply to every project that contains this one. */
static int deny_preset(struct seatbelt *s, const char *name,
		       struct seatbelt_paths *m)
{
	const struct strings *projects = &s->facts->projects;
	int r = 0;

	if (projects->n == 0)
		return add_preset(s, name, s->facts->context.project, m);
	for (size_t i = 0; r == 0 && i < projects->n; i++)
		r = add_preset(s, name, projects->items[i], m);
	return r;
}

/* Match at any depth; the outermost project contains all others. */
static int deny_name(struct seatbelt *s, const char *pattern,
		     struct seatbelt_paths *m)
{
	const struct strings *projects = &s->facts->projects;
	const char *project = projects->n ? projects->items[projects->n - 1] :
					    s->facts->context.project;

	if (!project)
		return fail(0,
			    "'%s': the project directory is unknown, so only "
			    "an absolute path can be denied",
			    pattern);
	project = policy_glob_quote(s->arena, project);
	if (!project)
		return -ENOMEM;
	pattern = arena_printf(s->arena, "%s/**/%s", project, pattern);
	return pattern ? add_pattern(s, pattern, m) : -ENOMEM;
}

static int add_item(struct seatbelt *s, const char *text,
		    struct seatbelt_paths *m)
{
	if (text[0] == '@')
		return m->denial ? deny_preset(s, text + 1, m) :
				   add_preset(s, text + 1,
					      s->facts->context.project, m);
	m->optional = text[0] == '-';
	text += m->optional;
	return text[0] == '/' ? add_pattern(s, text, m) : deny_name(s, text, m);
}

int seatbelt_find_paths(struct seatbelt *s, const char *key,
			const struct strings *items, bool denial,
			struct seatbelt_paths *ret)
{
	int r = 0;

	ret->denial = denial;
	for (size_t i = 0; r == 0 && i < items->n; i++)
		r = add_item(s, items->items[i], ret);
	return r < 0 ? fail_in(r, "%s", key) : 0;
}
