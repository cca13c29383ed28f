/* SPDX-License-Identifier: Apache-2.0 */
/* policy/write.c - write a policy as a profile in TOML. */
#include <inttypes.h>
#include <string.h>

#include "base/date.h"
#include "base/err.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/util.h"
#include "policy/types.h"
#include "policy/values.h"

POLICY_WRITER(policy_write_bool)
{
	text_put(out, "%s", *(const bool *)value ? "true" : "false");
}

POLICY_WRITER(policy_write_number)
{
	text_put(out, "%" PRIu32, *(const uint32_t *)value);
}

/* Integers of TOML cover only half of the range. */
POLICY_WRITER(policy_write_seed)
{
	uint64_t seed = *(const uint64_t *)value;

	text_put(out, seed > INT64_MAX ? "\"%" PRIu64 "\"" : "%" PRIu64, seed);
}

POLICY_WRITER(policy_write_size)
{
	text_put(out, "%" PRIu64, *(const uint64_t *)value);
}

POLICY_WRITER(policy_write_time)
{
	const struct policy_time *point = value;
	char date[DATE_SIZE];

	date_text(point->seconds, date);
	text_put(out, "%s", date);
	if (point->nanoseconds)
		text_put(out, ".%09" PRIu32, point->nanoseconds);
	text_put(out, "Z");
}

POLICY_WRITER(policy_write_text)
{
	text_put_quoted(out, *(const char *const *)value);
}

POLICY_WRITER(policy_write_strings)
{
	const struct strings *list = value;

	text_put(out, "[");
	for (size_t i = 0; i < list->n; i++) {
		text_put(out, "%s", i ? ", " : "");
		text_put_quoted(out, list->items[i]);
	}
	text_put(out, "]");
}

/* A single one as its reader takes it, too. */
POLICY_WRITER(policy_write_dirs)
{
	const struct strings *list = value;

	if (list->n == 1)
		text_put_quoted(out, list->items[0]);
	else
		policy_write_strings(out, value);
}

POLICY_WRITER(policy_write_names)
{
	const struct policy_names *names = value;

	if (names->all)
		text_put(out, "true");
	else
		policy_write_strings(out, &names->names);
}

POLICY_WRITER(policy_write_map)
{
	const struct policy_map *map = value;

	text_put(out, "{");
	for (size_t i = 0; i < map->n; i++) {
		text_put(out, "%s", i ? ", " : " ");
		text_put_quoted(out, map->items[i].key);
		text_put(out, " = ");
		/* The value may be a secret, so the error does not show it. */
		if (!out->error && !utf8_is(map->items[i].value))
			out->error =
				fail(0, "the value of '%s' is not valid UTF-8",
				     map->items[i].key);
		text_put_quoted(out, map->items[i].value);
	}
	text_put(out, map->n ? " }" : "}");
}

/* Write a list, so that a reader does not mistake it for the whole map. */
POLICY_WRITER(policy_write_map_keys)
{
	const struct policy_map *map = value;

	text_put(out, "[");
	for (size_t i = 0; i < map->n; i++) {
		text_put(out, "%s", i ? ", " : "");
		text_put_quoted(out, map->items[i].key);
	}
	text_put(out, "]");
}

POLICY_WRITER(policy_write_branch)
{
	text_put_quoted(out,
			policy_branches[*(const enum policy_branch *)value]);
}

POLICY_WRITER(policy_write_mode)
{
	text_put_quoted(out, policy_modes[*(const enum policy_mode *)value]);
}

POLICY_WRITER(policy_write_numbers)
{
	const struct policy_numbers *list = value;

	text_put(out, "[");
	for (size_t i = 0; i < list->n; i++)
		text_put(out, "%s%" PRIu32, i ? ", " : "", list->items[i]);
	text_put(out, "]");
}

POLICY_WRITER(policy_write_protections)
{
	uint32_t bits = *(const uint32_t *)value;
	const char *comma = "";

	text_put(out, "[");
	for (unsigned int i = 0; i < PROTECT_COUNT; i++)
		if (bits & 1U << i) {
			text_put(out, "%s\"%s\"", comma,
				 policy_protection_name(i));
			comma = ", ";
		}
	text_put(out, "]");
}

void policy_show_key(struct text *out, const struct policy *policy,
		     enum policy_key key)
{
	const struct policy_type_info *type =
		policy_type_info(policy_key_info(key)->type);

	(type->show ? type->show : type->write)(out, policy_value(policy, key));
}

static void write_key(struct text *out, const struct policy *policy,
		      enum policy_key key)
{
	policy_type_info(policy_key_info(key)->type)
		->write(out, policy_value(policy, key));
}

static void write_section(struct text *out, const struct policy *policy,
			  enum policy_section section,
			  void (*put)(struct text *out,
				      const struct policy *policy,
				      enum policy_key key))
{
	text_put(out, "%s[%s]\n", out->len ? "\n" : "",
		 policy_section_name(section));
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		if (info->section != section || !policy->set[key])
			continue;
		text_put(out, "%s = ", strchr(info->name, '.') + 1);
		put(out, policy, key);
		text_put(out, "\n");
		if (out->error) {
			fail_in(out->error, "%s", info->name);
			return;
		}
	}
}

int policy_to_toml(struct arena *arena, const struct policy *policy,
		   const char **ret)
{
	struct text out = { .arena = arena };

	for (enum policy_section i = 0; i < SECTION_COUNT; i++)
		if (policy_has_section(policy, i) && !out.error)
			write_section(&out, policy, i, write_key);
	return text_close(&out, ret);
}

int policy_show(struct arena *arena, const struct policy *policy,
		const char **ret)
{
	struct text out = { .arena = arena };

	for (enum policy_section i = 0; i < SECTION_COUNT; i++)
		if (policy_has_section(policy, i) && !out.error)
			write_section(&out, policy, i, policy_show_key);
	return text_close(&out, ret);
}
