/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/types.c - the table of types: how each is read, written and described.
 */
#include "policy/types.h"

#include "policy/values.h"

#define SCALAR .shape = POLICY_RAW_TEXT
#define MAP .shape = POLICY_RAW_MAP
#define SIZE_OF(type_) .size = sizeof(type_)
#define READ(name) .read = policy_read_##name
#define WRITE(name) .write = policy_write_##name
#define SHOW(name) .show = policy_write_##name
#define SCHEMA(name) .schema = policy_schema_##name
#define STRINGS(item_, schema_)                                           \
	.shape = POLICY_RAW_LIST, SIZE_OF(struct strings), READ(strings), \
	.item = policy_read_##item_, WRITE(strings), SCHEMA(schema_)

static const struct policy_type_info types[POLICY_TYPES] = {
	[POLICY_TYPE_BOOL] = { "true or false", SCALAR, SIZE_OF(bool),
			       READ(bool), WRITE(bool), SCHEMA(bool) },
	[POLICY_TYPE_NUMBER] = { "number", SCALAR, SIZE_OF(uint32_t),
				 READ(number), WRITE(number), SCHEMA(number) },
	[POLICY_TYPE_SEED] = { "64-bit number", SCALAR, SIZE_OF(uint64_t),
			       READ(seed), WRITE(seed), SCHEMA(seed) },
	[POLICY_TYPE_SIZE] = { "size", SCALAR, SIZE_OF(uint64_t), READ(size),
			       WRITE(size), SCHEMA(size) },
	[POLICY_TYPE_TIME] = { "time", SCALAR, SIZE_OF(struct policy_time),
			       READ(time), WRITE(time), SCHEMA(time) },
	[POLICY_TYPE_WORD] = { "program", SCALAR, SIZE_OF(const char *),
			       READ(word), WRITE(text), SCHEMA(text) },
	[POLICY_TYPE_PATH] = { "path", SCALAR, SIZE_OF(const char *),
			       READ(path), WRITE(text), SCHEMA(text) },
	[POLICY_TYPE_PATHS] = { "paths", STRINGS(optional_path, strings) },
	[POLICY_TYPE_DIRS] = { "directories", .shape = POLICY_RAW_LIST,
			       SIZE_OF(struct strings), READ(dirs),
			       .item = policy_read_path, WRITE(dirs),
			       SCHEMA(dirs) },
	[POLICY_TYPE_PATTERNS] = { "paths, globs, presets",
				   STRINGS(pattern, strings) },
	[POLICY_TYPE_DENIALS] = { "paths, globs, presets",
				  STRINGS(denial, strings) },
	[POLICY_TYPE_ARGS] = { "arguments", STRINGS(arg, strings) },
	[POLICY_TYPE_COMMANDS] = { "programs", STRINGS(word, strings) },
	[POLICY_TYPE_NAMES] = { "true, false or names, PREFIX_*, presets",
				.shape = POLICY_RAW_LIST, .maybe_bool = true,
				SIZE_OF(struct policy_names), READ(names),
				WRITE(names), SCHEMA(names) },
	[POLICY_TYPE_ENV] = { "NAME=VALUE", MAP, SIZE_OF(struct policy_map),
			      READ(env), WRITE(map), SHOW(map_keys),
			      SCHEMA(map) },
	[POLICY_TYPE_MOUNTS] = { "VIRTUAL:HOST[:ro]", .shape = POLICY_RAW_LIST,
				 .maybe_map = true,
				 SIZE_OF(struct policy_mounts), READ(mounts),
				 WRITE(mounts), SCHEMA(mounts) },
	[POLICY_TYPE_TMPFS] = { "PATH[:SIZE]", STRINGS(tmpfs, strings) },
	[POLICY_TYPE_CREDENTIALS] = { "RULE=HEADER: VALUE", MAP,
				      SIZE_OF(struct policy_map),
				      READ(credentials), WRITE(map),
				      SHOW(map_keys), SCHEMA(map) },
	[POLICY_TYPE_BRANCH] = { "commit, abort or keep", SCALAR,
				 SIZE_OF(enum policy_branch), READ(branch),
				 WRITE(branch), SCHEMA(branch) },
	[POLICY_TYPE_MODE] = { "deny, loopback or open", SCALAR,
			       SIZE_OF(enum policy_mode), READ(mode),
			       WRITE(mode), SCHEMA(mode) },
	[POLICY_TYPE_NUMBERS] = { "numbers", .shape = POLICY_RAW_LIST,
				  SIZE_OF(struct policy_numbers), READ(numbers),
				  WRITE(numbers), SCHEMA(numbers) },
	[POLICY_TYPE_PORTS] = { "ports, LO-HI, *", STRINGS(port, ports) },
	[POLICY_TYPE_NET_RULES] = { "[SCHEME://]HOST[:PORTS]",
				    STRINGS(net_rule, strings) },
	[POLICY_TYPE_HTTP_RULES] = { "METHOD HOST/PATH",
				     STRINGS(http_rule, strings) },
	[POLICY_TYPE_GROUPS] = { "groups of system calls",
				 STRINGS(group, groups) },
	[POLICY_TYPE_CALLS] = { "system calls or groups",
				STRINGS(call, strings) },
	[POLICY_TYPE_PROTECTIONS] = { "protections", .shape = POLICY_RAW_LIST,
				      SIZE_OF(uint32_t), READ(protections),
				      WRITE(protections), SCHEMA(protections) },
};

const struct policy_type_info *policy_type_info(enum policy_type type)
{
	return &types[type];
}
