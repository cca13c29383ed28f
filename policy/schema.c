/* SPDX-License-Identifier: Apache-2.0 */
/* policy/schema.c - write the JSON Schema of a profile. */
#include <string.h>

#include "base/util.h"
#include "oci/write.h"
#include "policy/syscalls.h"
#include "policy/types.h"
#include "policy/values.h"

#define SIZE_PATTERN "^[0-9]+([Bb]|([.][0-9]+)?[KkMmGgTt]([Ii]?[Bb])?)?$"

static void put_type(struct writer *w, const char *type)
{
	put_string(w, "type", type);
}

static void put_integer(struct writer *w, uint64_t min, uint64_t max)
{
	put_type(w, "integer");
	put_u64(w, "minimum", min);
	put_u64(w, "maximum", max);
}

static void put_matching(struct writer *w, const char *pattern)
{
	put_type(w, "string");
	put_string(w, "pattern", pattern);
}

/* Begin and end the schema of one alternative, or of the items. */
static void begin_choice(struct writer *w)
{
	put_array(w, "anyOf");
	put_object(w, NULL);
}

static void next_choice(struct writer *w)
{
	put_end(w);
	put_object(w, NULL);
}

static void end_choice(struct writer *w)
{
	put_end(w);
	put_end(w);
}

static void begin_items(struct writer *w, const struct policy_key_info *key)
{
	put_type(w, "array");
	if (key->filled)
		put_u64(w, "minItems", 1);
	put_object(w, "items");
}

static void put_words_of(struct writer *w, const char *const *words, size_t n)
{
	put_array(w, "enum");
	for (size_t i = 0; i < n; i++)
		put_string(w, NULL, words[i]);
	put_end(w);
}

POLICY_SCHEMA(policy_schema_bool)
{
	(void)key;
	put_type(w, "boolean");
}

POLICY_SCHEMA(policy_schema_number)
{
	put_integer(w, key->min, key->max);
}

POLICY_SCHEMA(policy_schema_seed)
{
	(void)key;
	begin_choice(w);
	put_integer(w, 0, INT64_MAX);
	next_choice(w);
	put_matching(w, "^[0-9]+$");
	end_choice(w);
}

POLICY_SCHEMA(policy_schema_size)
{
	(void)key;
	begin_choice(w);
	put_integer(w, 1, INT64_MAX);
	next_choice(w);
	put_matching(w, SIZE_PATTERN);
	end_choice(w);
}

POLICY_SCHEMA(policy_schema_time)
{
	(void)key;
	begin_choice(w);
	put_type(w, "number");
	put_u64(w, "minimum", 0);
	next_choice(w);
	put_type(w, "string");
	end_choice(w);
}

POLICY_SCHEMA(policy_schema_text)
{
	(void)key;
	put_type(w, "string");
	put_u64(w, "minLength", 1);
}

POLICY_SCHEMA(policy_schema_strings)
{
	begin_items(w, key);
	put_type(w, "string");
	if (key->type != POLICY_TYPE_ARGS)
		put_u64(w, "minLength", 1);
	put_end(w);
}

POLICY_SCHEMA(policy_schema_names)
{
	begin_choice(w);
	put_type(w, "boolean");
	next_choice(w);
	policy_schema_strings(w, key);
	end_choice(w);
}

POLICY_SCHEMA(policy_schema_dirs)
{
	begin_choice(w);
	policy_schema_text(w, key);
	next_choice(w);
	policy_schema_strings(w, key);
	end_choice(w);
}

POLICY_SCHEMA(policy_schema_map)
{
	(void)key;
	put_type(w, "object");
	put_object(w, "additionalProperties");
	put_type(w, "string");
	put_end(w);
}

POLICY_SCHEMA(policy_schema_mounts)
{
	begin_choice(w);
	policy_schema_strings(w, key);
	next_choice(w);
	policy_schema_map(w, key);
	end_choice(w);
}

POLICY_SCHEMA(policy_schema_branch)
{
	(void)key;
	put_words_of(w, policy_branches, COUNT(policy_branches));
}

POLICY_SCHEMA(policy_schema_mode)
{
	(void)key;
	put_words_of(w, policy_modes, COUNT(policy_modes));
}

POLICY_SCHEMA(policy_schema_numbers)
{
	begin_items(w, key);
	put_integer(w, key->min, key->max);
	put_end(w);
}

POLICY_SCHEMA(policy_schema_ports)
{
	begin_items(w, key);
	begin_choice(w);
	put_integer(w, 0, UINT16_MAX);
	next_choice(w);
	put_matching(w, "^([0-9]+(-[0-9]+)?|\\*)$");
	end_choice(w);
	put_end(w);
}

POLICY_SCHEMA(policy_schema_groups)
{
	begin_items(w, key);
	put_array(w, "enum");
	for (enum syscall_group i = 0; i < SYSCALLS_GROUPS; i++)
		put_string(w, NULL, syscall_group_info(i)->name);
	put_end(w);
	put_end(w);
}

POLICY_SCHEMA(policy_schema_protections)
{
	begin_items(w, key);
	put_array(w, "enum");
	for (enum policy_protection i = 0; i < PROTECT_COUNT; i++)
		put_string(w, NULL, policy_protection_name(i));
	put_end(w);
	put_end(w);
}

static void put_key(struct writer *w, const char *name,
		    const struct policy_key_info *info)
{
	put_object(w, strchr(name, '.') + 1);
	put_string(w, "description", info->about);
	policy_type_info(info->type)->schema(w, info);
	put_end(w);
}

static bool has_keys(enum policy_section section)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy_key_info(key)->section == section &&
		    policy_key_info(key)->enforced)
			return true;
	return false;
}

static void put_section(struct writer *w, enum policy_section section)
{
	put_object(w, policy_section_name(section));
	put_type(w, "object");
	put_bool(w, "additionalProperties", false);
	put_object(w, "properties");
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		if (info->section != section || !info->enforced)
			continue;
		put_key(w, info->name, info);
		if (info->alias)
			put_key(w, info->alias, info);
	}
	put_end(w);
	put_end(w);
}

int policy_schema(struct arena *arena, const char **ret)
{
	struct writer w;

	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "$schema",
		   "https://json-schema.org/draft/2020-12/schema");
	put_string(&w, "title", "sandlock profile");
	put_type(&w, "object");
	put_bool(&w, "additionalProperties", false);
	put_object(&w, "properties");
	for (enum policy_section i = 0; i < SECTION_COUNT; i++)
		if (has_keys(i))
			put_section(&w, i);
	put_end(&w);
	put_end(&w);
	return writer_close(&w, ret, NULL);
}
