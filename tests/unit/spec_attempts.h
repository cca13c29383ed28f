/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/spec_attempts.h - parse parts of config.json, and compare the errors. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"

#include <cmocka.h> /* late: its fail() is a macro */

#define ARENA ((size_t)48 << 20)

/* Members of one object of the document, and the error; NULL: accepted. */
struct attempt {
	const char *members;
	const char *error;
};

/* What stands around the members. */
struct frame {
	const char *before;
	const char *after;
};

#define TOP "{'ociVersion': '1.2.1', 'root': {'path': 'r'}, "
#define PROCESS "'process': {'args': ['a'], 'cwd': '/'}"
#define IN_LINUX TOP PROCESS ", 'linux': {"

static int parse(const struct frame *frame, const char *members)
{
	AUTO(arena_close) struct arena arena = { 0 };
	autofree char *text = NULL;
	struct oci_spec spec;
	int len =
		asprintf(&text, "%s%s%s", frame->before, members, frame->after);

	assert_true(len > 0);
	for (char *p = text; *p; p++)
		if (*p == '\'')
			*p = '"';
	assert_int_equal(arena_open(&arena, ARENA), 0);
	err_clear();
	return oci_spec_parse(&arena, text, (size_t)len, &spec);
}

static void expect(const struct frame *frame, const struct attempt *attempts,
		   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct attempt *a = &attempts[i];
		int r = parse(frame, a->members);

		if (!a->error && r < 0)
			fail_msg("%s: %s", a->members, err_text());
		if (a->error && r == 0)
			fail_msg("%s: accepted", a->members);
		if (a->error && !streq(err_text(), a->error))
			fail_msg("%s: '%s', not '%s'", a->members, err_text(),
				 a->error);
	}
}

#define EXPECT(before, after, attempts) \
	expect(&(struct frame){ before, after }, attempts, COUNT(attempts))
