/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/state.c - any state.json: what is read is what would be written. */
#include <string.h>

#include "oci/json.h"
#include "tests/fuzz/fuzz.h"

static struct oci_record record;

static int parse(struct arena *arena, const char *text, size_t len)
{
	return oci_record_parse(arena, text, len, &record);
}

static void demand_json(struct arena *arena, const char *text)
{
	const struct json_value *v;

	demand(json_parse(arena, text, strlen(text), &v) == 0);
	if (v->type == JSON_OBJECT)
		demand(streq(json_find(v, "id")->text, record.id));
}

/* For engines, hooks and agents, in every status. */
static void demand_documents(struct arena *arena)
{
	const struct oci_list_row row = { .record = &record, .owner = "root" };
	const char *text;

	for (int i = OCI_CREATING; i <= OCI_STOPPED; i++) {
		enum oci_status status = (enum oci_status)i;

		demand(oci_state_print(arena, &record, status, &text) == 0);
		demand_json(arena, text);
		demand(oci_state_for_hook(arena, &record, status, record.pid,
					  &text) == 0);
		demand_json(arena, text);
	}
	demand(oci_list_print(arena, &row, 1, &text) == 0);
	demand_json(arena, text);
}

static void accepted(struct arena *arena)
{
	const char *first, *second;
	struct oci_record again;
	size_t len, len2;

	demand(record.pid >= 0 && (!record.kept || record.pid > 0));
	demand(*record.id && record.bundle[0] == '/');
	demand(oci_record_write(arena, &record, &first, &len) == 0);
	demand(oci_record_parse(arena, first, len, &again) == 0);
	demand(oci_record_write(arena, &again, &second, &len2) == 0);
	demand(len == len2 && memcmp(first, second, len) == 0);
	demand(again.pid == record.pid && again.kept == record.kept &&
	       again.maker == record.maker &&
	       again.maker_start == record.maker_start &&
	       again.start_time == record.start_time &&
	       again.ncgroups == record.ncgroups);
	demand_documents(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
