/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/connection.h - the record of a judged destination as an
 * event; docs/control.md has its members.
 */
#pragma once

#include "control/event.h"
#include "network/engine.h"

/* Room for the texts of an event. */
struct connection_text {
	char path[NET_ADDRESS_TEXT + 16];
	char line[512];
};

/* Make the event; it points to the record and to *text. */
struct event connection_event(const struct net_record *record,
			      struct connection_text *text);
