/* SPDX-License-Identifier: Apache-2.0 */
/* policy/types.h - write and describe values. */
#pragma once

#include "policy/keys.h"

#define POLICY_WRITER(name) void name(struct text *out, const void *value)
#define POLICY_SCHEMA(name) \
	void name(struct writer *w, const struct policy_key_info *key)

POLICY_WRITER(policy_write_bool);
POLICY_WRITER(policy_write_number);
POLICY_WRITER(policy_write_seed);
POLICY_WRITER(policy_write_size);
POLICY_WRITER(policy_write_time);
POLICY_WRITER(policy_write_text);
POLICY_WRITER(policy_write_strings);
POLICY_WRITER(policy_write_dirs);
POLICY_WRITER(policy_write_names);
POLICY_WRITER(policy_write_map);
POLICY_WRITER(policy_write_map_keys);
POLICY_WRITER(policy_write_mounts);
POLICY_WRITER(policy_write_branch);
POLICY_WRITER(policy_write_mode);
POLICY_WRITER(policy_write_numbers);
POLICY_WRITER(policy_write_protections);

POLICY_SCHEMA(policy_schema_bool);
POLICY_SCHEMA(policy_schema_number);
POLICY_SCHEMA(policy_schema_seed);
POLICY_SCHEMA(policy_schema_size);
POLICY_SCHEMA(policy_schema_time);
POLICY_SCHEMA(policy_schema_text);
POLICY_SCHEMA(policy_schema_strings);
POLICY_SCHEMA(policy_schema_dirs);
POLICY_SCHEMA(policy_schema_names);
POLICY_SCHEMA(policy_schema_map);
POLICY_SCHEMA(policy_schema_mounts);
POLICY_SCHEMA(policy_schema_branch);
POLICY_SCHEMA(policy_schema_mode);
POLICY_SCHEMA(policy_schema_numbers);
POLICY_SCHEMA(policy_schema_ports);
POLICY_SCHEMA(policy_schema_groups);
POLICY_SCHEMA(policy_schema_protections);
