/* SPDX-License-Identifier: Apache-2.0 */
/* cow/report.c - show the changes of a branch, as lines and as JSON. */
#include "cow/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/util.h"
#include "cow/branch.h"
#include "oci/write.h"

int64_t report_age(const struct branch *branch)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > branch->created ? now.tv_sec - branch->created : 0;
}

static const char *type_name(const struct tree_entry *entry)
{
	switch (entry->mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "link";
	case S_IFIFO:
		return "FIFO";
	case S_IFSOCK:
		return "socket";
	default:
		return "device";
	}
}

static const char *shown_path(const struct report *report,
			      const struct change *c)
{
	const char *before = report->before ? report->before : "";
	const char *path = *c->path ? c->path : *before ? "" : ".";
	const char *whole = arena_printf(report->arena, "%s%s%s", before,
					 *before && *path ? "/" : "", path);

	return whole ? text_escape(report->arena, whole, true) : NULL;
}

static void put_details(FILE *out, const struct change *c)
{
	const char *open = "  (", *sep = open;

	if (c->kind != 'M')
		return;
	if (c->differs & DIFFERS_TYPE) {
		(void)fprintf(out, "%s%s -> %s", sep, type_name(&c->old),
			      type_name(&c->new));
		sep = ", ";
	}
	if (c->differs & DIFFERS_MODE && !(c->differs & DIFFERS_TYPE)) {
		(void)fprintf(out, "%smode %04o -> %04o", sep,
			      c->old.mode & 07777, c->new.mode & 07777);
		sep = ", ";
	}
	if (c->differs & DIFFERS_OWNER) {
		(void)fprintf(out, "%sowner %u:%u -> %u:%u", sep, c->old.uid,
			      c->old.gid, c->new.uid, c->new.gid);
		sep = ", ";
	}
	if (c->differs & DIFFERS_XATTRS) {
		(void)fprintf(out, "%sattributes", sep);
		sep = ", ";
	}
	if (sep != open)
		(void)fputs(")", out);
}

int report_list(const struct report *report, const struct changes *changes)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct change *c = changes->items[i];
		const struct tree_entry *e = c->kind == 'D' ? &c->old : &c->new;
		const char *path;

		if (!c->kind)
			continue;
		path = shown_path(report, c);
		if (!path)
			return -ENOMEM;
		(void)fprintf(report->out, "%c %s%s", c->kind, path,
			      tree_is_type(e, S_IFDIR) && *c->path ? "/" : "");
		put_details(report->out, c);
		(void)fputs("\n", report->out);
	}
	return 0;
}

int report_conflicts(const struct report *report, const struct changes *changes)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct change *c = changes->items[i];
		const char *path;

		if (!c->conflict)
			continue;
		path = shown_path(report, c);
		if (!path)
			return -ENOMEM;
		(void)fprintf(report->out, "conflict: %s: %s\n", path,
			      c->conflict);
	}
	return 0;
}

static void put_entry(struct writer *w, const char *key,
		      const struct tree_entry *entry)
{
	char mode[sizeof "07777"];

	if (entry->mode == 0)
		return;
	(void)snprintf(mode, sizeof mode, "%04o", entry->mode & 07777);
	put_object(w, key);
	put_string(w, "type", type_name(entry));
	put_string(w, "mode", mode);
	put_u64(w, "uid", entry->uid);
	put_u64(w, "gid", entry->gid);
	if (tree_is_type(entry, S_IFREG))
		put_u64(w, "size", entry->size);
	put_end(w);
}

/* JSON has no bytes that are not UTF-8, so they are also given escaped. */
static void put_path(struct writer *w, const struct report *report,
		     const struct change *c)
{
	const char *before = report->before ? report->before : "";
	const char *whole = arena_printf(report->arena, "%s%s%s", before,
					 *before && *c->path ? "/" : "",
					 c->path);

	put_string(w, "path", whole);
	if (whole && !utf8_is(whole))
		put_string(w, "escaped",
			   text_escape(report->arena, whole, true));
}

void report_json(struct writer *w, const char *key, const struct report *report,
		 const struct changes *changes)
{
	static const struct {
		unsigned int bit;
		const char *word;
	} parts[] = {
		{ DIFFERS_TYPE, "type" },     { DIFFERS_CONTENT, "content" },
		{ DIFFERS_MODE, "mode" },     { DIFFERS_OWNER, "owner" },
		{ DIFFERS_XATTRS, "xattrs" }, { DIFFERS_TIMES, "times" },
	};

	put_array(w, key);
	for (size_t i = 0; i < changes->n; i++) {
		const struct change *c = changes->items[i];
		const char kind[] = { c->kind, '\0' };

		if (!c->kind)
			continue;
		put_object(w, NULL);
		put_string(w, "change", kind);
		put_path(w, report, c);
		if (c->from)
			put_string(w, "from", c->from);
		put_entry(w, "old", &c->old);
		put_entry(w, "new", &c->new);
		if (c->kind == 'M') {
			put_array(w, "differs");
			for (size_t j = 0; j < COUNT(parts); j++)
				if (c->differs & parts[j].bit)
					put_string(w, NULL, parts[j].word);
			put_end(w);
		}
		if (c->conflict)
			put_string(w, "conflict", c->conflict);
		put_end(w);
	}
	put_end(w);
}
