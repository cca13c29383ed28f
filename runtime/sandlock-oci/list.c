/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/list.c - list: print every container below the root. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/text.h"
#include "base/util.h"
#include "oci/oci.h"
#include "runtime/container/container.h"
#include "runtime/sandlock-oci/commands.h"

#define MAX_PASSWD (4UL << 20)
#define RECORD_ARENA (48UL << 20)
#define MIN_WIDTH 12
#define GAP 3

enum { COL_ID, COL_PID, COL_STATUS, COL_BUNDLE, COL_CREATED, COL_OWNER, COLS };

struct list_options {
	const char *format;
	bool quiet;
};

static const struct option_spec options_known[] = {
	{ "format", 'f', OPTION_TEXT, offsetof(struct list_options, format),
	  "FORMAT", "table (default) or json" },
	{ "quiet", 'q', OPTION_FLAG, offsetof(struct list_options, quiet), NULL,
	  "print only IDs" },
};

/* A container, and its line of the table. */
struct row {
	struct oci_record record;
	enum oci_status status;
	const char *cells[COLS];
};

/* A static binary has no NSS: read the file passwd, else use the number. */
static const char *owner_name(struct arena *arena, const char *passwd,
			      uint32_t uid)
{
	for (const char *line = passwd; *line;) {
		size_t len = strcspn(line, "\n");
		const char *colon = memchr(line, ':', len);
		unsigned int id;

		if (colon && sscanf(colon, ":%*[^:\n]:%u:", &id) == 1 &&
		    id == uid)
			return arena_strndup(arena, line,
					     (size_t)(colon - line));
		line += len + (line[len] == '\n');
	}
	return arena_printf(arena, "%u", uid);
}

static const char *read_passwd(struct arena *arena)
{
	char *text;

	if (io_read_at(arena, AT_FDCWD, "/etc/passwd", MAX_PASSWD, &text) < 0)
		return "";
	return text;
}

/* What all rows need: memory, the state directory, and owners' names. */
struct listing {
	struct arena *arena;   /* of the rows */
	struct arena *scratch; /* of one record */
	struct containers *all;
	const char *passwd;
	uint32_t owner; /* the last one that was looked up */
	const char *owner_name;
};

/* Copy what is printed; a whole record takes several pages. */
static int keep_record(struct arena *arena, const struct oci_record *from,
		       struct oci_record *ret)
{
	size_t n = from->annotations.n;
	struct oci_annotation *items = arena_array(arena, n, sizeof *items);
	struct oci_record kept = {
		.version = arena_strdup(arena, from->version),
		.id = arena_strdup(arena, from->id),
		.bundle = arena_strdup(arena, from->bundle),
		.rootfs = arena_strdup(arena, from->rootfs),
		.created = arena_strdup(arena, from->created),
		.owner = from->owner,
		.pid = from->pid,
		.annotations = { .items = items, .n = n },
	};

	if (!items || !kept.version || !kept.id || !kept.bundle ||
	    !kept.rootfs || !kept.created)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		items[i].key =
			arena_strdup(arena, from->annotations.items[i].key);
		items[i].value =
			arena_strdup(arena, from->annotations.items[i].value);
		if (!items[i].key || !items[i].value)
			return -ENOMEM;
	}
	*ret = kept;
	return 0;
}

static int fill_row(struct listing *l, const struct container *c,
		    struct row *ret)
{
	bool broken = c->broken && !container_locked(c);
	struct row row;
	int r = container_status(c, &row.status);

	if (r >= 0)
		r = keep_record(l->arena, &c->record, &row.record);
	if (r < 0)
		return r;
	if (row.status == OCI_STOPPED)
		row.record.pid = 0;
	if (!l->owner_name || l->owner != row.record.owner) {
		l->owner = row.record.owner;
		l->owner_name = owner_name(l->arena, l->passwd, l->owner);
	}
	row.cells[COL_ID] = row.record.id;
	row.cells[COL_PID] = arena_printf(l->arena, "%d", row.record.pid);
	row.cells[COL_STATUS] = broken ? "broken" : oci_status_name(row.status);
	row.cells[COL_BUNDLE] = text_escape(l->arena, row.record.bundle,
					    /* exactly= */ false);
	row.cells[COL_CREATED] = row.record.created;
	row.cells[COL_OWNER] = l->owner_name;
	if (!row.cells[COL_PID] || !row.cells[COL_BUNDLE] ||
	    !row.cells[COL_OWNER])
		return -ENOMEM;
	*ret = row;
	return 0;
}

/* Skip a container that is deleted in the meantime. */
static int fill_rows(struct listing *l, const struct strings *ids,
		     struct row *rows, size_t *ret_n)
{
	size_t n = 0;

	for (size_t i = 0; i < ids->n; i++) {
		autocontainer struct container c = CONTAINER_NONE;
		int r = containers_load(l->scratch, l->all, ids->items[i], &c);

		if (r == -ENOENT)
			continue;
		if (r >= 0)
			r = fill_row(l, &c, &rows[n++]);
		if (r < 0)
			return r;
		arena_clear(l->scratch);
	}
	*ret_n = n;
	return 0;
}

static int load_rows(const struct session *session, const struct strings *ids,
		     struct row **ret_rows, size_t *ret_n)
{
	AUTO(arena_close) struct arena scratch = { 0 };
	autocontainers struct containers all = CONTAINERS_NONE;
	struct row *rows = arena_array(session->arena, ids->n, sizeof *rows);
	struct listing l = {
		.arena = session->arena,
		.scratch = &scratch,
		.all = &all,
		.passwd = read_passwd(session->arena),
	};
	int r;

	if (!rows)
		return -ENOMEM;
	*ret_rows = rows;
	*ret_n = 0;
	if (ids->n == 0)
		return 0;
	r = arena_open(&scratch, RECORD_ARENA);
	if (r >= 0)
		r = containers_open(session->root, &all);
	if (r < 0)
		return r;
	return fill_rows(&l, ids, rows, ret_n);
}

static void print_cells(const char *const *cells, const size_t *widths)
{
	for (int c = 0; c < COLS - 1; c++) {
		fputs(cells[c], stdout);
		for (size_t n = strlen(cells[c]); n < widths[c]; n++)
			putchar_unlocked(' ');
	}
	puts(cells[COLS - 1]);
}

static void print_table(const struct row *rows, size_t n)
{
	static const char *const titles[COLS] = {
		"ID", "PID", "STATUS", "BUNDLE", "CREATED", "OWNER",
	};
	size_t widths[COLS];

	for (int c = 0; c < COLS; c++) {
		widths[c] = MIN_WIDTH;
		for (size_t i = 0; i < n; i++)
			if (strlen(rows[i].cells[c]) + GAP > widths[c])
				widths[c] = strlen(rows[i].cells[c]) + GAP;
	}
	print_cells(titles, widths);
	for (size_t i = 0; i < n; i++)
		print_cells(rows[i].cells, widths);
}

static int print_json(struct arena *arena, const struct row *rows, size_t n)
{
	struct oci_list_row *out = arena_array(arena, n, sizeof *out);
	const char *json;
	int r;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		out[i] = (struct oci_list_row){
			.record = &rows[i].record,
			.status = rows[i].status,
			.owner = rows[i].cells[COL_OWNER],
		};
	r = oci_list_print(arena, out, n, &json);
	if (r < 0)
		return r;
	fputs(json, stdout);
	return 0;
}

static int list_ids(const struct session *session, struct strings *ret)
{
	int r = container_ids(session->arena, session->root, ret);

	if (r == -ENOENT && !session->root_given) {
		*ret = (struct strings){ 0 };
		return 0;
	}
	return r;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct list_options *o = options;
	const char *format = o->format ? o->format : "table";
	struct strings ids;
	struct row *rows;
	size_t n;
	int r;

	(void)argc;
	(void)argv;
	if (!streq(format, "table") && !streq(format, "json"))
		return fail(0, "--format: '%s' is not table or json", format);
	r = list_ids(session, &ids);
	if (r < 0)
		return r;
	if (o->quiet) {
		for (size_t i = 0; i < ids.n; i++)
			puts(ids.items[i]);
		return 0;
	}
	r = load_rows(session, &ids, &rows, &n);
	if (r < 0)
		return r;
	if (streq(format, "json"))
		return print_json(session->arena, rows, n);
	print_table(rows, n);
	return 0;
}

const struct command command_list = {
	.name = "list",
	.arguments = "[options]",
	.help = "list the containers in the state directory",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct list_options),
	.run = run,
	.failure = 1,
};
