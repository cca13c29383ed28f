/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_policy_manual.c - the schema, the help and the manual pages
 * have every key that works.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/util.h"
#include "oci/json.h"
#include "policy/presets.h"
#include "tests/unit/key_table.h"
#include "tests/unit/policy_doors.h"
#include "tests/unit/policy_state.h"

static void the_schema_has_every_key_that_works(void **state)
{
	const struct json_value *schema, *section, *key;
	const char *text;

	(void)state;
	takes(policy_schema(&arena, &text), "schema");
	takes(json_parse(&arena, text, strlen(text), &schema), "schema");
	for (enum policy_key i = 0; i < KEY_COUNT; i++) {
		const struct policy_key_info *info = policy_key_info(i);

		section = json_find(json_find(schema, "properties"),
				    policy_section_name(info->section));
		key = section ? json_find(json_find(section, "properties"),
					  key_of(info->name)) :
				NULL;
		if (!info->enforced) {
			assert_null(key);
			continue;
		}
		assert_string_equal(json_find(key, "description")->text,
				    info->about);
		assert_true(json_find(key, "type") || json_find(key, "anyOf") ||
			    json_find(key, "enum"));
	}
}

static void the_manual_and_the_help_have_every_key_that_works(void **state)
{
	const char *manual, *help;

	(void)state;
	takes(key_table(&arena, &manual), "manual");
	takes(policy_help(&arena, &help), "help");
	for (enum policy_key i = 0; i < KEY_COUNT; i++) {
		const struct policy_key_info *info = policy_key_info(i);

		assert_int_equal(strstr(manual, arena_printf(&arena, "| `%s`",
							     info->name)) !=
					 NULL,
				 info->enforced);
		assert_int_equal(strstr(manual, info->about) != NULL,
				 info->enforced);
		assert_int_equal(strstr(help, info->about) != NULL,
				 info->enforced);
	}
	assert_non_null(
		strstr(manual, "`-r, --allow-read, --filesystem-read`"));
	assert_non_null(strstr(help, "  -m, --memory, --limits-memory\n"));
}

static const char *page_of(const char *name)
{
	const char *source = getenv("srcdir");
	const char *path =
		arena_printf(&arena, "%s/%s", source ? source : ".", name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *page;
	size_t len;

	assert_true(fd >= 0);
	takes(io_read_all(&arena, fd, 1 << 20, &page, &len), path);
	close(fd);
	return page;
}

/* The page of sandlock has the very table, and every preset. */
static void the_manual_page_has_the_table(void **state)
{
	const char *page = page_of("sandlock.1.md");
	const char *manual, *name;

	(void)state;
	takes(key_table(&arena, &manual), "manual");
	if (!strstr(page, manual)) {
		printf("%s", manual);
		fail_msg("sandlock.1.md must have the table above");
	}
	for (size_t i = 0; (name = policy_path_preset_name(i)); i++)
		assert_non_null(
			strstr(page, arena_printf(&arena, "**@%s**", name)));
	for (size_t i = 0; (name = policy_env_preset_name(i)); i++)
		assert_non_null(
			strstr(page, arena_printf(&arena, "**@%s**", name)));
}

/* The page names every enforced key that a bundle may have. */
static void the_manual_page_has_what_is_enforced(void **state)
{
	const char *path = "sandlock-oci.1.md";
	const char *page = page_of(path);

	(void)state;
	for (enum policy_key i = 0; i < KEY_COUNT; i++) {
		const struct policy_key_info *info = policy_key_info(i);

		if (info->enforced && info->bundle < POLICY_BUNDLE_NEVER &&
		    !strstr(page, arena_printf(&arena, "**%s**", info->name)))
			fail_msg("%s does not have %s", path, info->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schema_has_every_key_that_works),
		cmocka_unit_test(
			the_manual_and_the_help_have_every_key_that_works),
		cmocka_unit_test(the_manual_page_has_the_table),
		cmocka_unit_test(the_manual_page_has_what_is_enforced),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
