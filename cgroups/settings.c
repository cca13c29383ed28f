/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/settings.c - write a list of cgroup files in an order that works, and
 * undo it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define FIRST_SIZE 32
#define CONTENT_SIZE 16384

static struct setting *new_item(struct settings *settings)
{
	if (settings->n == settings->size) {
		size_t size = settings->size ? settings->size * 2 : FIRST_SIZE;
		struct setting *items = arena_grow(settings->arena,
						   settings->items, settings->n,
						   size, sizeof *items);

		if (!items) {
			settings->error = -ENOMEM;
			return &settings->scrap;
		}
		settings->items = items;
		settings->size = size;
	}
	return &settings->items[settings->n++];
}

struct setting *settings_add(struct settings *settings, const char *field,
			     const char *file, bool needed, const char *fmt,
			     ...)
{
	struct setting *s = new_item(settings);
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = arena_vprintf(settings->arena, fmt, ap);
	va_end(ap);
	if (!text)
		settings->error = -ENOMEM;
	*s = (struct setting){
		.field = field,
		.file = file,
		.text = text,
		.needed = needed,
	};
	return s;
}

void settings_add_number(struct settings *settings, const char *field,
			 const char *file, int64_t value, bool has_max)
{
	if (value < 0 && has_max)
		settings_add(settings, field, file, false, "max");
	else
		settings_add(settings, field, file, value > 0, "%" PRId64,
			     value);
}

const char *settings_printf(struct settings *settings, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = arena_vprintf(settings->arena, fmt, ap);
	va_end(ap);
	if (text)
		return text;
	settings->error = -ENOMEM;
	return "";
}

const char *settings_index(struct settings *settings, const char *field,
			   size_t i)
{
	return settings_printf(settings, "%s[%zu]", field, i);
}

bool is_denied(int r)
{
	return r == -EACCES || r == -EPERM || r == -EROFS;
}

static size_t controller_len(const struct setting *setting)
{
	return strcspn(setting->file, ".");
}

struct cgroup_member *member_v1_of(const struct cgroup *cgroup,
				   const char *file)
{
	return starts_with(file, "io.") ?
		       member_with(cgroup, "blkio", strlen("blkio")) :
		       member_with(cgroup, file, strcspn(file, "."));
}

const char *settings_controllers(const struct cgroup *cgroup,
				 struct settings *settings)
{
	char *list, *end;
	size_t size = 1;

	for (size_t i = 0; i < settings->n; i++)
		size += controller_len(&settings->items[i]) + 1;
	list = end = arena_alloc(settings->arena, size);
	if (!list) {
		settings->error = -ENOMEM;
		return "";
	}
	for (size_t i = 0; i < settings->n; i++) {
		const char *file = settings->items[i].file;
		size_t len = controller_len(&settings->items[i]);

		if (member_v1_of(cgroup, file) || list_has_n(list, file, len))
			continue;
		end += sprintf(end, "%.*s,", (int)len, file);
	}
	return list;
}

/* Return where to write it; NULL if the other version has its controller. */
static struct cgroup_member *member_for(const struct cgroup *cgroup,
					const struct setting *setting, bool v2)
{
	struct cgroup_member *v1 = member_v1_of(cgroup, setting->file);

	/* A controller that neither version has is reported by v2. */
	if (v2)
		return v1 ? NULL : member_v2(cgroup);
	return v1;
}

static bool has_controller(const struct cgroup_member *member,
			   const struct setting *setting)
{
	char list[CGROUP_NAME_SIZE * 2];

	return file_read(member->path, "cgroup.controllers", list,
			 sizeof list) >= 0 &&
	       list_has_n(list, setting->file, controller_len(setting));
}

static int no_controller(const struct setting *setting,
			 const struct cgroup_member *member, bool rootless)
{
	int len = (int)controller_len(setting);

	if (rootless)
		return fail(0,
			    "linux.resources.%s: the %.*s controller is not "
			    "delegated to this user (have a cgroup delegated, "
			    "or remove the limit)",
			    setting->field, len, setting->file);
	return fail(0,
		    "linux.resources.%s: the %.*s controller is not available "
		    "in %s",
		    setting->field, len, setting->file,
		    member ? member->path : "any mounted cgroup hierarchy");
}

/* True if the setting asks for nothing and there is no file to write. */
static bool is_moot(const struct setting *setting, int r, bool rootless)
{
	return !setting->needed &&
	       (r == -ENOENT || r == -ENODEV || r == -ENXIO ||
		r == -EOPNOTSUPP || (rootless && is_denied(r)));
}

static bool has_fallback(const struct settings *settings, size_t i)
{
	return i + 1 < settings->n && settings->items[i + 1].fallback;
}

/* Return the line of content that begins with this word. */
static char *line_of(char *content, const char *key)
{
	size_t len = strlen(key);
	char *save;

	for (char *line = strtok_r(content, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (strncmp(line, key, len) == 0 &&
		    (line[len] == ' ' || line[len] == '\0'))
			return line;
	return NULL;
}

const char *setting_undo_text(struct arena *arena,
			      const struct setting *setting, char *content)
{
	const char *text = content;

	if (setting->key) {
		text = line_of(content, setting->key);
		if (!text)
			return setting->none;
		if (setting->bare)
			text += strlen(setting->key) + 1;
	}
	/* An empty write would not reach the kernel. */
	return *text ? arena_strdup(arena, text) : "\n";
}

static int write_one(const struct cgroup *cgroup, struct settings *settings,
		     size_t i, bool v2, bool rootless)
{
	struct setting *setting = &settings->items[i];
	const struct cgroup_member *member = member_for(cgroup, setting, v2);
	int r;

	if (!member) {
		bool elsewhere = !v2 || member_v1_of(cgroup, setting->file);

		return elsewhere || !setting->needed ?
			       0 :
			       no_controller(setting, NULL, rootless);
	}
	r = file_write(member->path, setting->file, setting->text);
	if (r >= 0 || is_moot(setting, r, rootless))
		return 0;
	if (r == -ENOENT && has_fallback(settings, i)) {
		setting->absent = true;
		return 0;
	}
	if ((r == -ENOENT && v2 && !has_controller(member, setting)) ||
	    (rootless && is_denied(r)))
		return no_controller(setting, member, rootless);
	return fail_in(r, "linux.resources.%s", setting->field);
}

static void keep_old(const struct cgroup *cgroup, struct settings *settings,
		     struct setting *setting, bool v2)
{
	const struct cgroup_member *member = member_for(cgroup, setting, v2);
	char content[CONTENT_SIZE];

	if (!setting->old && member &&
	    file_read(member->path, setting->file, content, sizeof content) >=
		    0)
		setting->old =
			setting_undo_text(settings->arena, setting, content);
}

/*
 * Write all settings that are left. A value that is invalid beside the present
 * ones may be valid after others are written; return the number of these.
 */
static int write_pass(const struct cgroup *cgroup, struct settings *settings,
		      bool v2, bool rootless, bool keep)
{
	int invalid = 0;

	for (size_t i = 0; i < settings->n; i++) {
		struct setting *setting = &settings->items[i];
		int r = 0;

		if (setting->done)
			continue;
		if (keep)
			keep_old(cgroup, settings, setting, v2);
		if (!setting->fallback || settings->items[i - 1].absent)
			r = write_one(cgroup, settings, i, v2, rootless);
		if (r < 0 && r != -EINVAL)
			return r;
		setting->done = r >= 0;
		invalid += r < 0;
	}
	return invalid;
}

int settings_write(const struct cgroup *cgroup, struct settings *settings,
		   bool v2, bool rootless, bool keep)
{
	int before = -1, invalid;

	if (settings->error < 0)
		return settings->error;
	for (;;) {
		invalid = write_pass(cgroup, settings, v2, rootless, keep);
		if (invalid <= 0)
			return invalid;
		/* Another pass would not help. */
		if (invalid == before)
			return -EINVAL;
		before = invalid;
	}
}

/* The old values depend on each other like the new ones. */
void settings_undo(const struct cgroup *cgroup, struct settings *settings)
{
	for (size_t pass = 0, left = 1; left > 0 && pass < settings->n;
	     pass++) {
		left = 0;
		for (size_t i = settings->n; i-- > 0;) {
			struct setting *s = &settings->items[i];
			const struct cgroup_member *member;

			if (!s->old || !s->done)
				continue;
			member = member_v1_of(cgroup, s->file);
			if (!member)
				member = member_v2(cgroup);
			s->done = file_write(member->path, s->file, s->old) ==
				  -EINVAL;
			left += s->done;
		}
	}
}
