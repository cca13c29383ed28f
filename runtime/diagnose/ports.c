/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/ports.c - save, load and print published ports. */
#include "runtime/diagnose/ports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "oci/write.h"

#define PORTS_FILE "ports.json"
#define MOST_BYTES (1UL << 20)

void ports_put_items(struct writer *w, const struct ports *ports)
{
	for (size_t i = 0; i < ports->n; i++) {
		put_object(w, NULL);
		put_u64(w, "port", ports->items[i].port);
		put_u64(w, "host_port", ports->items[i].host_port);
		put_string(w, "protocol", ports->items[i].protocol);
		put_end(w);
	}
}

void ports_put(struct writer *w, const char *key, const struct ports *ports)
{
	put_array(w, key);
	ports_put_items(w, ports);
	put_end(w);
}

int ports_print(struct arena *arena, const struct ports *ports, bool json)
{
	struct writer w;

	if (!json) {
		printf("%-8s  %5s  %9s\n", "PROTOCOL", "PORT", "HOST-PORT");
		for (size_t i = 0; i < ports->n; i++)
			printf("%-8s  %5u  %9u\n", ports->items[i].protocol,
			       ports->items[i].port, ports->items[i].host_port);
		return 0;
	}
	writer_open(&w, arena, WRITE_PRETTY);
	ports_put(&w, NULL, ports);
	return writer_print(&w);
}

const char *ports_text(struct arena *arena, const struct ports *ports)
{
	const char *text = "";

	for (size_t i = 0; text && i < ports->n; i++) {
		const struct port *port = &ports->items[i];

		text = arena_printf(arena, "%s%s%" PRIu32, text,
				    *text ? "," : "", port->port);
		if (text && port->port != port->host_port)
			text = arena_printf(arena, "%s->%" PRIu32, text,
					    port->host_port);
	}
	return text;
}

int ports_save(struct arena *arena, int dir, const struct ports *ports)
{
	struct writer w;
	const char *text;
	size_t len;
	int r;

	if (ports->n == 0)
		return 0;
	writer_open(&w, arena, WRITE_COMPACT);
	ports_put(&w, NULL, ports);
	r = writer_close(&w, &text, &len);
	return r < 0 ? r : io_replace_at(dir, PORTS_FILE, text, len, 0600);
}

static JSON_READER(read_port)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("port", json_u32, struct port, port),
		JSON_REQUIRED("host_port", json_u32, struct port, host_port),
		JSON_REQUIRED("protocol", json_string, struct port, protocol),
	};
	int r = json_expect(v, JSON_OBJECT);

	return r < 0 ? r : json_object(arena, v, fields, COUNT(fields), ret);
}

JSON_READER(ports_read)
{
	struct ports *ports = ret;

	return json_array(arena, v, read_port, sizeof *ports->items,
			  &ports->items, &ports->n);
}

int ports_load(struct arena *arena, int dir, struct ports *ret)
{
	const struct json_value *root;
	char *text;
	int r = io_read_at(arena, dir, PORTS_FILE, MOST_BYTES, &text);

	*ret = (struct ports){ 0 };
	if (r == -ENOENT) {
		err_clear();
		return 0;
	}
	if (r >= 0)
		r = json_parse(arena, text, strlen(text), &root);
	if (r >= 0)
		r = ports_read(arena, root, ret);
	return r < 0 ? fail_in(r, PORTS_FILE) : 0;
}
