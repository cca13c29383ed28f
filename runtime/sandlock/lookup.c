/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/lookup.c - find a sandbox by its name, and describe it. */
#include "runtime/sandlock/lookup.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "runtime/sandbox/name.h"

int sandlock_find(const struct session *session, const char *name,
		  struct container *ret)
{
	const char *id;
	int r = sandbox_name_to_id(session->arena, name, &id);

	if (r < 0)
		return r;
	r = *name ? container_load_sound(session->arena, session->root, id,
					 ret) :
		    -ENOENT;
	if (r == -ENOENT) {
		fail(0, "there is no sandbox named '%s', see sandlock ps",
		     name);
		return -ENOENT;
	}
	return r;
}

/* Use the clock of the kernel's start times: the date may be changed. */
static uint64_t seconds_since(uint64_t start_time)
{
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec now;

	if (clock_gettime(CLOCK_BOOTTIME, &now) < 0 || ticks == 0 ||
	    (uint64_t)now.tv_sec < start_time / ticks)
		return 0;
	return (uint64_t)now.tv_sec - start_time / ticks;
}

int sandlock_describe(struct arena *arena, const struct container *c,
		      struct sandbox_row *ret)
{
	struct sandbox_row row = { .created = c->record.created };
	struct oci_spec spec;
	int r = container_status(c, &row.status);

	if (r < 0)
		return r;
	/*
	 * Its `sandlock` is gone, so processes that still exist will end soon.
	 */
	if (c->record.sandbox && !container_held(c))
		row.status = OCI_STOPPED;
	r = sandbox_name_from_id(arena, c->id, &row.name);
	if (r == -ENOMEM)
		return r;
	/* A container of another program: its ID is its name. */
	if (r < 0)
		row.name = c->id;
	if (row.status != OCI_STOPPED) {
		row.pid = c->record.pid;
		row.age = seconds_since(c->record.start_time);
	}
	r = container_spec(arena, c, &spec);
	if (r == -ENOMEM)
		return r;
	if (r >= 0 && spec.process)
		row.command = spec.process->args;
	r = ports_load(arena, c->dir, &row.ports);
	if (r < 0)
		return r;
	*ret = row;
	return 0;
}
