/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/ports.h - the ports of a sandbox on the host's loopback, as
 * `sandlock run` has saved them in its state directory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oci/json.h"

struct arena;
struct writer;

struct port {
	uint32_t port, host_port;
	const char *protocol;
};

struct ports {
	struct port *items;
	size_t n;
};

/* Save them, if there are any. */
int ports_save(struct arena *arena, int dir, const struct ports *ports);
int ports_load(struct arena *arena, int dir, struct ports *ret);
/* Print a table, or JSON. */
int ports_print(struct arena *arena, const struct ports *ports, bool json);
/* Read an array of objects: see json.h. */
JSON_READER(ports_read);
/* Write an array of objects. */
void ports_put(struct writer *w, const char *key, const struct ports *ports);
/* Write only the objects. */
void ports_put_items(struct writer *w, const struct ports *ports);
/* "8080" or "8080->40123", separated by commas; "" for none. */
const char *ports_text(struct arena *arena, const struct ports *ports);
