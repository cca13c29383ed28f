/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/systemd_properties.c - list the properties of a container's unit. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/internal.h"
#include "cgroups/systemd.h"

#define PREFIX "org.systemd.property."

/* ---- devices ---- */

/* systemd can name a device, all of a major number, or all of a type only. */
static const char *device_name(struct arena *arena, char type,
			       const struct oci_device_rule *rule)
{
	const char *kind = type == 'b' ? "block" : "char";

	if (rule->major < 0)
		return arena_printf(arena, "%s-*", kind);
	if (rule->minor < 0)
		return arena_printf(arena, "%s-%" PRId64, kind, rule->major);
	return arena_printf(arena, "/dev/%s/%" PRId64 ":%" PRId64, kind,
			    rule->major, rule->minor);
}

static const char *add_device(struct arena *arena, const char *list, char type,
			      const struct oci_device_rule *rule)
{
	const char *name = device_name(arena, type, rule);

	if (!name || !list)
		return NULL;
	return arena_printf(arena, "%s%s %s%s%s\n", list, name,
			    rule->r ? "r" : "", rule->w ? "w" : "",
			    rule->m ? "m" : "");
}

static int add_policy(struct arena *arena, struct strings *ret,
		      const char *policy, const char *list)
{
	int r;

	/* An empty list first: later values are added to the present ones. */
	if ((r = systemd_add(arena, ret, "DevicePolicy", "s", "%s", policy)) <
		    0 ||
	    (r = systemd_add(arena, ret, "DeviceAllow", "a(ss)", "%s", "")) < 0)
		return r;
	if (!*list)
		return 0;
	return systemd_add(arena, ret, "DeviceAllow", "a(ss)", "%s", list);
}

/*
 * systemd's rules and ours both apply. Ours are exact, so systemd's may be
 * wider: a device that a later rule denies may stay in its list.
 */
int systemd_devices(struct arena *arena, const struct oci_resources *resources,
		    struct strings *ret)
{
	const struct device_rules rules = { resources->devices,
					    resources->ndevices };
	const char *list = "";

	for (size_t i = device_rules_start(&rules);
	     i < device_rules_count(&rules); i++) {
		const struct oci_device_rule *rule = device_rule(&rules, i);

		if (!rule->allow)
			continue;
		if (device_rule_is_reset(rule))
			return add_policy(arena, ret, "auto", "");
		if (rule->type != 'c')
			list = add_device(arena, list, 'b', rule);
		if (rule->type != 'b')
			list = add_device(arena, list, 'c', rule);
	}
	return list ? add_policy(arena, ret, "strict", list) : -ENOMEM;
}

/* ---- annotations ---- */

static const struct {
	const char *word, *signature;
} types[] = {
	{ "boolean", "b" }, { "byte", "y" },   { "int16", "n" },
	{ "uint16", "q" },  { "int32", "i" },  { "uint32", "u" },
	{ "int64", "x" },   { "uint64", "t" }, { "string", "s" },
	{ "@b", "b" },	    { "@y", "y" },     { "@n", "n" },
	{ "@q", "q" },	    { "@i", "i" },     { "@u", "u" },
	{ "@x", "x" },	    { "@t", "t" },     { "@s", "s" },
	{ "@as", "as" },
};

/*
 * "uint64 5" names the type before the value; otherwise guess it from the
 * value.
 */
static const char *signature_of(const char **text)
{
	size_t len = strcspn(*text, " ");

	for (size_t i = 0; i < COUNT(types); i++)
		if (strlen(types[i].word) == len &&
		    strncmp(*text, types[i].word, len) == 0) {
			*text += len + strspn(*text + len, " ");
			return types[i].signature;
		}
	if (**text == '[')
		return "as";
	if (**text == '\'' || **text == '"')
		return "s";
	return streq(*text, "true") || streq(*text, "false") ? "b" : "i";
}

/* 'text' or "text", with \ as the escape character. */
static bool read_string(const char **text, char **to)
{
	char quote = **text;

	if (quote != '\'' && quote != '"')
		return false;
	for ((*text)++; **text != quote; (*text)++) {
		if (**text == '\\')
			(*text)++;
		if (!**text || **text == '\n')
			return false;
		*(*to)++ = **text;
	}
	(*text)++;
	*text += strspn(*text, " ");
	return true;
}

/* Convert ['a', 'b'] to lines. */
static bool read_array(const char **text, char **to)
{
	if (**text != '[')
		return false;
	do {
		(*text)++;
		*text += strspn(*text, " ");
		if (**text == ']')
			break;
		if (!read_string(text, to))
			return false;
		*(*to)++ = '\n';
	} while (**text == ',');
	if (**text != ']')
		return false;
	(*text)++;
	return true;
}

static bool read_plain(const char **text, char **to, bool boolean)
{
	size_t len = strlen(*text);
	const char *digits = *text + (**text == '-');
	bool good = boolean ? streq(*text, "true") || streq(*text, "false") :
			      *digits && !digits[strspn(digits, "0123456789")];

	memcpy(*to, *text, len);
	*to += len;
	*text += len;
	return good;
}

/* Return the value without its GVariant notation; NULL if it is invalid. */
static const char *value_of(struct arena *arena, const char *text,
			    const char *signature)
{
	char *value = arena_alloc(arena, strlen(text) + 1), *to = value;
	bool good;

	if (!value)
		return NULL;
	if (streq(signature, "s"))
		good = read_string(&text, &to);
	else if (streq(signature, "as"))
		good = read_array(&text, &to);
	else
		good = read_plain(&text, &to, streq(signature, "b"));
	return good && !*text ? value : NULL;
}

static bool is_seconds(const char *name, const char *signature)
{
	size_t len = strlen(name);

	return len > 3 && streq(name + len - 3, "Sec") &&
	       name[len - 4] != 'U' && strchr("nqiuxt", *signature);
}

/* D-Bus only has microseconds: TimeoutStopSec is TimeoutStopUSec. */
static int add_seconds(struct arena *arena, const char *name, const char *value,
		       struct strings *ret)
{
	if (*value == '-')
		return fail(0,
			    "'%s' is not a duration in seconds: it must not be "
			    "negative",
			    value);
	name = arena_printf(arena, "%.*sUSec", (int)strlen(name) - 3, name);
	if (!name)
		return -ENOMEM;
	return systemd_add(arena, ret, name, "t", "%s000000", value);
}

/*
 * Annotations must not set the properties that make this the container's unit.
 */
static bool is_ours(const char *name)
{
	static const char *const names[] = { "PIDs", "PIDFDs", "Slice",
					     "Delegate", "Description" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (streq(name, names[i]))
			return true;
	return false;
}

static int add_annotation(struct arena *arena,
			  const struct oci_annotation *annotation,
			  struct strings *ret)
{
	const char *name = annotation->key + strlen(PREFIX);
	const char *text = annotation->value;
	const char *signature, *value;

	if (!*name || strchr(name, '='))
		return fail(0, "the key must end in the name of a systemd "
			       "property, without '='");
	if (is_ours(name))
		return fail(0,
			    "sandlock-oci sets this systemd property itself: "
			    "remove the annotation");
	signature = signature_of(&text);
	value = value_of(arena, text, signature);
	if (!value)
		return fail(0,
			    "'%s' is not a value such as 5, uint64 5, "
			    "true, 'text' or ['text']",
			    annotation->value);
	if (is_seconds(name, signature))
		return add_seconds(arena, name, value, ret);
	return systemd_add(arena, ret, name, signature, "%s", value);
}

int systemd_annotations(struct arena *arena,
			const struct oci_annotations *annotations,
			struct strings *ret)
{
	for (size_t i = 0; i < annotations->n; i++) {
		const struct oci_annotation *a = &annotations->items[i];
		int r;

		if (!starts_with(a->key, PREFIX))
			continue;
		r = add_annotation(arena, a, ret);
		if (r < 0)
			return fail_in(r, "annotations[\"%s\"]", a->key);
	}
	return 0;
}

/* ---- the whole unit ---- */

static int add_scope(struct arena *arena, const struct systemd_unit *unit,
		     struct strings *ret)
{
	int r;

	/* A slice has neither of them. */
	if (!unit->slice)
		return 0;
	r = systemd_add(arena, ret, "Slice", "s", "%s", unit->slice);
	return r < 0 ? r : systemd_add(arena, ret, "Delegate", "b", "true");
}

int systemd_properties(struct arena *arena, const struct systemd_unit *unit,
		       const struct oci_spec *spec, bool v2, bool user,
		       struct strings *ret)
{
	const char *const flags[][2] = {
		{ "DefaultDependencies", "false" },
		{ "CPUAccounting", "true" },
		{ "MemoryAccounting", "true" },
		{ "TasksAccounting", "true" },
		{ v2 ? "IOAccounting" : "BlockIOAccounting", "true" },
	};
	const struct oci_resources *resources = &spec->linux_.resources;
	struct strings list;
	int r = systemd_limits(arena, resources, v2, &list);

	if (r >= 0 && !user)
		r = systemd_devices(arena, resources, &list);
	for (size_t i = 0; r >= 0 && i < COUNT(flags); i++)
		r = systemd_add(arena, &list, flags[i][0], "b", "%s",
				flags[i][1]);
	if (r < 0 || (r = add_scope(arena, unit, &list)) < 0 ||
	    (r = systemd_add(arena, &list, "CollectMode", "s",
			     "inactive-or-failed")) < 0 ||
	    (r = systemd_annotations(arena, &spec->annotations, &list)) < 0)
		return r;
	*ret = list;
	return 0;
}
