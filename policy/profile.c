/* SPDX-License-Identifier: Apache-2.0 */
/* policy/profile.c - read a policy from a profile in TOML. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/complain.h"
#include "policy/keys.h"
#include "policy/toml.h"
#include "policy/values.h"

/* A time without a zone is UTC. */
static void time_from_toml(const struct toml_value *v, struct policy_raw *ret)
{
	const struct toml_datetime *t = &v->time;
	int64_t seconds;

	if (!policy_time_from_date(t->year, t->month, t->day, &seconds)) {
		ret->text = "a date before 1970";
		return;
	}
	if (v->type == TOML_DATETIME)
		seconds -= INT64_C(60) * t->offset;
	ret->type = POLICY_RAW_TIME;
	ret->time = (struct policy_time){
		.seconds = seconds + INT64_C(60) * (60 * t->hour + t->minute) +
			   t->second,
		.nanoseconds = t->nanosecond,
	};
}

static void scalar_from_toml(const struct toml_value *v, struct policy_raw *ret)
{
	*ret = (struct policy_raw){ .type = POLICY_RAW_OTHER, .key = v->key };
	switch (v->type) {
	case TOML_STRING:
		ret->type = POLICY_RAW_STRING;
		ret->text = v->text;
		break;
	case TOML_INTEGER:
		ret->type = POLICY_RAW_INTEGER;
		ret->integer = v->integer;
		break;
	case TOML_FLOAT:
		ret->type = POLICY_RAW_FLOAT;
		ret->real = v->real;
		break;
	case TOML_BOOL:
		ret->type = POLICY_RAW_BOOL;
		ret->truth = v->truth;
		break;
	case TOML_DATETIME:
	case TOML_LOCAL_DATETIME:
		time_from_toml(v, ret);
		break;
	case TOML_LOCAL_DATE:
		ret->text = "a date without a time";
		break;
	case TOML_LOCAL_TIME:
		ret->text = "a time without a date";
		break;
	case TOML_ARRAY:
		ret->text = "a list";
		break;
	case TOML_TABLE:
		ret->text = "a table";
		break;
	}
}

int policy_raw_from_toml(struct arena *arena, const struct toml_value *value,
			 struct policy_raw *ret)
{
	struct policy_raw *items;
	size_t n = 0;

	if (value->type != TOML_ARRAY && value->type != TOML_TABLE) {
		scalar_from_toml(value, ret);
		return 0;
	}
	items = arena_array(arena, value->n, sizeof *items);
	if (!items)
		return -ENOMEM;
	toml_each (member, value)
		scalar_from_toml(member, &items[n++]);
	*ret = (struct policy_raw){
		.type = value->type == TOML_ARRAY ? POLICY_RAW_LIST :
						    POLICY_RAW_MAP,
		.key = value->key,
		.items = items,
		.n = n,
	};
	return 0;
}

static int read_key(const struct policy_setter *to, enum policy_section section,
		    const struct toml_value *v, bool seen[KEY_COUNT])
{
	int key = policy_key_find_in(section, v->key);
	struct policy_raw raw;
	int r = policy_raw_from_toml(to->arena, v, &raw);

	if (r < 0)
		return r;
	if (key < 0)
		return fail_in(policy_unknown(to->arena, "key", v->key, &raw,
					      policy_section_keys(to->arena,
								  section)),
			       "[%s]", policy_section_name(section));
	if (seen[key])
		return fail(0, "%s is given twice: remove one",
			    policy_key_name(key));
	seen[key] = true;
	return policy_set(to, key, &raw);
}

static int read_section(const struct policy_setter *to,
			const struct toml_value *table)
{
	int section = policy_section_find(table->key);
	bool seen[KEY_COUNT] = { false };

	if (section < 0)
		return fail_in(policy_unknown(to->arena, "section", table->key,
					      NULL,
					      policy_section_names(to->arena)),
			       "line %u", table->line);
	if (table->type != TOML_TABLE)
		return fail_in(fail(0, "'%s' is not a section: write [%s]",
				    table->key, table->key),
			       "line %u", table->line);
	toml_each (member, table) {
		int r = read_key(to, section, member, seen);

		if (r < 0)
			return fail_in(r, "line %u", member->line);
	}
	return 0;
}

int policy_from_toml(struct arena *arena, const char *text, size_t len,
		     const char *name, const struct policy_place *place,
		     struct policy *ret)
{
	struct policy policy = { 0 };
	const struct policy_setter to = { arena, &policy, place, name };
	const struct toml_value *root;
	int r = toml_parse(arena, text, len, &root);

	if (r < 0)
		return fail_in(r, "%s", name);
	toml_each (table, root) {
		r = read_section(&to, table);
		if (r < 0)
			return fail_in(r, "%s", name);
	}
	policy_layer(ret, &policy);
	return 0;
}
