/* SPDX-License-Identifier: Apache-2.0 */
/* policy/toml_json.c - convert a tree of TOML to JSON. */
#include "policy/toml_json.h"

#include <math.h>
#include <stdio.h>

#include "oci/write.h"
#include "policy/toml.h"

/* Policies only contain times in UTC, and no other dates. */
static void put_time(struct writer *w, const char *key,
		     const struct toml_datetime *t)
{
	char text[64];
	int n = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d",
			 t->year, t->month, t->day, t->hour, t->minute,
			 t->second);

	if (t->nanosecond)
		n += snprintf(text + n, sizeof text - (size_t)n, ".%09u",
			      t->nanosecond);
	snprintf(text + n, sizeof text - (size_t)n, "Z");
	put_string(w, key, text);
}

static void put_real(struct writer *w, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof text, "%.17g", value);
	if (isfinite(value))
		put_number(w, key, text);
	else
		put_string(w, key, text);
}

void toml_json_put(struct writer *w, const char *key,
		   const struct toml_value *value)
{
	switch (value->type) {
	case TOML_STRING:
		put_string(w, key, value->text);
		return;
	case TOML_INTEGER:
		put_i64(w, key, value->integer);
		return;
	case TOML_FLOAT:
		put_real(w, key, value->real);
		return;
	case TOML_BOOL:
		put_bool(w, key, value->truth);
		return;
	case TOML_DATETIME:
	case TOML_LOCAL_DATETIME:
	case TOML_LOCAL_DATE:
	case TOML_LOCAL_TIME:
		put_time(w, key, &value->time);
		return;
	case TOML_ARRAY:
		put_array(w, key);
		break;
	case TOML_TABLE:
		put_object(w, key);
		break;
	}
	toml_each (member, value)
		toml_json_put(w, value->type == TOML_TABLE ? member->key : NULL,
			      member);
	put_end(w);
}
