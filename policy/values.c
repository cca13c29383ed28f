/* SPDX-License-Identifier: Apache-2.0 */
/* policy/values.c - read single values, and set keys. */
#include "policy/values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/util.h"

#define MAX_SHOWN 256

const char *const policy_branches[] = {
	[BRANCH_COMMIT] = "commit",
	[BRANCH_ABORT] = "abort",
	[BRANCH_KEEP] = "keep",
};

const char *const policy_modes[] = {
	[POLICY_MODE_DENY] = "deny",
	[POLICY_MODE_LOOPBACK] = "loopback",
	[POLICY_MODE_OPEN] = "open",
};

/* Make text safe for a message: without control bytes, and truncated. */
static const char *shown(const char *text, char buffer[MAX_SHOWN])
{
	size_t len = strnlen(text, MAX_SHOWN - 1);

	for (size_t i = 0; i < len; i++)
		buffer[i] = iscntrl((unsigned char)text[i]) ? '?' : text[i];
	buffer[len] = '\0';
	return buffer;
}

int policy_wrong(const struct policy_raw *raw, const char *wanted)
{
	char buffer[MAX_SHOWN];

	switch (raw->type) {
	case POLICY_RAW_TEXT:
	case POLICY_RAW_STRING:
		return fail(0, "'%s' is not %s", shown(raw->text, buffer),
			    wanted);
	case POLICY_RAW_BOOL:
		return fail(0, "%s is not %s", raw->truth ? "true" : "false",
			    wanted);
	case POLICY_RAW_INTEGER:
		return fail(0, "%" PRId64 " is not %s", raw->integer, wanted);
	case POLICY_RAW_FLOAT:
		return fail(0, "%g (a float) is not %s", raw->real, wanted);
	case POLICY_RAW_TIME:
		return fail(0, "must be %s, not a date", wanted);
	case POLICY_RAW_LIST:
		return fail(0, "must be %s, not a list", wanted);
	case POLICY_RAW_MAP:
		return fail(0, "must be %s, not a table", wanted);
	case POLICY_RAW_OTHER:
		return fail(0, "must be %s, not %s", wanted, raw->text);
	}
	return fail(0, "must be %s", wanted);
}

static bool is_textual(const struct policy_raw *raw)
{
	return raw->type == POLICY_RAW_TEXT || raw->type == POLICY_RAW_STRING;
}

int policy_plain_text(const struct policy_raw *raw, const char *wanted,
		      const char **ret)
{
	char buffer[MAX_SHOWN];

	if (!is_textual(raw) || *raw->text == '\0')
		return policy_wrong(raw, wanted);
	for (const char *p = raw->text; *p; p++)
		if (iscntrl((unsigned char)*p))
			return fail(0,
				    "'%s' contains a control byte (0x%02x): "
				    "remove it",
				    shown(raw->text, buffer),
				    (unsigned int)(unsigned char)*p);
	*ret = raw->text;
	return 0;
}

POLICY_READER(policy_read_bool)
{
	bool *value = ret;

	(void)to;
	(void)key;
	if (raw->type == POLICY_RAW_BOOL)
		*value = raw->truth;
	else if (raw->type == POLICY_RAW_TEXT && streq(raw->text, "true"))
		*value = true;
	else if (raw->type == POLICY_RAW_TEXT && streq(raw->text, "false"))
		*value = false;
	else
		return policy_wrong(raw, "true or false");
	return 0;
}

static bool is_whole(const struct policy_raw *raw, uint64_t *ret)
{
	if (raw->type == POLICY_RAW_TEXT)
		return num_u64(raw->text, ret) == 0;
	if (raw->type != POLICY_RAW_INTEGER || raw->integer < 0)
		return false;
	*ret = (uint64_t)raw->integer;
	return true;
}

POLICY_READER(policy_read_number)
{
	char wanted[64];
	uint64_t value;

	(void)to;
	if (!is_whole(raw, &value) || value < key->min || value > key->max) {
		snprintf(wanted, sizeof wanted,
			 "a number from %" PRIu64 " to %" PRIu64, key->min,
			 key->max);
		return policy_wrong(raw, wanted);
	}
	*(uint32_t *)ret = (uint32_t)value;
	return 0;
}

/*
 * Also accept a string of digits: integers of TOML cover only half of the
 * range.
 */
POLICY_READER(policy_read_seed)
{
	(void)to;
	(void)key;
	if (raw->type == POLICY_RAW_STRING ? num_u64(raw->text, ret) < 0 :
					     !is_whole(raw, ret))
		return policy_wrong(raw, "an unsigned 64-bit number");
	return 0;
}

POLICY_READER(policy_read_size)
{
	uint64_t *size = ret;

	(void)to;
	(void)key;
	if (raw->type == POLICY_RAW_INTEGER && raw->integer > 0)
		*size = (uint64_t)raw->integer;
	else if (!is_textual(raw) || num_bytes(raw->text, size) < 0 || !*size)
		return policy_wrong(raw, "a size (such as 512M, 64MiB or 1.5G; "
					 "not 0)");
	return 0;
}

static bool to_time(const struct policy_raw *raw, struct policy_time *ret)
{
	switch (raw->type) {
	case POLICY_RAW_TEXT:
	case POLICY_RAW_STRING:
		return policy_time_parse(raw->text, ret);
	case POLICY_RAW_INTEGER:
		*ret = (struct policy_time){ .seconds = raw->integer };
		return policy_time_is_valid(ret);
	case POLICY_RAW_FLOAT:
		return policy_time_from_real(raw->real, ret);
	case POLICY_RAW_TIME:
		*ret = raw->time;
		return policy_time_is_valid(ret);
	default:
		return false;
	}
}

POLICY_READER(policy_read_time)
{
	(void)to;
	(void)key;
	if (!to_time(raw, ret))
		return policy_wrong(raw, "a time (seconds since 1970, or "
					 "2026-01-31T12:00:00Z)");
	return 0;
}

/* Return the index of a word; -1 if it is unknown. */
static int find_word(const struct policy_raw *raw, const char *const *words,
		     int n)
{
	for (int i = 0; i < n; i++)
		if (is_textual(raw) && streq(raw->text, words[i]))
			return i;
	return -1;
}

POLICY_READER(policy_read_branch)
{
	int found = find_word(raw, policy_branches, COUNT(policy_branches));

	(void)to;
	(void)key;
	if (found < 0)
		return policy_wrong(raw, "commit, abort or keep");
	*(enum policy_branch *)ret = (enum policy_branch)found;
	return 0;
}

POLICY_READER(policy_read_mode)
{
	int found = find_word(raw, policy_modes, COUNT(policy_modes));

	(void)to;
	(void)key;
	if (found < 0)
		return policy_wrong(raw, "deny, loopback or open");
	*(enum policy_mode *)ret = (enum policy_mode)found;
	return 0;
}

int policy_set(const struct policy_setter *to, enum policy_key key,
	       const struct policy_raw *raw)
{
	const struct policy_key_info *info = policy_key_info(key);
	const struct policy_type_info *type = policy_type_info(info->type);
	union {
		max_align_t align;
		char bytes[64];
	} value = { .bytes = { 0 } };
	int r = type->read(to, info, raw, &value);

	if (r < 0)
		return fail_in(r, "%s", info->name);
	memcpy(policy_member(to->policy, key), &value, type->size);
	to->policy->set[key] = true;
	to->policy->origin[key] = to->origin;
	return 0;
}

int policy_set_bool(const struct policy_setter *to, enum policy_key key,
		    bool value)
{
	return policy_set(to, key,
			  &(struct policy_raw){ .type = POLICY_RAW_BOOL,
						.truth = value });
}

int policy_set_text(const struct policy_setter *to, enum policy_key key,
		    const char *value)
{
	return policy_set(to, key,
			  &(struct policy_raw){ .type = POLICY_RAW_TEXT,
						.text = value });
}

int policy_set_list(const struct policy_setter *to, enum policy_key key,
		    const char *const *items, size_t n)
{
	struct policy_raw list = { .type = POLICY_RAW_LIST, .n = n };
	struct policy_raw *texts = arena_array(to->arena, n, sizeof *texts);

	if (!texts)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		texts[i] = (struct policy_raw){ .type = POLICY_RAW_TEXT,
						.text = items[i] };
	list.items = texts;
	return policy_set(to, key, &list);
}
