/* SPDX-License-Identifier: Apache-2.0 */
/* policy/values.h - readers of raw values, private to policy/. */
#pragma once

#include "policy/keys.h"

/*
 * Record that raw is not what was expected: "'x' is not a size"; return a
 * negative value.
 */
int policy_wrong(const struct policy_raw *raw, const char *wanted);
/* Get a TEXT or STRING that is not empty and has no control bytes. */
int policy_plain_text(const struct policy_raw *raw, const char *wanted,
		      const char **ret);

POLICY_READER(policy_read_bool);
POLICY_READER(policy_read_number);
POLICY_READER(policy_read_seed);
POLICY_READER(policy_read_size);
POLICY_READER(policy_read_time);
POLICY_READER(policy_read_branch);
POLICY_READER(policy_read_mode);

POLICY_READER(policy_read_word);
POLICY_READER(policy_read_path);
POLICY_READER(policy_read_optional_path);
POLICY_READER(policy_read_pattern);
POLICY_READER(policy_read_denial);

POLICY_READER(policy_read_strings); /* each by the type's item() */
POLICY_READER(policy_read_dirs);    /* also a single one */
POLICY_READER(policy_read_arg);
POLICY_READER(policy_read_port);
POLICY_READER(policy_read_tmpfs);
POLICY_READER(policy_read_net_rule);
POLICY_READER(policy_read_http_rule);
POLICY_READER(policy_read_group);
POLICY_READER(policy_read_call);

POLICY_READER(policy_read_numbers);
POLICY_READER(policy_read_protections);
POLICY_READER(policy_read_names);
POLICY_READER(policy_read_env);
POLICY_READER(policy_read_mounts);
POLICY_READER(policy_read_credentials);

/* Parse seconds, or RFC 3339; false if it is neither, or out of range. */
bool policy_time_parse(const char *text, struct policy_time *ret);
bool policy_time_from_real(double seconds, struct policy_time *ret);
/* True from 1970 up to what 64 bits of nanoseconds can represent. */
bool policy_time_is_valid(const struct policy_time *time);
/*
 * Get the seconds since 1970 of a Gregorian date; false if there is no such
 * day.
 */
bool policy_time_from_date(int year, int month, int day, int64_t *ret);

/* Words of enums, in their order. */
extern const char *const policy_branches[3];
extern const char *const policy_modes[3];
