/* SPDX-License-Identifier: Apache-2.0 */
/* policy/glob_parts.h - components of a pattern. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct glob_part {
	const char *text;
	size_t len;
};

/* Return the component at *p and advance *p to the next one or the end. */
struct glob_part glob_part_next(const char **p);
bool glob_part_is_wild(struct glob_part part);
bool glob_part_is_deep(struct glob_part part);
bool glob_part_match(struct glob_part part, const char *name, size_t len);
/* Get its text without quotes; false if that does not fit into size. */
bool glob_part_unquote(struct glob_part part, char *ret, size_t size);
