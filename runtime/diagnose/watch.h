/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/watch.h - print what a container is denied, as the kernel's
 * audit records tell, and what its supervisor reports.
 */
#pragma once

#include "base/arena.h"
#include "control/client.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/audit.h"
#include "runtime/denials/denials.h"
#include "runtime/diagnose/explain.h"
#include "runtime/enforce/view.h"

struct container;

struct watch {
	struct explanation all;
	struct view view;
	struct attribution attribution;
	struct denials denials;
	struct arena arena;	  /* of the denials */
	struct audit audit;	  /* its descriptor is -1: nothing to watch */
	struct control_link link; /* to its supervisor; -1: none */
	int proc, root;
	size_t printed;
};

#define WATCH_NONE                                                         \
	{                                                                  \
		.all = { .prepared = PREPARED_NONE }, .audit = AUDIT_NONE, \
		.link = CONTROL_LINK_NONE, .proc = -1, .root = -1,         \
	}

/*
 * Begin, if the container has a policy. If the kernel does not report denials,
 * say so once.
 */
int watch_open(const struct session *session, const struct container *container,
	       struct watch *ret);
/*
 * Print the denials that have arrived, one object on a line, and log them; and
 * the events of the supervisor, which has logged them.
 */
int watch_print(struct watch *watch, const char *id);
/* The container has ended: print the rest of both. */
int watch_end(struct watch *watch, const char *id);
void watch_close(struct watch *watch);
