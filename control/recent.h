/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control/recent.h - the latest events of a sandbox, in bounded memory, for
 * clients that ask later.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RECENT_SIZE 65536 /* bytes of texts, each with a NUL */

struct recent {
	char *texts; /* the oldest first; NULL: none was kept yet */
	size_t used;
	uint64_t dropped; /* events that are no longer there */
};

/* Keep an event; the oldest ones make room for it. */
void recent_keep(struct recent *recent, const char *event);
/* Return the event after this one, or the first after NULL; NULL: none. */
const char *recent_next(const struct recent *recent, const char *event);
void recent_close(struct recent *recent);
