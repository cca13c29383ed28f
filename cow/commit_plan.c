/* SPDX-License-Identifier: Apache-2.0 */
/* cow/commit_plan.c - turn changes into the steps of a journal. */
#include "cow/commit_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "cow/copy.h"
#include "cow/journal.h"

#define ENTRY_SIZE 12	    /* of a directory, beside the name */
#define DIRECTORY_SIZE 8192 /* of a new one, and of one that is split */

/* A file of the upper side that was copied to the stage. */
struct staged {
	uint64_t ino;
	const char *name;
};

struct work {
	const struct commit_plan *plan;
	struct arena *arena;
	struct text out;
	int64_t slots;
	size_t growth;
	struct staged *staged; /* those with several names */
	size_t nstaged, staged_room;
};

/* ---- sources ---- */

static const char *staged_as(const struct work *w, uint64_t ino)
{
	for (size_t i = 0; i < w->nstaged; i++)
		if (w->staged[i].ino == ino)
			return w->staged[i].name;
	return NULL;
}

static int note_staged(struct work *w, const struct tree_entry *entry,
		       const char *name)
{
	if (entry->nlink < 2)
		return 0;
	w->staged = arena_room(w->arena, w->staged, w->nstaged, &w->staged_room,
			       sizeof *w->staged);
	if (!w->staged)
		return -ENOMEM;
	w->staged[w->nstaged++] = (struct staged){ entry->ino, name };
	return 0;
}

/* Copy a file, or link the copy of another name of it. */
static int stage_copy(struct work *w, const char *source,
		      const struct tree_entry *entry, const char **ret,
		      int64_t *ret_ino)
{
	const struct commit_plan *plan = w->plan;
	const char *first = staged_as(w, entry->ino), *from;
	const char *name =
		arena_printf(w->arena, "%lld", (long long)w->slots++);
	struct tree_entry made;
	int root = source[0] == 'i' ? plan->sides->index : plan->sides->upper;
	autoclose int dir = tree_open_parent(root, source + 2, &from);
	int r;

	if (!name)
		return -ENOMEM;
	if (dir < 0)
		return fail(errno, "open the directory of %s", source + 2);
	if (first)
		r = linkat(plan->stage->files, first, plan->stage->files, name,
			   0) < 0 ?
			    fail(errno, "link %s", source + 2) :
			    0;
	else
		r = copy_entry(w->arena, plan->sides->prefix, dir, from,
			       plan->stage->files, name);
	if (r >= 0 && !first)
		r = note_staged(w, entry, name);
	if (r >= 0)
		r = tree_stat(plan->stage->files, name, &made);
	if (r < 0)
		return fail_in(r, "copy %s", source + 2);
	*ret_ino = (int64_t)made.ino;
	*ret = arena_printf(w->arena, "s:%s", name);
	return *ret ? 0 : -ENOMEM;
}

static int find_source(struct work *w, const struct change *c,
		       struct journal_step *step)
{
	const char *source = arena_printf(w->arena, "u:%s", c->path);

	if (!source)
		return -ENOMEM;
	if (w->plan->stage->copies)
		return stage_copy(w, source, &c->new, &step->source,
				  &step->numbers[NUMBER_NEW]);
	step->source = source;
	step->numbers[NUMBER_NEW] = (int64_t)c->new.ino;
	step->numbers[NUMBER_STRIP] = c->stripped;
	return 0;
}

/* ---- steps ---- */

static void put(struct work *w, const struct journal_step *step)
{
	journal_put(&w->out, step);
}

static void put_attributes(struct journal_step *step,
			   const struct tree_entry *entry,
			   const struct xattrs *xattrs)
{
	step->numbers[NUMBER_MODE] = entry->mode;
	step->numbers[NUMBER_UID] = entry->uid;
	step->numbers[NUMBER_GID] = entry->gid;
	step->numbers[NUMBER_SECONDS] = entry->mtime.tv_sec;
	step->numbers[NUMBER_NANOSECONDS] = entry->mtime.tv_nsec;
	step->xattrs = *xattrs;
}

/*
 * The steps before change the time of a directory, and of a file if that loses
 * another name.
 */
static void put_old(struct work *w, struct journal_step *step,
		    const struct tree_entry *old)
{
	step->numbers[NUMBER_SLOT] = w->slots++;
	step->numbers[NUMBER_OLD] = (int64_t)old->ino;
	if (!tree_is_type(old, S_IFDIR) && old->nlink < 2)
		step->numbers[NUMBER_CTIME] = old->ctime;
}

static void put_delete(struct work *w, const struct change *c)
{
	struct journal_step step = { .kind = JOURNAL_DELETE, .path = c->path };

	put_old(w, &step, &c->old);
	put(w, &step);
}

static int put_file(struct work *w, const struct change *c)
{
	struct journal_step step = { .kind = c->op == CHANGE_REPLACE ?
						     JOURNAL_EXCHANGE :
						     JOURNAL_ADD,
				     .path = c->path };
	int r;

	if (c->op == CHANGE_REPLACE)
		put_old(w, &step, &c->old);
	r = find_source(w, c, &step);
	if (r < 0)
		return r;
	put(w, &step);
	if (c->keeps_xattrs) {
		struct journal_step set = { .kind = JOURNAL_SET,
					    .path = c->path };

		put_attributes(&set, &c->new, &c->xattrs);
		put(w, &set);
	}
	return 0;
}

/* Entries of directories without these rights can be moved by root only. */
static void put_access(struct work *w, const struct change *c)
{
	if (geteuid() == 0 || !*c->path)
		return;
	if (c->old.mode && tree_is_type(&c->old, S_IFDIR) &&
	    (c->old.mode & S_IRWXU) != S_IRWXU)
		put(w, &(struct journal_step){ .kind = JOURNAL_ACCESS,
					       .path = c->path });
	if ((c->new.mode &S_IRWXU) != S_IRWXU)
		put(w, &(struct journal_step){ .kind = JOURNAL_ACCESS_UPPER,
					       .path = c->path });
}

static size_t moved_number(const struct changes *changes, const char *to)
{
	size_t i = 0;

	while (i < changes->nmoved && strcmp(changes->moved[i].to, to) != 0)
		i++;
	return i;
}

static int put_change(struct work *w, const struct change *c)
{
	struct journal_step step = { .path = c->path };
	size_t i;

	w->growth += 2 * (strlen(c->path) + ENTRY_SIZE);
	switch (c->op) {
	case CHANGE_ADD:
	case CHANGE_REPLACE:
		return put_file(w, c);
	case CHANGE_DELETE:
		put_delete(w, c);
		break;
	case CHANGE_MKDIR:
	case CHANGE_MOVE:
		if (c->old.mode != 0)
			put_delete(w, c);
		step.kind = JOURNAL_MKDIR;
		if (c->op == CHANGE_MOVE) {
			i = moved_number(w->plan->changes, c->path);
			step.kind = JOURNAL_ATTACH;
			step.numbers[NUMBER_SLOT] = (int64_t)i;
			step.numbers[NUMBER_OLD] =
				(int64_t)w->plan->changes->moved[i].ino;
		}
		w->growth += DIRECTORY_SIZE;
		put(w, &step);
		break;
	case CHANGE_NOTHING:
	case CHANGE_LINK:
		break;
	}
	if (c->sets)
		put_access(w, c);
	return 0;
}

static bool is_dropped(const struct work *w, size_t link)
{
	const struct changes *list = w->plan->changes;

	for (size_t i = 0; i < list->n; i++)
		if (list->items[i]->link == link && list->items[i]->dropped)
			return true;
	return false;
}

/* Slot N is that of link N: changes name it. */
static int put_links(struct work *w)
{
	const struct links *links = w->plan->links;

	w->slots = (int64_t)links->n;
	for (size_t i = 0; i < links->n; i++) {
		const struct link *link = &links->items[i];
		struct journal_step pin = { .kind = JOURNAL_PIN,
					    .path = link->path };
		struct journal_step content = { .kind = JOURNAL_INPLACE,
						.source = link->source };
		int64_t ino;
		int r = 0;

		if (link->off)
			continue;
		pin.numbers[NUMBER_SLOT] = (int64_t)i;
		pin.numbers[NUMBER_OLD] = (int64_t)link->real;
		put(w, &pin);
		if (!link->differs || is_dropped(w, i + 1))
			continue;
		content.numbers[NUMBER_SLOT] = (int64_t)i;
		put_attributes(&content, &link->new, &link->xattrs);
		if (w->plan->stage->copies)
			r = stage_copy(w, link->source, &link->new,
				       &content.source, &ino);
		if (r < 0)
			return r;
		put(w, &content);
	}
	return 0;
}

static void put_link(struct work *w, const struct change *c)
{
	struct journal_step step = { .kind = JOURNAL_LINK, .path = c->path };

	if (c->op != CHANGE_LINK)
		return;
	step.numbers[NUMBER_SLOT] = w->slots++;
	step.numbers[NUMBER_OLD] = (int64_t)c->old.ino;
	step.numbers[NUMBER_LINK] = (int64_t)c->link - 1;
	put(w, &step);
}

static size_t depth(const char *path)
{
	size_t n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* Deepest first, so that one moved directory may have been in another. */
static int put_detached(struct work *w)
{
	const struct changes *list = w->plan->changes;
	size_t *order = arena_array(w->arena, list->nmoved + 1, sizeof *order);

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < list->nmoved; i++) {
		size_t at = i;

		for (; at > 0 && depth(list->moved[order[at - 1]].from) <
					 depth(list->moved[i].from);
		     at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (size_t i = 0; i < list->nmoved; i++) {
		struct journal_step step = {
			.kind = JOURNAL_DETACH,
			.path = list->moved[order[i]].from,
		};

		step.numbers[NUMBER_SLOT] = (int64_t)order[i];
		step.numbers[NUMBER_OLD] = (int64_t)list->moved[order[i]].ino;
		put(w, &step);
	}
	return 0;
}

/* Last, and from the deepest up: each step before changes a time. */
static void put_sets(struct work *w)
{
	const struct changes *list = w->plan->changes;

	for (size_t i = list->n; i-- > 0;) {
		const struct change *c = list->items[i];
		struct journal_step step = { .kind = JOURNAL_SET,
					     .path = c->path };

		if (!c->sets)
			continue;
		put_attributes(&step, &c->new, &c->xattrs);
		put(w, &step);
	}
}

int commit_plan_write(const struct commit_plan *plan, const char **ret,
		      size_t *ret_len, size_t *ret_growth)
{
	struct work w = { .plan = plan, .arena = plan->arena };
	const struct changes *list = plan->changes;
	int r;

	w.out.arena = plan->arena;
	journal_begin(&w.out);
	if (plan->stage->path)
		put(&w, &(struct journal_step){ .kind = JOURNAL_STAGE,
						.path = plan->stage->path });
	r = put_links(&w);
	if (r >= 0)
		r = put_detached(&w);
	for (size_t i = 0; r >= 0 && i < list->n; i++)
		r = put_change(&w, list->items[i]);
	if (r < 0)
		return r;
	for (size_t i = 0; i < list->n; i++)
		put_link(&w, list->items[i]);
	put_sets(&w);
	journal_end(&w.out);
	r = text_close(&w.out, ret);
	*ret_len = w.out.len;
	*ret_growth = w.growth;
	return r;
}
