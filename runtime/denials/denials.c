/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/denials/denials.c - a list of denials, printed as text or JSON. */
#include "runtime/denials/denials.h"

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
		.also = copy(arena, denial->also, &failed),
		.advice = copy(arena, denial->advice, &failed),
		.time = denial->time,
	};
	if (!denial->time.tv_sec)
		clock_gettime(CLOCK_REALTIME, &denials->items[denials->n].time);
	if (failed)
		return -ENOMEM;
	denials->n++;
	if (denials->added)
		denials->added(denials->ctx, &denials->items[denials->n - 1]);
	return 0;
}

const char *denial_reason(struct arena *arena, const struct denial *denial)
{
	if (!denial->key)
		return denial->note;
	if (!denial->item)
		return arena_printf(arena, "not in %s", denial->key);
	return arena_printf(arena, "%s: %s", denial->key, denial->item);
}

/* Write a path below the caller's directory as the caller would. */
static const char *short_target(const struct denials *denials,
				const char *target)
{
	size_t len = denials->cwd ? strlen(denials->cwd) : 0;

	return len > 1 && strncmp(target, denials->cwd, len) == 0 &&
			       target[len] == '/' ?
		       target + len + 1 :
		       target;
}

/* Return "; to allow it: -w @project"; "" if there is no hint. */
static const char *hint_text(struct arena *arena, const struct denial *denial)
{
	const char *hint = denial->add ? denial->add : denial->advice;
	const char *shown = hint ? quote_shown(arena, hint) : NULL;

	if (!hint || !shown)
		return hint ? NULL : "";
	if (!denial->add)
		return arena_printf(arena, "; %s", shown);
	return arena_printf(arena, "; to allow it: %s%s%s%s", shown,
			    denial->also ? " (" : "",
			    denial->also ? denial->also : "",
			    denial->also ? ")" : "");
}

const char *denial_text(const struct denials *denials,
			const struct denial *denial)
{
	struct arena *arena = denials->arena;
	/* The workload controls these bytes. */
	const char *target =
		quote_exactly(arena, short_target(denials, denial->target));
	const char *reason = denial_reason(arena, denial);
	const char *hint = hint_text(arena, denial);

	reason = reason ? quote_exactly(arena, reason) : NULL;
	if (!target || !reason || !hint)
		return NULL;
	return arena_printf(arena, "%s %s (%s)%s", denial->operation, target,
			    reason, hint);
}

int denials_print(const struct denials *denials, int fd)
{
	for (size_t i = 0; i < denials->n; i++) {
		const char *text = denial_text(denials, &denials->items[i]);

		if (!text)
			return -ENOMEM;
		dprintf(fd, "denied: %s\n", text);
	}
	if (denials->more)
		dprintf(fd, "denied: %zu more\n", denials->more);
	return 0;
}

struct event denial_event(struct arena *arena, const struct denial *denial)
{
	return (struct event){
		.type = "denied",
		.time = denial->time,
		.what = denial->operation,
		.path = denial->target,
		.key = denial->key,
		.item = denial->item,
		.reason = denial_reason(arena, denial),
		.hint = denial->add ? denial->add : denial->advice,
	};
}

void denials_put(struct writer *w, const char *key,
		 const struct denials *denials)
{
	put_array(w, key);
	for (size_t i = 0; i < denials->n; i++) {
		struct event event = denial_event(w->arena, &denials->items[i]);

		put_object(w, NULL);
		event_put(w, &event);
		put_end(w);
	}
	put_end(w);
}
