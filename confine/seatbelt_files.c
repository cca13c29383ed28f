/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/seatbelt_files.c - the rules of [filesystem] for Seatbelt.
 *
 * Seatbelt judges the path of a file without links. So each path is written
 * under both names where a Mac has a link, and what can be moved to another
 * name is denied with the directories above it.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/seatbelt_parts.h"
#include "policy/glob.h"

#define READ 1U
#define WRITE 2U
#define EXECUTE 4U

static const struct {
	unsigned int right;
	const char *operations;
} rights[] = {
	{ READ, "file-read* file-map-executable" },
	{ WRITE, "file-write* file-ioctl" },
	{ EXECUTE, "process-exec*" },
};

/* ---- what is allowed ---- */

struct row {
	enum policy_key key;
	const struct strings *items;
	unsigned int rights;
};

#define ROWS 4

static void list_rows(const struct policy *policy, struct row ret[ROWS])
{
	unsigned int read = READ | (policy->set[KEY_EXECUTE] ? 0 : EXECUTE);

	ret[0] = (struct row){ KEY_READ, &policy->read, read };
	ret[1] = (struct row){ KEY_WRITE, &policy->write, read | WRITE };
	ret[2] = (struct row){ KEY_WRITE_ONLY, &policy->write_only, WRITE };
	ret[3] = (struct row){ KEY_EXECUTE, &policy->execute, READ | EXECUTE };
}

static void put_any(struct seatbelt *s, const struct strings *filters)
{
	text_put(&s->out, "\n\t\t(require-any");
	for (size_t i = 0; i < filters->n; i++)
		text_put(&s->out, "\n\t\t\t%s", filters->items[i]);
	text_put(&s->out, ")");
}

/* Get the filters of everything for which a floor allows the right. */
static int match_floor(struct seatbelt *s, const struct policy *floor,
		       unsigned int right, struct strings *ret)
{
	struct row rows[ROWS];
	struct seatbelt_paths m = { 0 };
	int r = 0;

	list_rows(floor, rows);
	for (size_t i = 0; r == 0 && i < ROWS; i++)
		if (rows[i].rights & right)
			r = seatbelt_find_paths(s, policy_key_name(rows[i].key),
						rows[i].items,
						/* denial= */ false, &m);
	*ret = m.filters;
	return r;
}

/* Allow what the policy and each floor of it allow. */
static int put_within_floors(struct seatbelt *s, unsigned int right,
			     const char *operations,
			     const struct strings *filters)
{
	size_t begin = s->out.len;
	int r = 0;

	text_put(&s->out, "(allow %s\n\t(require-all", operations);
	put_any(s, filters);
	for (const struct policy_floor *floor = s->policy->floor;
	     r == 0 && floor; floor = floor->policy.floor) {
		struct strings allowed = { 0 };

		if (!policy_allows_files(&floor->policy))
			continue;
		r = match_floor(s, &floor->policy, right, &allowed);
		if (r == 0 && allowed.n == 0) {
			s->out.len = begin;
			return 0;
		}
		put_any(s, &allowed);
	}
	text_put(&s->out, "))\n");
	return r;
}

static bool has_floor(const struct policy *policy)
{
	const struct policy_floor *floor = policy->floor;

	while (floor && !policy_allows_files(&floor->policy))
		floor = floor->policy.floor;
	return floor != NULL;
}

static int put_row(struct seatbelt *s, const struct row *row)
{
	struct seatbelt_paths m = { 0 };
	const char *head = "allow";
	int r = seatbelt_find_paths(s, policy_key_name(row->key), row->items,
				    /* denial= */ false, &m);

	if (r < 0 || m.filters.n == 0)
		return r;
	text_put(&s->out, "\n; %s\n", policy_key_name(row->key));
	for (size_t i = 0; r == 0 && i < COUNT(rights); i++) {
		if (!(row->rights & rights[i].right))
			continue;
		if (has_floor(s->policy))
			r = put_within_floors(s, rights[i].right,
					      rights[i].operations, &m.filters);
		head = arena_printf(s->arena, "%s %s", head,
				    rights[i].operations);
		if (!head)
			return -ENOMEM;
	}
	if (!has_floor(s->policy))
		seatbelt_put_rule(s, head, &m.filters);
	for (size_t i = 0; r == 0 && row->rights & WRITE && i < m.filters.n;
	     i++)
		r = seatbelt_add(s->arena, &s->writable, m.filters.items[i]);
	for (size_t i = 0; r == 0 && row->rights & WRITE && i < m.paths.n; i++)
		r = seatbelt_add(s->arena, &s->roots, m.paths.items[i]);
	s->wild = s->wild || (row->rights & WRITE && m.wild);
	return r;
}

/* Without a list of what is allowed, a bundle has all files but the denied. */
static int put_all(struct seatbelt *s)
{
	static const char *root[] = { "/", NULL };
	const struct row row = { KEY_WRITE, &(struct strings){ root, 1 },
				 READ | WRITE | EXECUTE };

	return put_row(s, &row);
}

int seatbelt_put_files(struct seatbelt *s)
{
	struct row rows[ROWS];
	int r = 0;

	if (s->facts->bundle && !policy_allows_files(s->policy) &&
	    !has_floor(s->policy))
		return put_all(s);
	list_rows(s->policy, rows);
	for (size_t i = 0; r == 0 && i < ROWS; i++)
		r = put_row(s, &rows[i]);
	return r;
}

/* ---- what is denied ---- */

/*
 * A directory that contains something denied could be moved, changed under its
 * new name, and moved back; or one that was prepared could take its place.
 */
static int keep_parents(struct seatbelt *s, const char *path,
			struct strings *ret)
{
	char *dir = arena_strdup(s->arena, path), *slash;
	const char *quoted;
	int r = 0;

	if (!dir)
		return -ENOMEM;
	while (r == 0 && (slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (!seatbelt_may_write(s, dir))
			continue;
		quoted = policy_glob_quote(s->arena, dir);
		r = quoted ?
			    seatbelt_add_filter(s->arena, "literal", dir, ret) :
			    -ENOMEM;
		if (r == 0 && !strings_has(&s->roots, dir))
			r = seatbelt_deny_any_case(s, quoted, /* alone= */ true,
						   ret);
	}
	return r;
}

static int put_denial(struct seatbelt *s, const char *why, const char *head,
		      const struct seatbelt_paths *m, struct strings *parents)
{
	int r = 0;

	if (m->filters.n == 0)
		return 0;
	text_put(&s->out, "\n; %s\n", why);
	seatbelt_put_rule(s, head, &m->filters);
	for (size_t i = 0; r == 0 && i < m->paths.n; i++)
		r = keep_parents(s, m->paths.items[i], parents);
	return r;
}

/* A denied socket cannot be connected to, either. */
static int put_denied_sockets(struct seatbelt *s,
			      const struct seatbelt_paths *m)
{
	struct strings sockets = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->filters.n; i++)
		r = seatbelt_add(s->arena, &sockets,
				 arena_printf(s->arena,
					      "(remote unix-socket %s)",
					      m->filters.items[i]));
	seatbelt_put_rule(s, "deny network-outbound", &sockets);
	return r;
}

/* True if something at, above or below the path may be written. */
static bool is_touched(const struct seatbelt *s, const char *path)
{
	struct strings names = { 0 };

	if (seatbelt_add_names(s->arena, path, &names) < 0)
		return true;
	for (size_t i = 0; i < names.n; i++) {
		if (seatbelt_may_write(s, names.items[i]))
			return true;
		for (size_t k = 0; k < s->roots.n; k++)
			if (seatbelt_is_at_or_below(s->roots.items[k],
						    names.items[i]))
				return true;
	}
	return false;
}

static int put_kept(struct seatbelt *s, struct strings *parents)
{
	struct seatbelt_paths m = { .denial = true };
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->facts->kept.n; i++)
		if (s->facts->here || is_touched(s, s->facts->kept.items[i]))
			r = seatbelt_add_path(s, s->facts->kept.items[i], &m);
	return r < 0 ? r :
		       put_denial(s, "policies of a later run",
				  "deny file-write*", &m, parents);
}

int seatbelt_put_denials(struct seatbelt *s)
{
	const struct policy *policy = s->policy;
	const struct {
		enum policy_key key;
		const struct strings *items;
		const char *head;
	} rows[] = {
		{ KEY_DENY, &policy->deny,
		  "deny file-read* file-write* file-ioctl file-map-executable "
		  "process-exec*" },
		{ KEY_DENY_READ, &policy->deny_read,
		  "deny file-read* file-write-unlink" },
		{ KEY_DENY_WRITE, &policy->deny_write,
		  "deny file-write* file-ioctl" },
		{ KEY_DENY_EXECUTE, &policy->deny_execute,
		  "deny process-exec* file-map-executable file-write-unlink" },
	};
	struct strings parents = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < COUNT(rows); i++) {
		const char *name = policy_key_name(rows[i].key);
		struct seatbelt_paths m = { 0 };

		r = seatbelt_find_paths(s, name, rows[i].items,
					/* denial= */ true, &m);
		if (r == 0)
			r = put_denial(s, name, rows[i].head, &m, &parents);
		if (r == 0 && rows[i].key == KEY_DENY)
			r = put_denied_sockets(s, &m);
	}
	if (r == 0)
		r = put_kept(s, &parents);
	if (r == 0 && parents.n)
		text_put(&s->out, "\n; directories above what is denied: they "
				  "must keep their names\n");
	seatbelt_put_rule(s, "deny file-write-create file-write-unlink",
			  &parents);
	return r;
}
