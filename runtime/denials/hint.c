/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/denials/hint.c - write what must be changed to allow an operation. */
#include "runtime/denials/hint.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/util.h"
#include "policy/glob.h"
#include "policy/keys.h"
#include "runtime/cli/quote.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/denials.h"
#include "runtime/enforce/view.h"

#define PREFIX "io.sandlock."

static struct arena *arena_of(const struct attribution *attribution)
{
	return attribution->denials->arena;
}

/* ---- where a key is set ---- */

static bool is_annotation(const char *origin)
{
	return starts_with(origin, PREFIX) || strstr(origin, ".io.sandlock/");
}

/* Return the file that sets the key; NULL if a flag or an annotation may. */
static const char *file_of(const struct attribution *attribution,
			   enum policy_key key)
{
	const struct policy *policy = attribution->policy;
	const char *origin = policy->set[key] ? policy->origin[key] : NULL;

	return origin && origin[0] != '-' && !is_annotation(origin) ? origin :
								      NULL;
}

/* Files of uv and of agents have their own names for some keys. */
static const char *name_in(const char *file, enum policy_key key)
{
	static const struct {
		enum policy_key key;
		const char *uv, *agent;
	} names[] = {
		{ KEY_READ, "allow-read", "allowedPaths" },
		{ KEY_WRITE, "allow-write", "allowWrite" },
		{ KEY_WRITE_ONLY, "allow-write", NULL },
		{ KEY_EXECUTE, "allow-execute", NULL },
		{ KEY_DENY, NULL, "deniedPaths" },
		{ KEY_DENY_READ, "deny-read", "denyRead" },
		{ KEY_DENY_WRITE, "deny-write", "denyWrite" },
		{ KEY_DENY_EXECUTE, "deny-execute", NULL },
		{ KEY_UNIX, NULL, "allowUnixSockets" },
	};
	bool uv = ends_with(file, "pyproject.toml") ||
		  ends_with(file, "uv.toml");
	bool agent = ends_with(file, ".json");

	for (size_t i = 0; i < COUNT(names); i++) {
		if (names[i].key == key && uv && names[i].uv)
			return names[i].uv;
		if (names[i].key == key && agent && names[i].agent)
			return names[i].agent;
	}
	return policy_key_name(key);
}

/* Return "-w", "--net-bind" or "--syscalls-extra-allow". */
static const char *flag_of(struct arena *arena, enum policy_key key, bool plain)
{
	const struct policy_key_info *info = policy_key_info(key);
	char *flag;

	if (info->letter && plain)
		return arena_printf(arena, "-%c", info->letter);
	if (info->flag)
		return arena_printf(arena, "--%s", info->flag);
	flag = arena_printf(arena, "--%s", info->name);
	for (char *c = flag; c && *c; c++)
		if (*c == '.' || *c == '_')
			*c = '-';
	return flag;
}

/* ---- values ---- */

static bool takes_patterns(enum policy_key key)
{
	enum policy_type type = policy_key_info(key)->type;

	return type == POLICY_TYPE_PATTERNS || type == POLICY_TYPE_DENIALS;
}

/* A name with a variable is an error, so match its dollar by a pattern. */
static char *hide_variables(char *text)
{
	for (char *p = text; p && *p; p++)
		if (*p == '$' && (p[1] == '{' || p[1] == '_' ||
				  isalpha((unsigned char)p[1])))
			*p = '?';
	return text;
}

/* Write a path as short as the caller may type it. */
static const char *shorten(const struct attribution *attribution,
			   const char *path)
{
	struct arena *arena = arena_of(attribution);
	const char *cwd = attribution->cwd, *home = attribution->home;
	size_t len = cwd ? strlen(cwd) : 0;

	if (attribution->project && streq(path, attribution->project))
		return "@project";
	if (len > 1 && streq(path, cwd))
		return ".";
	if (len > 1 && files_is_at_or_below(path, cwd)) {
		path += len + 1;
		return strchr("-@~", *path) ?
			       arena_printf(arena, "./%s", path) :
			       path;
	}
	if (home && !attribution->bundle && !streq(path, home) &&
	    files_is_at_or_below(path, home) && !streq(home, "/"))
		return arena_printf(arena, "~/%s", path + strlen(home) + 1);
	return path;
}

/* A shell must expand a leading ~/ too, so keep it out of the quotes. */
static const char *quote_value(struct arena *arena, const char *value)
{
	const char *quoted;

	if (!starts_with(value, "~/"))
		return quote_word(arena, value);
	quoted = value[2] ? quote_word(arena, value + 2) : "";
	return quoted ? arena_printf(arena, "~/%s", quoted) : NULL;
}

static const char *pattern_of(struct arena *arena, enum policy_key key,
			      const char *value)
{
	const char *quoted;

	if (!takes_patterns(key) || value[0] == '@')
		return value;
	quoted = policy_glob_quote(arena, value);
	return quoted ? hide_variables(arena_strdup(arena, quoted)) : NULL;
}

static const char *toml_of(struct arena *arena, const char *value)
{
	struct text out = { .arena = arena };
	const char *text;

	text_put_quoted(&out, value);
	return text_close(&out, &text) < 0 ? value : text;
}

/* ---- hints ---- */

/* A profile that is enforced may not allow it either. */
static const char *with_floor(const struct attribution *attribution,
			      const char *hint)
{
	const struct policy_floor *floor = attribution->policy->floor;

	if (!hint || !floor)
		return hint;
	return arena_printf(arena_of(attribution),
			    "%s (the enforced profile %s must allow it, too)",
			    hint, floor->name);
}

static const char *add_as_flag(const struct attribution *attribution,
			       enum policy_key key, const char *value)
{
	struct arena *arena = arena_of(attribution);
	const char *word, *flag;

	value = pattern_of(arena, key, value);
	if (!value)
		return NULL;
	word = quote_value(arena, value);
	flag = flag_of(arena, key, !strchr(value, ','));
	return word && flag ? arena_printf(arena, "%s %s", flag, word) : NULL;
}

static const char *add_elsewhere(const struct attribution *attribution,
				 enum policy_key key, const char *value)
{
	struct arena *arena = arena_of(attribution);
	const char *file = file_of(attribution, key);

	value = pattern_of(arena, key, value);
	if (!value)
		return NULL;
	if (file)
		return arena_printf(arena, "add %s to %s in %s",
				    toml_of(arena, value), name_in(file, key),
				    file);
	return arena_printf(arena, "add %s to the annotation %s%s", value,
			    PREFIX, policy_key_name(key));
}

static const char *add(const struct attribution *attribution,
		       enum policy_key key, const char *value)
{
	if (attribution->bundle || file_of(attribution, key))
		return add_elsewhere(attribution, key, value);
	return add_as_flag(attribution, key,
			   value[0] == '/' ? shorten(attribution, value) :
					     value);
}

const char *hint_add(const struct attribution *attribution, enum policy_key key,
		     const char *value)
{
	return with_floor(attribution, add(attribution, key, value));
}

const char *hint_remove(const struct attribution *attribution, const char *key,
			const char *item)
{
	struct arena *arena = arena_of(attribution);
	int number = policy_key_find(key);
	const char *origin, *file;

	if (number < 0)
		return arena_printf(arena, "remove %s from %s", item, key);
	origin = attribution->policy->origin[number];
	file = file_of(attribution, (enum policy_key)number);
	if (file)
		return arena_printf(arena, "remove %s from %s in %s",
				    toml_of(arena, item),
				    name_in(file, (enum policy_key)number),
				    file);
	if (attribution->bundle || !origin)
		return arena_printf(arena, "remove %s from the annotation %s%s",
				    item, PREFIX, key);
	if (item[0] == '/')
		item = shorten(attribution, item);
	item = item ? quote_value(arena, item) : NULL;
	return item ? arena_printf(arena, "remove %s %s", origin, item) : NULL;
}

const char *hint_both(const struct attribution *attribution, const char *remove,
		      const char *add)
{
	return arena_printf(arena_of(attribution), "%s, and %s%s", remove,
			    starts_with(add, "add ") ? "" : "add ", add);
}

const char *hint_set(const struct attribution *attribution, enum policy_key key,
		     const char *value)
{
	struct arena *arena = arena_of(attribution);
	const char *flag;

	if (attribution->bundle)
		return arena_printf(arena, "set the annotation %s%s to %s",
				    PREFIX, policy_key_name(key), value);
	flag = flag_of(arena, key, true);
	return with_floor(attribution,
			  flag ? arena_printf(arena, "%s %s", flag, value) :
				 NULL);
}

const char *hint_raise(const struct attribution *attribution,
		       enum policy_key key)
{
	struct arena *arena = arena_of(attribution);
	const char *flag;

	if (attribution->bundle)
		return arena_printf(arena, "a larger annotation %s%s", PREFIX,
				    policy_key_name(key));
	flag = flag_of(arena, key, true);
	return flag ? arena_printf(arena, "a larger %s", flag) : NULL;
}

/* ---- paths ---- */

/* True for directories that nobody should allow as a whole. */
static bool is_broad(const struct attribution *attribution, const char *dir)
{
	return streq(dir, "/") ||
	       (attribution->home &&
		files_is_at_or_below(attribution->home, dir));
}

static bool is_of_system(const char *path)
{
	static const char *const dirs[] = { "/usr",   "/lib", "/lib32",
					    "/lib64", "/bin", "/libx32",
					    "/sbin" };

	for (size_t i = 0; i < COUNT(dirs); i++)
		if (files_is_at_or_below(path, dirs[i]))
			return true;
	return false;
}

/* A private /tmp is possible only if nothing else of it is shown. */
static bool may_have_tmpfs(const struct attribution *attribution)
{
	const struct files_list *allowed = &attribution->view->allowed;
	const struct policy_mounts *mount = &attribution->policy->mount;

	if (attribution->bundle || attribution->no_namespaces)
		return false;
	for (size_t i = 0; i < allowed->n; i++)
		if (files_is_at_or_below(allowed->items[i].path, "/tmp") ||
		    files_is_at_or_below("/tmp", allowed->items[i].path))
			return false;
	for (size_t i = 0; i < mount->n; i++)
		if (files_is_at_or_below(mount->items[i].inside, "/tmp"))
			return false;
	return true;
}

static const char *parent_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	return arena_strndup(arena, path,
			     slash == path ? 1 : (size_t)(slash - path));
}

static enum policy_key key_of(const struct attribution *attribution,
			      uint32_t right)
{
	const struct policy *policy = attribution->policy;

	if (right == LANDLOCK_MAY_WRITE)
		return policy->set[KEY_WRITE_ONLY] && !policy->set[KEY_WRITE] ?
			       KEY_WRITE_ONLY :
			       KEY_WRITE;
	return right == LANDLOCK_MAY_EXECUTE &&
			       policy_has(policy, KEY_EXECUTE) ?
		       KEY_EXECUTE :
		       KEY_READ;
}

/* A new name cannot be listed, and its directory has too much else. */
static int create_first(const struct attribution *attribution,
			const struct hint_path *wanted, struct denial *ret)
{
	const char *add = hint_add(attribution,
				   key_of(attribution, wanted->right),
				   wanted->path);

	if (!add)
		return -ENOMEM;
	ret->advice = arena_printf(arena_of(attribution),
				   "create it outside the sandbox, then: %s",
				   add);
	return ret->advice ? 0 : -ENOMEM;
}

int hint_path(const struct attribution *attribution,
	      const struct hint_path *wanted, struct denial *ret)
{
	enum policy_key key = key_of(attribution, wanted->right);
	const char *path = wanted->path;

	if (wanted->name)
		path = parent_of(arena_of(attribution), path);
	if (!path)
		return -ENOMEM;
	if (wanted->name && streq(path, "/tmp") &&
	    may_have_tmpfs(attribution)) {
		key = KEY_TMPFS;
	} else if (wanted->name && is_broad(attribution, path)) {
		return create_first(attribution, wanted, ret);
	} else if (key == KEY_READ && is_of_system(path)) {
		path = "@system";
	}
	ret->add = hint_add(attribution, key, path);
	return ret->add ? 0 : -ENOMEM;
}
