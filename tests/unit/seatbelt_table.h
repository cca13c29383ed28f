/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/seatbelt_table.h - the tables that docs/macos.md must have. */
#pragma once

#include "base/text.h"
#include "confine/seatbelt.h"

static inline const char *seatbelt_key_row(struct arena *arena,
					   enum policy_key key)
{
	static const char *const means[] = {
		[SEATBELT_REFUSED] = "an error",
		[SEATBELT_RULES] = "rules",
		[SEATBELT_PROGRAM] = "sandlock",
		[SEATBELT_CGROUPS] = "an error, or degraded",
		[SEATBELT_TRIVIAL] = "always so",
	};
	const struct seatbelt_key *row = seatbelt_key(key);

	return arena_printf(arena, "| `%s` | %s | %s |\n", policy_key_name(key),
			    means[row->means], row->how);
}

static inline const char *
seatbelt_protection_row(struct arena *arena, enum policy_protection protection)
{
	const struct seatbelt_protection *row = seatbelt_protection(protection);

	return arena_printf(arena, "| `%s` | %s | %s |\n",
			    policy_protection_name(protection),
			    row->held ? "yes" : "no", row->how);
}
