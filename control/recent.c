/* SPDX-License-Identifier: Apache-2.0 */
/* control/recent.c - keep the latest events. */
#include "control/recent.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

static void drop_first(struct recent *recent)
{
	size_t size = strlen(recent->texts) + 1;

	recent->used -= size;
	memmove(recent->texts, recent->texts + size, recent->used);
	recent->dropped++;
}

static bool has_memory(struct recent *recent)
{
	void *texts;

	if (recent->texts)
		return true;
	texts = mmap(NULL, RECENT_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (texts == MAP_FAILED)
		return false;
	recent->texts = texts;
	return true;
}

void recent_keep(struct recent *recent, const char *event)
{
	size_t size = strlen(event) + 1;

	if (!has_memory(recent)) {
		recent->dropped++;
		return;
	}
	if (size > RECENT_SIZE) {
		/* The count comes first, so nothing may be left before it. */
		while (recent->used)
			drop_first(recent);
		recent->dropped++;
		return;
	}
	while (RECENT_SIZE - recent->used < size)
		drop_first(recent);
	memcpy(recent->texts + recent->used, event, size);
	recent->used += size;
}

const char *recent_next(const struct recent *recent, const char *event)
{
	const char *next = event ? event + strlen(event) + 1 : recent->texts;

	return next && next < recent->texts + recent->used ? next : NULL;
}

void recent_close(struct recent *recent)
{
	if (recent->texts)
		munmap(recent->texts, RECENT_SIZE);
	*recent = (struct recent){ 0 };
}
