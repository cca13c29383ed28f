/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/ps.c - ps: list running sandboxes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "oci/write.h"
#include "runtime/cli/quote.h"
#include "runtime/sandbox/collect.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/lookup.h"

#define MINUTE 60
#define HOUR 3600
#define DAY 86400

struct ps_options {
	bool json;
};

static const struct option_spec options_known[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct ps_options, json), NULL,
	  "print a JSON array" },
};

static int load_row(const struct session *session, const char *id,
		    struct sandbox_row *ret)
{
	autocontainer struct container c = CONTAINER_NONE;
	int r = container_load(session->arena, session->root, id, &c);

	if (r < 0)
		return r;
	if (!c.broken)
		return sandlock_describe(session->arena, &c, ret);
	/* A sandbox that is being created has no record yet. */
	if (!container_locked(&c))
		log_warning("%s: %s", id, err_text());
	return -ENOENT;
}

/* Skip a sandbox that ends in the meantime. */
static int load_rows(const struct session *session, const struct strings *ids,
		     struct sandbox_row *rows, size_t *ret_n)
{
	size_t n = 0;

	for (size_t i = 0; i < ids->n; i++) {
		int r = load_row(session, ids->items[i], &rows[n]);

		if (r < 0 && r != -ENOENT)
			return r;
		n += r >= 0 && rows[n].status != OCI_STOPPED;
	}
	*ret_n = n;
	return 0;
}

static const char *age_text(struct arena *arena, uint64_t age)
{
	static const struct {
		uint64_t seconds;
		char unit;
	} units[] = { { DAY, 'd' }, { HOUR, 'h' }, { MINUTE, 'm' }, { 1, 's' } };
	size_t i = 0;

	while (i < COUNT(units) - 1 && age < units[i].seconds)
		i++;
	return arena_printf(arena, "%" PRIu64 "%c", age / units[i].seconds,
			    units[i].unit);
}

static int print_table(struct arena *arena, const struct sandbox_row *rows,
		       size_t n)
{
	size_t width = strlen("NAME");
	const char **names = arena_array(arena, n + 1, sizeof *names);

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		names[i] = quote_shown(arena, rows[i].name);
		if (!names[i])
			return -ENOMEM;
		if (strlen(names[i]) > width)
			width = strlen(names[i]);
	}
	printf("%-*s  %8s  %5s  %-11s  %s\n", (int)width, "NAME", "PID", "AGE",
	       "PORTS", "COMMAND");
	for (size_t i = 0; i < n; i++) {
		const char *age = age_text(arena, rows[i].age);
		const char *words = quote_words(arena, &rows[i].command);
		const char *shown = words ? quote_shown(arena, words) : NULL;
		const char *ports = ports_text(arena, &rows[i].ports);

		if (!age || !shown || !ports)
			return -ENOMEM;
		printf("%-*s  %8d  %5s  %-11s  %s\n", (int)width, names[i],
		       rows[i].pid, age, *ports ? ports : "-", shown);
	}
	return 0;
}

static int print_json(struct arena *arena, const struct sandbox_row *rows,
		      size_t n)
{
	struct writer w;

	writer_open(&w, arena, WRITE_PRETTY);
	put_array(&w, NULL);
	for (size_t i = 0; i < n; i++) {
		put_object(&w, NULL);
		put_string(&w, "name", rows[i].name);
		put_string(&w, "status", oci_status_name(rows[i].status));
		put_i64(&w, "pid", rows[i].pid);
		put_u64(&w, "age", rows[i].age);
		put_string(&w, "created", rows[i].created);
		put_strings(&w, "command", &rows[i].command);
		ports_put(&w, "ports", &rows[i].ports);
		put_end(&w);
	}
	put_end(&w);
	return writer_print(&w);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct ps_options *o = options;
	struct strings ids = { 0 };
	struct sandbox_row *rows;
	size_t n;
	int r;

	(void)argc;
	(void)argv;
	collect_all(session);
	r = container_ids(session->arena, session->root, &ids);
	if (r < 0 && r != -ENOENT)
		return r;
	rows = arena_array(session->arena, ids.n + 1, sizeof *rows);
	if (!rows)
		return -ENOMEM;
	r = load_rows(session, &ids, rows, &n);
	if (r < 0)
		return r;
	return o->json ? print_json(session->arena, rows, n) :
			 print_table(session->arena, rows, n);
}

const struct command sandlock_ps = {
	.name = "ps",
	.arguments = "[--json]",
	.help = "list running sandboxes",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct ps_options),
	.run = run,
	.failure = 125,
};
