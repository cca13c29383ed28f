/* SPDX-License-Identifier: Apache-2.0 */
/* cow/report_diff.c - show the changes of a branch as a diff in git's format. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/text.h"
#include "cow/branch.h"
#include "cow/diff.h"
#include "cow/report.h"

#define TEXT_MAX (16UL << 20)
#define ARENA_SIZE (512UL << 20)
#define NOWHERE "/dev/null"

/* One side of a change. */
struct side {
	const struct tree_entry *entry;
	const char *name; /* a/PATH, as it is printed */
	struct diff_text text;
	bool binary; /* or too long, or unreadable */
};

/* In double quotes with C's escapes if it has anything but plain bytes. */
static const char *quote(struct arena *arena, const char *name)
{
	struct text out = { .arena = arena };
	const char *text;
	bool plain = true;

	for (const char *c = name; *c; c++)
		plain = plain && *c >= ' ' && *c < 0x7f && *c != '"' &&
			*c != '\\';
	if (plain)
		return arena_strdup(arena, name);
	text_put(&out, "\"");
	for (const char *c = name; *c; c++) {
		if (*c == '"' || *c == '\\')
			text_put(&out, "\\%c", *c);
		else if (*c >= ' ' && *c < 0x7f)
			text_put(&out, "%c", *c);
		else
			text_put(&out, "\\%03o",
				 (unsigned int)(unsigned char)*c);
	}
	text_put(&out, "\"");
	return text_close(&out, &text) < 0 ? NULL : text;
}

static int read_link(struct arena *arena, int dir, const char *name,
		     struct side *side)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof target);

	if (n < 0)
		return fail(errno, "read the link %s", name);
	side->text.bytes = arena_strndup(arena, target, (size_t)n);
	side->text.len = (size_t)n;
	return side->text.bytes ? 0 : -ENOMEM;
}

static int read_side(struct arena *arena, int root, const char *path,
		     struct side *side)
{
	const char *name;
	autoclose int dir = -1, fd = -1;
	char *text;
	int r;

	if (side->entry->mode == 0 || tree_is_type(side->entry, S_IFDIR))
		return 0;
	dir = tree_open_parent(root, path, &name);
	if (dir >= 0 && tree_is_type(side->entry, S_IFLNK))
		return read_link(arena, dir, name, side);
	side->binary = true;
	if (dir < 0 || !tree_is_type(side->entry, S_IFREG) ||
	    side->entry->size > TEXT_MAX)
		return 0;
	fd = tree_open(root, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return 0;
	r = io_read_all(arena, fd, TEXT_MAX, &text, &side->text.len);
	if (r < 0)
		return r;
	side->text.bytes = text;
	side->binary = diff_is_binary(&side->text);
	return 0;
}

/* git knows regular files with and without x, and links. */
static unsigned int git_mode(const struct tree_entry *entry)
{
	if (tree_is_type(entry, S_IFREG))
		return entry->mode & S_IXUSR ? 0100755 : 0100644;
	return entry->mode & S_IFMT;
}

static void print_head(FILE *out, const struct side *old,
		       const struct side *new)
{
	(void)fprintf(out, "diff --git %s %s\n", old->name, new->name);
	if (old->entry->mode == 0)
		(void)fprintf(out, "new file mode %06o\n",
			      git_mode(new->entry));
	else if (new->entry->mode == 0)
		(void)fprintf(out, "deleted file mode %06o\n",
			      git_mode(old->entry));
	else if (git_mode(old->entry) != git_mode(new->entry))
		(void)fprintf(out, "old mode %06o\nnew mode %06o\n",
			      git_mode(old->entry), git_mode(new->entry));
}

static bool same_text(const struct side *old, const struct side *new)
{
	return old->text.len == new->text.len &&
	       (old->text.len == 0 ||
		memcmp(old->text.bytes, new->text.bytes, old->text.len) == 0);
}

static int print_sides(struct arena *arena, const struct report *report,
		       const struct side *old, const struct side *new)
{
	FILE *out = report->out;

	print_head(out, old, new);
	if (old->binary || new->binary) {
		(void)fprintf(out, "Binary files %s and %s differ\n",
			      old->entry->mode ? old->name : NOWHERE,
			      new->entry->mode ? new->name : NOWHERE);
		return 0;
	}
	if (same_text(old, new))
		return 0;
	(void)fprintf(out, "--- %s\n+++ %s\n",
		      old->entry->mode ? old->name : NOWHERE,
		      new->entry->mode ? new->name : NOWHERE);
	return diff_print(arena, out, &old->text, &new->text, report->escape);
}

/* A change of the type is a deletion and an addition. */
static int print_change(struct arena *arena, const struct report *report,
			const struct change *c, struct side *old,
			struct side *new)
{
	static const struct tree_entry none;
	struct side nothing = { .entry = &none };
	int r = 0;

	if (!(c->differs & DIFFERS_TYPE) || !old->entry->mode ||
	    !new->entry->mode)
		return print_sides(arena, report, old, new);
	nothing.name = new->name;
	if (!tree_is_type(old->entry, S_IFDIR))
		r = print_sides(arena, report, old, &nothing);
	nothing.name = old->name;
	if (r >= 0 && !tree_is_type(new->entry, S_IFDIR))
		r = print_sides(arena, report, &nothing, new);
	return r;
}

/* What was moved with its directory is in the workdir only. */
static bool is_in_lower(const struct change *c)
{
	return c->kind == 'A' && c->op == CHANGE_NOTHING && c->lower &&
	       c->old.mode == 0;
}

static int show(struct arena *arena, const struct report *report,
		const struct sides *sides, const struct change *c)
{
	static const struct tree_entry none;
	const char *a = arena_printf(arena, "a/%s", c->path);
	const char *b = arena_printf(arena, "b/%s", c->path);
	bool moved = is_in_lower(c);
	struct side old = { .entry = c->kind == 'A' ? &none : &c->old };
	struct side new = { .entry = c->kind == 'D' ? &none : &c->new };
	int r;

	if (!a || !b)
		return -ENOMEM;
	old.name = quote(arena, a);
	new.name = quote(arena, b);
	if (!old.name || !new.name)
		return -ENOMEM;
	r = read_side(arena, sides->lower, c->lower ? c->lower : "", &old);
	if (r >= 0)
		r = read_side(arena, moved ? sides->lower : sides->upper,
			      moved ? c->lower : c->path, &new);
	return r < 0 ? fail_in(r, "%s", c->path) :
		       print_change(arena, report, c, &old, &new);
}

/* Directories have no text, and git does not know them. */
static bool has_text(const struct change *c)
{
	bool old = c->old.mode && !tree_is_type(&c->old, S_IFDIR);
	bool new = c->new.mode && !tree_is_type(&c->new, S_IFDIR);

	return c->kind && (old || new);
}

int report_diff(const struct report *report, const struct branch *branch,
		const struct changes *changes)
{
	autoclose int upper = branch_open_upper(branch);
	autoclose int lower = upper < 0 ? -1 : branch_open_workdir(branch);
	struct sides sides = { .upper = upper, .lower = lower };
	int r = upper < 0 ? upper : lower < 0 ? lower : 0;

	for (size_t i = 0; r >= 0 && i < changes->n; i++) {
		AUTO(arena_close) struct arena arena = { 0 };

		if (!has_text(changes->items[i]))
			continue;
		r = arena_open(&arena, ARENA_SIZE);
		if (r >= 0)
			r = show(&arena, report, &sides, changes->items[i]);
	}
	return r;
}
