/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/annotations.c - read a policy from annotations:
 * io.sandlock.SECTION.KEY, and CONTAINER.io.sandlock/SECTION.KEY for one
 * container of a pod.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/num.h"
#include "base/util.h"
#include "oci/json.h"
#include "policy/complain.h"
#include "policy/keys.h"
#include "policy/near.h"

#define PREFIX "io.sandlock"
#define PROFILE "profile"

/* The policy that an annotation sets. */
struct target {
	struct policy policy;
	const char *profile;
};

struct door {
	struct arena *arena;
	const char *container; /* NULL: no name is known */
	const struct strings *allowed;
	struct policy_place place;
	struct target pod; /* for all containers of a pod */
	struct target own; /* for this one only */
};

/* A parsed name of an annotation. */
struct address {
	const char *key;       /* "section.key"; NULL: not ours */
	const char *container; /* not NUL-terminated; NULL: all */
	size_t container_len;
};

static struct address parse_address(const char *name)
{
	const char *infix = strstr(name, "." PREFIX "/");

	if (starts_with(name, PREFIX "."))
		return (struct address){ .key = name + strlen(PREFIX ".") };
	/* The prefix is ours, but not the rest: this is an error later. */
	if (streq(name, PREFIX) || starts_with(name, PREFIX "/"))
		return (struct address){ .key = name + strlen(PREFIX) };
	if (!infix)
		return (struct address){ 0 };
	return (struct address){
		.key = infix + strlen("." PREFIX "/"),
		.container = name,
		.container_len = (size_t)(infix - name),
	};
}

bool policy_is_annotated(const struct oci_annotations *annotations)
{
	for (size_t i = 0; i < annotations->n; i++)
		if (parse_address(annotations->items[i].key).key)
			return true;
	return false;
}

int policy_check_near(const struct oci_annotations *annotations, bool floor)
{
	for (size_t i = 0; i < annotations->n; i++) {
		const char *name = annotations->items[i].key;

		if (parse_address(name).key || !near_is_ours(name))
			continue;
		if (floor)
			return fail(0,
				    "annotation %s: unknown prefix, and a "
				    "profile is enforced; known forms "
				    "are " PREFIX
				    ".SECTION.KEY and CONTAINER." PREFIX
				    "/SECTION.KEY",
				    name);
		log_notice("annotation %s: ignored; known forms are " PREFIX
			   ".SECTION.KEY and CONTAINER." PREFIX "/SECTION.KEY",
			   name);
	}
	return 0;
}

const char *policy_container_name(const struct oci_annotations *annotations)
{
	const char *name =
		oci_annotation(annotations, "io.kubernetes.cri.container-name");

	return name ? name :
		      oci_annotation(annotations,
				     "io.kubernetes.container.name");
}

/* podman also sets some of CRI-O's annotations, but not the last one here. */
bool policy_is_of_pod(const struct oci_annotations *annotations)
{
	for (size_t i = 0; i < annotations->n; i++)
		if (starts_with(annotations->items[i].key,
				"io.kubernetes.cri."))
			return true;
	return oci_annotation(annotations, "io.kubernetes.container.name") ||
	       oci_annotation(annotations, "io.kubernetes.cri-o.Annotations");
}

bool policy_is_infra(const struct oci_annotations *annotations)
{
	const char *type =
		oci_annotation(annotations, "io.kubernetes.cri.container-type");

	if (!type)
		type = oci_annotation(annotations,
				      "io.kubernetes.cri-o.ContainerType");
	return type && streq(type, "sandbox");
}

static int check_bytes(const char *text)
{
	if (*text == '\0')
		return fail(0, "is empty, but needs a value");
	for (const char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			return fail(0,
				    "contains a control byte (0x%02x): remove "
				    "it",
				    (unsigned int)(unsigned char)*p);
	return 0;
}

static int raw_from_json(const struct json_value *v, struct policy_raw *ret)
{
	struct policy_raw raw = { .type = POLICY_RAW_OTHER, .key = v->key };

	switch ((enum json_type)v->type) {
	case JSON_STRING:
		raw.type = POLICY_RAW_STRING;
		raw.text = v->text;
		break;
	case JSON_BOOL:
		raw.type = POLICY_RAW_BOOL;
		raw.truth = v->truth;
		break;
	case JSON_NUMBER:
		if (num_i64(v->text, &raw.integer) == 0)
			raw.type = POLICY_RAW_INTEGER;
		else
			raw.text = v->text;
		break;
	case JSON_ARRAY:
		raw.text = "a list";
		break;
	case JSON_OBJECT:
		raw.text = "a table";
		break;
	case JSON_NULL:
		raw.text = "null";
		break;
	}
	*ret = raw;
	return raw.type == POLICY_RAW_STRING && *raw.text ?
		       check_bytes(raw.text) :
		       0;
}

/* Convert the members of a JSON array or object. */
static int members(struct arena *arena, const struct json_value *v,
		   struct policy_raw *ret)
{
	struct policy_raw *items = arena_array(arena, v->n, sizeof *items);
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	json_each (member, v) {
		int r = raw_from_json(member, &items[n++]);

		if (r < 0)
			return r;
	}
	*ret = (struct policy_raw){
		.type = v->type == JSON_ARRAY ? POLICY_RAW_LIST :
						POLICY_RAW_MAP,
		.items = items,
		.n = n,
	};
	return 0;
}

/* Split "a; b;c"; blanks around an item are not part of it. */
static int split(struct arena *arena, const char *text, struct policy_raw *ret)
{
	const char *whole = text;
	struct policy_raw *items;
	size_t n = 1;

	for (const char *p = text; *p; p++)
		n += *p == ';';
	items = arena_array(arena, n, sizeof *items);
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t len;

		text += strspn(text, " ");
		len = strcspn(text, ";");
		items[i].type = POLICY_RAW_TEXT;
		while (len && text[len - 1] == ' ')
			len--;
		if (len == 0)
			return fail(0,
				    "'%s' has an empty element (each ';' must "
				    "be between two elements)",
				    whole);
		items[i].text = arena_strndup(arena, text, len);
		if (!items[i].text)
			return -ENOMEM;
		text += strcspn(text, ";") + 1;
	}
	*ret = (struct policy_raw){ .type = POLICY_RAW_LIST,
				    .items = items,
				    .n = n };
	return 0;
}

/* True if a comma cannot be part of an item, so that ";" was meant. */
static bool is_separator(enum policy_type type, const char *comma)
{
	switch (type) {
	case POLICY_TYPE_ARGS:
	case POLICY_TYPE_NET_RULES:
	case POLICY_TYPE_HTTP_RULES:
		return false;
	case POLICY_TYPE_PATHS:
	case POLICY_TYPE_DIRS:
	case POLICY_TYPE_PATTERNS:
	case POLICY_TYPE_DENIALS:
	case POLICY_TYPE_MOUNTS:
	case POLICY_TYPE_TMPFS:
		comma += 1 + strspn(comma + 1, " ");
		return *comma && strchr("/~@-", *comma);
	default:
		return true;
	}
}

static int check_commas(enum policy_type type, const struct policy_raw *list)
{
	for (size_t i = 0; i < list->n; i++)
		for (const char *p = strchr(list->items[i].text, ','); p;
		     p = strchr(p + 1, ','))
			if (is_separator(type, p))
				return fail(0,
					    "'%s' has a comma: separate "
					    "elements with ';', or write a "
					    "JSON array",
					    list->items[i].text);
	return 0;
}

static int read_list(struct arena *arena, enum policy_type type,
		     const char *text, struct policy_raw *ret)
{
	const struct json_value *v;
	int r;

	/* An IPv6 address in brackets also begins with "[". */
	if (text[0] == '[' && json_parse(arena, text, strlen(text), &v) == 0 &&
	    v->type == JSON_ARRAY)
		return members(arena, v, ret);
	err_clear();
	r = split(arena, text, ret);
	return r < 0 ? r : check_commas(type, ret);
}

static int read_map(struct arena *arena, const char *text,
		    struct policy_raw *ret)
{
	const struct json_value *v;
	int r = json_parse(arena, text, strlen(text), &v);

	/* The text may contain secrets, so no error shows it. */
	if (r < 0)
		return fail_in(r, "is not a JSON object such as {\"NAME\": "
				  "\"VALUE\"}");
	if (v->type != JSON_OBJECT)
		return fail(0, "is not a JSON object such as {\"NAME\": "
			       "\"VALUE\"}");
	return members(arena, v, ret);
}

static int read_value(struct arena *arena, enum policy_key key,
		      const char *text, struct policy_raw *ret)
{
	const struct policy_type_info *type =
		policy_type_info(policy_key_info(key)->type);
	int r = check_bytes(text);

	if (r < 0)
		return r;
	if (type->shape == POLICY_RAW_MAP ||
	    (type->maybe_map && text[0] == '{'))
		return read_map(arena, text, ret);
	if (type->shape == POLICY_RAW_LIST &&
	    !(type->maybe_bool &&
	      (streq(text, "true") || streq(text, "false"))))
		return read_list(arena, policy_key_info(key)->type, text, ret);
	*ret = (struct policy_raw){ .type = POLICY_RAW_TEXT, .text = text };
	return 0;
}

/* The author of annotations may not be trusted with the host. */
static int check_allowed(const struct door *door, enum policy_key key)
{
	const struct policy_key_info *info = policy_key_info(key);

	if (info->bundle == POLICY_BUNDLE_NEVER)
		return fail(0, "cannot be set for a bundle: only sandlock run "
			       "uses this key");
	if (info->bundle == POLICY_BUNDLE_ASK &&
	    (!door->allowed || !strings_has(door->allowed, info->name)))
		return fail(0,
			    "affects the host: the operator must allow it "
			    "(--allow-annotations %s)",
			    info->name);
	return 0;
}

static int find_key(struct arena *arena, const char *name, const char *value)
{
	const struct policy_raw raw = {
		/* A table, which may contain secrets. */
		.type = value[0] == '{' ? POLICY_RAW_MAP : POLICY_RAW_TEXT,
		.text = value,
	};
	size_t len = strcspn(name, ".");
	int key = policy_key_find(name);
	const char *part;
	int section;

	if (key >= 0)
		return key;
	part = arena_strndup(arena, name, len);
	if (!part)
		return -ENOMEM;
	section = policy_section_find(part);
	if (section < 0)
		return policy_unknown(arena, "section", part, &raw,
				      policy_section_names(arena));
	return policy_unknown(arena, "key", name + len + (name[len] == '.'),
			      &raw, policy_section_keys(arena, section));
}

static int set_profile(const char *value, struct target *target)
{
	int r = check_bytes(value);

	if (r == 0 && strchr(value, '/'))
		r = fail(0,
			 "'%s' is a path, not a profile name (a name contains "
			 "no '/')",
			 value);
	if (r < 0)
		return fail_in(r, PROFILE);
	target->profile = value;
	return 0;
}

static int set_key(const struct door *door, const char *name,
		   const struct oci_annotation *annotation,
		   struct target *target)
{
	const struct policy_setter to = {
		.arena = door->arena,
		.policy = &target->policy,
		.place = &door->place,
		.origin = annotation->key,
	};
	struct policy_raw raw;
	int key = find_key(door->arena, name, annotation->value);
	int r = key;

	if (r >= 0)
		r = check_allowed(door, key);
	if (r == 0)
		r = read_value(door->arena, key, annotation->value, &raw);
	if (r == 0 && target->policy.set[key])
		r = fail(0, "is given twice, also as %s: remove one",
			 target->policy.origin[key]);
	return r < 0 ? fail_in(r, "%s", name) : policy_set(&to, key, &raw);
}

static bool is_for(const struct address *address, const char *container)
{
	return container && strlen(container) == address->container_len &&
	       memcmp(container, address->container, address->container_len) ==
		       0;
}

/* Keys for other containers have no effect, but a typo is an error. */
static int take(struct door *door, const struct address *address,
		const struct oci_annotation *annotation)
{
	struct target nobody = { 0 };
	struct target *target = &door->pod;

	if (address->container)
		target = is_for(address, door->container) ? &door->own :
							    &nobody;
	if (streq(address->key, PROFILE))
		return set_profile(annotation->value, target);
	return set_key(door, address->key, annotation, target);
}

static int check_container(const struct address *address, const char *name,
			   bool has_name)
{
	if (!address->container)
		return 0;
	if (address->container_len == 0)
		return fail(0,
			    "%s: the container name is empty: write "
			    "CONTAINER%s, or " PREFIX
			    ".%s for all containers of a pod",
			    name, name, address->key);
	return has_name ? 0 :
			  fail(0,
			       "%s: this container has no name: write " PREFIX
			       ".%s instead",
			       name, address->key);
}

int policy_from_annotations(struct arena *arena,
			    const struct oci_annotations *annotations,
			    const char *container,
			    const struct strings *allowed,
			    const struct policy_place *place,
			    struct policy *ret, const char **ret_profile)
{
	struct door door = { .arena = arena,
			     .container = container,
			     .allowed = allowed,
			     .place = *place };

	door.place.bundle = true;
	for (size_t i = 0; i < annotations->n; i++) {
		const struct oci_annotation *a = &annotations->items[i];
		const struct address address = parse_address(a->key);
		int r;

		if (!address.key)
			continue;
		r = check_container(&address, a->key,
				    container || policy_is_infra(annotations));
		if (r < 0)
			return r;
		r = take(&door, &address, a);
		if (r < 0)
			return fail_at(r, "%.*s", (int)(address.key - a->key),
				       a->key);
	}
	policy_layer(&door.pod.policy, &door.own.policy);
	policy_layer(ret, &door.pod.policy);
	*ret_profile = door.own.profile ? door.own.profile : door.pod.profile;
	return 0;
}
