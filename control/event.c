/* SPDX-License-Identifier: Apache-2.0 */
/* control/event.c - write an event as JSON, or as a line of text. */
#include "control/event.h"

#include "base/arena.h"
#include "base/date.h"
#include "oci/write.h"

struct event event_covered(const char *path)
{
	return (struct event){
		.type = "covered",
		.what = "replace",
		.path = path,
		.reason = "a process outside has replaced it; it is covered "
			  "again",
	};
}

struct event event_ended(const char *why)
{
	return (struct event){
		.type = "ended",
		.what = "kill",
		.reason = why,
	};
}

static void put_time(struct writer *w, struct timespec time)
{
	char when[DATE_SIZE];

	if (!time.tv_sec)
		clock_gettime(CLOCK_REALTIME, &time);
	date_text(time.tv_sec, when);
	put_string(w, "time",
		   arena_printf(w->arena, "%s.%03ldZ", when,
				time.tv_nsec / 1000000));
}

static void put_text(struct writer *w, const char *key, const char *value)
{
	if (value)
		put_string(w, key, value);
}

void event_put(struct writer *w, const struct event *event)
{
	put_string(w, "type", event->type);
	put_text(w, "id", event->id);
	put_time(w, event->time);
	put_text(w, "what", event->what);
	put_text(w, "path", event->path);
	put_text(w, "key", event->key);
	put_text(w, "item", event->item);
	put_text(w, "reason", event->reason);
	put_text(w, "hint", event->hint);
	if (event->put_more)
		event->put_more(w, event->ctx);
}

const char *event_line(struct arena *arena, const struct event *e)
{
	if (e->line)
		return e->line;
	return arena_printf(arena, "%s:%s%s%s%s%s%s%s%s%s", e->type,
			    e->what ? " " : "", e->what ? e->what : "",
			    e->path ? " " : "", e->path ? e->path : "",
			    e->reason ? " (" : "", e->reason ? e->reason : "",
			    e->reason ? ")" : "", e->hint ? "; " : "",
			    e->hint ? e->hint : "");
}
