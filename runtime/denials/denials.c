/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/denials.c - a list of denials, printed as text or JSON. */
#include "runtime/diagnose/denials.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "oci/write.h"
#include "runtime/cli/quote.h"

/* A program with this many denials is denied nearly everything. */
#define MOST 1000

static bool is_same(const struct denial *a, const struct denial *b)
{
	return streq(a->operation, b->operation) && streq(a->target, b->target);
}

static bool is_known(const struct denials *denials, const struct denial *denial)
{
	for (size_t i = denials->n; i-- > 0;)
		if (is_same(&denials->items[i], denial))
			return true;
	return false;
}

static int grow(struct denials *denials)
{
	size_t size = denials->size ? 2 * denials->size : 16;
	struct denial *grown;

	if (denials->n < denials->size)
		return 0;
	grown = arena_grow(denials->arena, denials->items, denials->n, size,
			   sizeof *grown);
	if (!grown)
		return -ENOMEM;
	denials->items = grown;
	denials->size = size;
	return 0;
}

static const char *copy(struct arena *arena, const char *text, bool *failed)
{
	const char *copied = text ? arena_strdup(arena, text) : NULL;

	*failed |= text && !copied;
	return copied;
}

int denials_add(struct denials *denials, const struct denial *denial)
{
	struct arena *arena = denials->arena;
	bool failed = false;

	if (is_known(denials, denial))
		return 0;
	if (denials->n == MOST) {
		denials->more++;
		return 0;
	}
	if (grow(denials) < 0)
		return -ENOMEM;
	denials->items[denials->n] = (struct denial){
		.operation = copy(arena, denial->operation, &failed),
		.target = copy(arena, denial->target, &failed),
		.key = copy(arena, denial->key, &failed),
		.item = copy(arena, denial->item, &failed),
		.note = copy(arena, denial->note, &failed),
		.add = copy(arena, denial->add, &failed),
	};
	if (failed)
		return -ENOMEM;
	denials->n++;
	return 0;
}

const char *denial_reason(struct arena *arena, const struct denial *denial)
{
	if (!denial->key)
		return denial->note;
	if (!denial->item)
		return arena_printf(arena, "not listed in %s", denial->key);
	return arena_printf(arena, "%s: %s", denial->key, denial->item);
}

int denials_print(const struct denials *denials, int fd)
{
	struct arena *arena = denials->arena;

	for (size_t i = 0; i < denials->n; i++) {
		const struct denial *denial = &denials->items[i];
		/* The workload controls these bytes. */
		const char *target = quote_exactly(arena, denial->target);
		const char *reason = denial_reason(arena, denial);

		reason = reason ? quote_exactly(arena, reason) : NULL;
		if (!target || !reason)
			return -ENOMEM;
		dprintf(fd, "denied: %s %s (%s%s%s)\n", denial->operation,
			target, reason, denial->add ? "; add " : "",
			denial->add ? denial->add : "");
	}
	if (denials->more)
		dprintf(fd, "denied: %zu more\n", denials->more);
	return 0;
}

void denials_put(struct writer *w, const char *key,
		 const struct denials *denials)
{
	put_array(w, key);
	for (size_t i = 0; i < denials->n; i++) {
		const struct denial *denial = &denials->items[i];

		put_object(w, NULL);
		put_string(w, "operation", denial->operation);
		put_string(w, "target", denial->target);
		if (denial->key)
			put_string(w, "key", denial->key);
		if (denial->item)
			put_string(w, "item", denial->item);
		put_string(w, "reason", denial_reason(w->arena, denial));
		if (denial->add)
			put_string(w, "add", denial->add);
		put_end(w);
	}
	put_end(w);
}
