/* SPDX-License-Identifier: Apache-2.0 */
/* policy/lists.c - read lists and their items. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/complain.h"
#include "policy/http_rule.h"
#include "policy/net_rule.h"
#include "policy/presets.h"
#include "policy/syscalls.h"
#include "policy/values.h"

static const char *const protections[PROTECT_COUNT] = {
	[PROTECT_FS_REFER] = "fs_refer",
	[PROTECT_FS_TRUNCATE] = "fs_truncate",
	[PROTECT_NET_TCP] = "net_tcp",
	[PROTECT_FS_IOCTL_DEV] = "fs_ioctl_dev",
	[PROTECT_SIGNAL_SCOPE] = "signal_scope",
	[PROTECT_ABSTRACT_SCOPE] = "abstract_unix_socket_scope",
	[PROTECT_NAMESPACES] = "namespaces",
	[PROTECT_CGROUPS] = "cgroups",
	[PROTECT_DENY_REPLACE] = "deny_replace",
};

const char *policy_protection_name(enum policy_protection protection)
{
	return protections[protection];
}

static int check_list(const struct policy_key_info *key,
		      const struct policy_raw *raw)
{
	if (raw->type != POLICY_RAW_LIST)
		return policy_wrong(raw, "a list such as [\"a\", \"b\"]");
	if (raw->n == 0 && key->filled)
		return fail(0, "the list must not be empty: add an element, or "
			       "remove the key");
	return 0;
}

POLICY_READER(policy_read_strings)
{
	const struct policy_type_info *type = policy_type_info(key->type);
	struct strings *list = ret;
	const char **items;
	int r = check_list(key, raw);

	if (r < 0)
		return r;
	items = arena_array(to->arena, raw->n + 1, sizeof *items);
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < raw->n; i++) {
		r = type->item(to, key, &raw->items[i], &items[i]);
		if (r < 0)
			return r;
	}
	*list = (struct strings){ .items = items, .n = raw->n };
	return 0;
}

POLICY_READER(policy_read_dirs)
{
	const struct policy_raw one = {
		.type = POLICY_RAW_LIST,
		.items = raw,
		.n = 1,
	};

	return policy_read_strings(to, key,
				   raw->type == POLICY_RAW_TEXT ||
						   raw->type ==
							   POLICY_RAW_STRING ?
					   &one :
					   raw,
				   ret);
}

/* Accept any text, also empty or with newlines. */
POLICY_READER(policy_read_arg)
{
	(void)to;
	(void)key;
	if (raw->type != POLICY_RAW_TEXT && raw->type != POLICY_RAW_STRING)
		return policy_wrong(raw, "a string");
	*(const char **)ret = raw->text;
	return 0;
}

POLICY_READER(policy_read_port)
{
	struct policy_raw text = *raw;
	struct net_ports ports;
	char digits[32];
	int r;

	(void)key;
	if (raw->type == POLICY_RAW_INTEGER) {
		snprintf(digits, sizeof digits, "%" PRId64, raw->integer);
		text = (struct policy_raw){ .type = POLICY_RAW_TEXT,
					    .text = digits };
	}
	r = policy_plain_text(&text, "a port", (const char **)ret);
	if (r < 0)
		return r;
	if (streq(text.text, "*")) {
		*(const char **)ret = "*";
		return 0;
	}
	r = net_ports_parse(text.text, /* min= */ 0, &ports);
	if (r < 0)
		return r;
	*(const char **)ret =
		strchr(text.text, '-') ?
			arena_printf(to->arena, "%u-%u", ports.first,
				     ports.last) :
			arena_printf(to->arena, "%u", ports.first);
	return *(const char **)ret ? 0 : -ENOMEM;
}

POLICY_READER(policy_read_net_rule)
{
	struct net_rule rule;
	int r = policy_plain_text(raw, "a rule", (const char **)ret);

	(void)key;
	if (r < 0)
		return r;
	return net_rule_parse(to->arena, raw->text, &rule);
}

POLICY_READER(policy_read_http_rule)
{
	struct http_rule rule;
	int r = policy_plain_text(raw, "a rule", (const char **)ret);

	(void)key;
	if (r < 0)
		return r;
	return http_rule_parse(to->arena, raw->text, &rule);
}

static const char *const *group_names(struct arena *arena)
{
	const char **names =
		arena_array(arena, SYSCALLS_GROUPS + 1, sizeof *names);

	for (int i = 0; names && i < SYSCALLS_GROUPS; i++)
		names[i] = syscall_group_info(i)->name;
	return names;
}

POLICY_READER(policy_read_group)
{
	int r = policy_plain_text(raw, "a group of system calls",
				  (const char **)ret);

	(void)key;
	if (r < 0)
		return r;
	if (syscall_group_find(raw->text) >= 0)
		return 0;
	return policy_none_of(
		to->arena, raw->text,
		arena_printf(
			to->arena, "'%s' is not a group of system calls%s",
			raw->text,
			syscall_is_name(raw->text) ?
				", and single system calls cannot be allowed" :
				""),
		group_names(to->arena));
}

POLICY_READER(policy_read_call)
{
	int r = policy_plain_text(raw, "a system call", (const char **)ret);

	(void)to;
	(void)key;
	if (r < 0)
		return r;
	if (!syscall_is_name(raw->text))
		return policy_wrong(raw,
				    "a system call or a group of system calls");
	return 0;
}

POLICY_READER(policy_read_numbers)
{
	struct policy_numbers *list = ret;
	uint32_t *items;
	int r = check_list(key, raw);

	if (r < 0)
		return r;
	items = arena_array(to->arena, raw->n, sizeof *items);
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < raw->n; i++) {
		r = policy_read_number(to, key, &raw->items[i], &items[i]);
		if (r < 0)
			return r;
	}
	*list = (struct policy_numbers){ .items = items, .n = raw->n };
	return 0;
}

static int read_protection(struct arena *arena, const struct policy_raw *raw,
			   uint32_t *bits)
{
	const char *known[PROTECT_COUNT + 1] = { NULL };
	const char *text;
	int r = policy_plain_text(raw, "a protection", &text);

	if (r < 0)
		return r;
	for (unsigned int i = 0; i < PROTECT_COUNT; i++)
		if (streq(text, protections[i])) {
			*bits |= 1U << i;
			return 0;
		}
	memcpy(known, protections, sizeof protections);
	return policy_none_of(arena, text,
			      arena_printf(arena, "'%s' is not a protection",
					   text),
			      known);
}

POLICY_READER(policy_read_protections)
{
	uint32_t bits = 0;
	int r = check_list(key, raw);

	for (size_t i = 0; r == 0 && i < raw->n; i++)
		r = read_protection(to->arena, &raw->items[i], &bits);
	if (r < 0)
		return r;
	*(uint32_t *)ret = bits;
	return 0;
}

/* NAME, PREFIX_* or @preset. */
static int read_name(struct arena *arena, const struct policy_raw *raw,
		     const char **ret)
{
	const char *star;
	int r = policy_plain_text(raw, "a variable", ret);

	if (r < 0)
		return r;
	if (raw->text[0] == '@')
		return policy_is_env_preset(raw->text + 1) ?
			       0 :
			       policy_no_preset(arena, raw->text, "variables",
						policy_env_preset_name);
	star = strchr(raw->text, '*');
	if (strchr(raw->text, '=') || star == raw->text || (star && star[1]))
		return policy_wrong(raw, "NAME, PREFIX_* or a preset");
	return 0;
}

POLICY_READER(policy_read_names)
{
	struct policy_names *names = ret;
	const char **items;
	int r;

	if (raw->type == POLICY_RAW_BOOL || raw->type == POLICY_RAW_TEXT) {
		r = policy_read_bool(to, key, raw, &names->all);
		return r < 0 ? policy_wrong(raw, "true, false or a list") : 0;
	}
	r = check_list(key, raw);
	if (r < 0)
		return r;
	items = arena_array(to->arena, raw->n + 1, sizeof *items);
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < raw->n; i++) {
		r = read_name(to->arena, &raw->items[i], &items[i]);
		if (r < 0)
			return r;
	}
	names->names = (struct strings){ .items = items, .n = raw->n };
	return 0;
}
