/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/ask.h - ask the supervisor of a sandbox on its control
 * socket, and print the answer.
 */
#pragma once

#include <stdbool.h>

#include "control/client.h"

struct container;

/*
 * Connect to the supervisor of a container, and ask for its events. *ret is not
 * connected if the container has none, or if it ends now.
 */
int ask_events(struct arena *arena, const struct container *container,
	       struct control_link *ret);
/*
 * Print the next event as a line on stdout. Return 1 if there was one, 0 if the
 * stream has ended, -ETIMEDOUT without an error text if none came in time.
 */
int ask_print_event(struct control_link *link, int timeout_ms);
/*
 * Print the ports that have other numbers outside, as a table or as JSON. A link
 * that is not connected: the sandbox has none.
 */
int ask_ports(struct arena *arena, struct control_link *link, bool json);
/* The same for a container, with or without a supervisor. */
int ask_container_ports(struct arena *arena, const struct container *container,
			bool json);
