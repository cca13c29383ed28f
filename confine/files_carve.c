/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files_carve.c - find the denials that need mounts.
 *
 * Write access applies to a whole directory, new names included, so only a
 * mount on the denied name can exclude it. The directories above it get mounts,
 * too, because a mount point cannot be renamed: otherwise the workload could
 * rename a directory and put another one in its place.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/files.h"

static bool is_strictly_below(const char *path, const char *dir)
{
	return !streq(path, dir) && files_is_at_or_below(path, dir);
}

/* Return the topmost writable directory above it. */
static const struct files_entry *
writable_above(const struct files_list *allowed, const char *path)
{
	const struct files_entry *top = NULL;

	for (size_t i = 0; i < allowed->n; i++) {
		const struct files_entry *a = &allowed->items[i];

		if (a->rights & LANDLOCK_MAY_WRITE &&
		    is_strictly_below(path, a->path) &&
		    (!top || strlen(a->path) < strlen(top->path)))
			top = a;
	}
	return top;
}

static int add(struct arena *arena, struct files_carves *carves,
	       const struct files_carve *carve)
{
	struct files_carve *items;

	for (size_t i = 0; i < carves->n; i++)
		if (streq(carves->items[i].path, carve->path)) {
			items = &carves->items[i];
			if (!items->rights)
				items->denied = carve->denied;
			if (!items->above)
				items->above = carve->above;
			items->rights |= carve->rights;
			items->missing |= carve->missing;
			items->on_way |= carve->on_way;
			items->link |= carve->link;
			return 0;
		}
	/* Double the allocation at each power of two. */
	if ((carves->n & (carves->n - 1)) == 0) {
		items = arena_grow(arena, carves->items, carves->n,
				   2 * carves->n + 1, sizeof *items);
		if (!items)
			return -ENOMEM;
		carves->items = items;
	}
	carves->items[carves->n++] = *carve;
	return 0;
}

/* Add each directory between the writable one and the denied path. */
static int pin(struct arena *arena, struct files_carves *carves,
	       const struct files_carve *carve)
{
	size_t top =
		streq(carve->above->path, "/") ? 0 : strlen(carve->above->path);
	struct files_carve on_way = *carve;
	int r = 0;

	on_way.rights = 0;
	on_way.missing = on_way.absent = false;
	on_way.text = NULL;
	on_way.on_way = on_way.link = false;
	for (const char *p = strchr(carve->path + top + 1, '/'); r == 0 && p;
	     p = strchr(p + 1, '/')) {
		on_way.path = arena_printf(arena, "%.*s",
					   (int)(p - carve->path), carve->path);
		r = on_way.path ? add(arena, carves, &on_way) : -ENOMEM;
	}
	return r;
}

int files_carve_add(struct arena *arena, struct files_carves *carves,
		    const struct files_carve *carve)
{
	int r = carve->above ? pin(arena, carves, carve) : 0;

	return r < 0 ? r : add(arena, carves, carve);
}

static int by_path(const void *a, const void *b)
{
	const struct files_carve *one = a, *other = b;

	return strcmp(one->path, other->path);
}

void files_carve_sort(struct files_carves *carves)
{
	if (carves->n)
		qsort(carves->items, carves->n, sizeof *carves->items, by_path);
}

/* No mount can deny reading alone. */
static uint32_t rights_of(const struct files_entry *denied)
{
	if (denied->rights & LANDLOCK_MAY_READ)
		return LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE |
		       LANDLOCK_MAY_EXECUTE;
	return denied->rights;
}

/* True for a missing name of a preset that the workload cannot create. */
static bool is_idle(const struct files_list *allowed,
		    const struct files_entry *denied)
{
	return denied->of_preset && denied->missing &&
	       !writable_above(allowed, denied->path);
}

/* Keep the workload from replacing links that lead to a denied path. */
static int hold_way(struct arena *arena, const struct files_list *allowed,
		    const struct files_entry *denied,
		    struct files_carves *carves)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < denied->nsteps; i++) {
		struct files_carve carve = {
			.path = denied->steps[i].path,
			.on_way = true,
			.link = denied->steps[i].target,
			.above = writable_above(allowed, denied->steps[i].path),
			.denied = denied,
		};

		if (!carve.above)
			continue;
		r = files_carve_add(arena, carves, &carve);
	}
	return r;
}

static int carve_entry(struct arena *arena, const struct files_list *allowed,
		       struct files_entry *d, struct files_carves *carves)
{
	struct files_carve carve = {
		.path = d->path,
		.text = d->text,
		.rights = rights_of(d),
		.missing = d->missing && !d->occupied,
		.leaf = d->leaf,
		.absent = d->absent,
		.above = d->scope ? NULL : writable_above(allowed, d->path),
		.denied = d,
	};
	int r = 0;

	d->carved = carve.above;
	if (!d->scope)
		r = hold_way(arena, allowed, d, carves);
	if (r < 0)
		return r;
	/* Landlock only denies execve; a mount also denies mapping as code. */
	if (!carve.above &&
	    (d->scope || d->missing || d->rights != LANDLOCK_MAY_EXECUTE))
		return 0;
	return files_carve_add(arena, carves, &carve);
}

int files_carve(struct arena *arena, const struct files_list *allowed,
		struct files_list *denied, struct files_carves *ret)
{
	struct files_carves carves = { 0 };
	struct files_entry *kept =
		arena_array(arena, denied->n + 1, sizeof *kept);
	size_t n = 0;

	if (!kept)
		return -ENOMEM;
	for (size_t i = 0; i < denied->n; i++) {
		struct files_entry *d = &denied->items[i];
		bool idle = is_idle(allowed, d);
		int r;

		if (!idle) {
			kept[n] = *d;
			d = &kept[n++];
		}
		r = idle ? hold_way(arena, allowed, d, &carves) :
			   carve_entry(arena, allowed, d, &carves);
		if (r < 0)
			return r;
	}
	*denied = (struct files_list){ kept, n, denied->n + 1 };
	files_carve_sort(&carves);
	*ret = carves;
	return 0;
}
