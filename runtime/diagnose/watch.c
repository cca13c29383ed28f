/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/watch.c - read the audit records of a container. */
#include "runtime/diagnose/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/proc.h"
#include "oci/write.h"
#include "runtime/container/container.h"
#include "runtime/diagnose/ask.h"

#define ARENA (4UL << 20)
#define END_MS 5000
#define MOST_KEPT 500 /* then a denial may be printed once more */

static int open_root(const struct container *c, struct watch *watch)
{
	char path[64];

	watch->proc = proc_open();
	if (watch->proc < 0)
		return watch->proc;
	snprintf(path, sizeof path, "%d/root", c->record.pid);
	watch->root =
		openat(watch->proc, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return watch->root < 0 ?
		       fail(errno, "open the root of the container, /proc/%s",
			    path) :
		       0;
}

static void attribute(struct watch *watch)
{
	const struct explanation *all = &watch->all;

	if (all->allowed)
		watch->view.allowed = *all->allowed;
	if (all->denied)
		watch->view.denied = *all->denied;
	watch->denials.arena = &watch->arena;
	watch->attribution = (struct attribution){
		.policy = &all->prepared.enforcement.policy,
		.view = &watch->view,
		.denials = &watch->denials,
		.root = watch->root,
		.prefix = "",
		.net = &all->prepared.enforcement.process.landlock,
		.bundle = true,
	};
	audit_attribute(&watch->audit, &watch->attribution);
}

int watch_open(const struct session *session, const struct container *c,
	       struct watch *ret)
{
	int r = container_is_enforced(c);

	if (r > 0 && (r = ask_events(session->arena, c, &ret->link)) == 0)
		r = 1;
	if (r <= 0)
		return r;
	if (!audit_open(&ret->audit, session->host)) {
		log_hint("denials are not reported: that needs Linux 6.15 or "
			 "later with auditing switched on (audit=1, or "
			 "auditctl -e 1), and CAP_AUDIT_CONTROL");
		return 0;
	}
	r = explain_bundle(session, NULL, c->id, NULL, &ret->all);
	if (r >= 0)
		r = open_root(c, ret);
	if (r >= 0)
		r = arena_open(&ret->arena, ARENA);
	if (r < 0)
		return r;
	attribute(ret);
	audit_select(&ret->audit, ret->proc, c->record.pid,
		     c->record.ns_inodes[OCI_NS_PID]);
	return 0;
}

static int print_one(struct watch *watch, const char *id,
		     const struct denial *denial)
{
	const char *line = denial_text(&watch->denials, denial), *text;
	struct event event = denial_event(&watch->arena, denial);
	struct writer w;
	int r;

	event.id = id;

	if (!line)
		return -ENOMEM;
	log_notice("denied: %s", line);
	writer_open(&w, &watch->arena, WRITE_LINE);
	put_object(&w, NULL);
	event_put(&w, &event);
	put_end(&w);
	r = writer_close(&w, &text, NULL);
	if (r < 0)
		return r;
	if (fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		return fail(errno, "write an event to stdout");
	return 0;
}

static int print_new(struct watch *watch, const char *id)
{
	int r = 0;

	audit_attribute_read(&watch->audit);
	while (r >= 0 && watch->printed < watch->denials.n)
		r = print_one(watch, id,
			      &watch->denials.items[watch->printed++]);
	if (watch->denials.n < MOST_KEPT)
		return r;
	/* The stream may never end. */
	arena_clear(&watch->arena);
	watch->denials = (struct denials){ .arena = &watch->arena };
	watch->audit.refusals = NULL;
	watch->audit.n = watch->printed = 0;
	return r;
}

/* Print until none comes in this time. */
static int print_reported(struct watch *watch, int timeout_ms)
{
	int r;

	if (watch->link.fd < 0)
		return 0;
	do
		r = ask_print_event(&watch->link, timeout_ms);
	while (r > 0);
	if (r == 0)
		control_disconnect(&watch->link);
	return r == -ETIMEDOUT ? 0 : r;
}

int watch_print(struct watch *watch, const char *id)
{
	int r = print_reported(watch, 0);

	if (r < 0 || watch->audit.fd < 0)
		return r;
	(void)audit_readable(&watch->audit, 0);
	return print_new(watch, id);
}

int watch_end(struct watch *watch, const char *id)
{
	/* The supervisor ends the stream, unless somebody has stopped it. */
	int r = print_reported(watch, END_MS);

	if (r < 0 || watch->audit.fd < 0)
		return r;
	audit_end(&watch->audit);
	return print_new(watch, id);
}

void watch_close(struct watch *watch)
{
	control_disconnect(&watch->link);
	audit_close(&watch->audit);
	create_forget(&watch->all.prepared);
	arena_close(&watch->arena);
	closep(&watch->root);
	closep(&watch->proc);
}
