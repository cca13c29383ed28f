/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/keys.h - the one table of keys, and the one way to set a key: doors
 * turn what they read into raw values, and every type has one reader.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

struct arena;
struct toml_value;
struct writer;

/* What a member of struct policy is; policy/types.c has one line for each. */
enum policy_type {
	POLICY_TYPE_BOOL,	 /* bool */
	POLICY_TYPE_NUMBER,	 /* uint32_t, min to max */
	POLICY_TYPE_SEED,	 /* uint64_t, all of it */
	POLICY_TYPE_SIZE,	 /* uint64_t */
	POLICY_TYPE_TIME,	 /* struct policy_time */
	POLICY_TYPE_WORD,	 /* const char *, of the program */
	POLICY_TYPE_PATH,	 /* const char * */
	POLICY_TYPE_PATHS,	 /* oci_strings: plain paths */
	POLICY_TYPE_PATTERNS,	 /* oci_strings: globs, presets, too */
	POLICY_TYPE_DENIALS,	 /* the same; "*.env" at any depth */
	POLICY_TYPE_ARGS,	 /* oci_strings, any text */
	POLICY_TYPE_COMMANDS,	 /* oci_strings */
	POLICY_TYPE_NAMES,	 /* struct policy_names */
	POLICY_TYPE_ENV,	 /* struct policy_map */
	POLICY_TYPE_MOUNTS,	 /* struct policy_mounts */
	POLICY_TYPE_CREDENTIALS, /* struct policy_map: rule, header */
	POLICY_TYPE_BRANCH,	 /* enum policy_branch */
	POLICY_TYPE_MODE,	 /* enum policy_mode */
	POLICY_TYPE_NUMBERS,	 /* struct policy_numbers, min to max */
	POLICY_TYPE_PORTS,	 /* oci_strings: ports, lo-hi, * */
	POLICY_TYPE_NET_RULES,	 /* oci_strings: see net_rule.h */
	POLICY_TYPE_HTTP_RULES,	 /* oci_strings: see http_rule.h */
	POLICY_TYPE_GROUPS,	 /* oci_strings: see syscalls.h */
	POLICY_TYPE_CALLS,	 /* oci_strings: groups or calls */
	POLICY_TYPE_PROTECTIONS, /* uint32_t of bits */
	POLICY_TYPES,
};

enum policy_in_bundle {
	POLICY_BUNDLE_OK,
	POLICY_BUNDLE_ASK,   /* annotations: if it is allowed */
	POLICY_BUNDLE_NEVER, /* config.json has its own */
};

struct policy_key_info {
	const char *name;  /* "section.key" */
	const char *alias; /* "section.key", or NULL */
	enum policy_section section;
	enum policy_type type;
	size_t offset;	   /* in struct policy */
	uint64_t min, max; /* of a number */
	bool filled;	   /* an empty list is an error */
	bool host;	   /* its paths are the host's, always */
	enum policy_in_bundle bundle;
	bool enforced; /* by this build */
	/* Besides --section-key: */
	char letter;		/* -r, or 0 */
	const char *flag;	/* without "--", or NULL */
	const char *comma_flag; /* the same, split at commas, or NULL */
	const char *about;	/* one line */
};

const struct policy_key_info *policy_key_info(enum policy_key key);
const char *policy_section_name(enum policy_section section);
int policy_section_find(const char *name); /* -1: unknown */
/* By "section.key", its alias, or with section: by "key". -1: unknown. */
int policy_key_find(const char *name);
int policy_key_find_in(enum policy_section section, const char *name);
/* For messages, up to NULL; NULL: no memory. */
const char *const *policy_section_names(struct arena *arena);
const char *const *policy_section_keys(struct arena *arena,
				       enum policy_section section);

/* ---- raw values ---- */

enum policy_raw_type {
	POLICY_RAW_TEXT, /* untyped: annotation or flag */
	POLICY_RAW_STRING,
	POLICY_RAW_BOOL,
	POLICY_RAW_INTEGER,
	POLICY_RAW_FLOAT,
	POLICY_RAW_TIME,
	POLICY_RAW_LIST,
	POLICY_RAW_MAP,
	POLICY_RAW_OTHER, /* text says what: good for no key */
};

struct policy_raw {
	enum policy_raw_type type;
	const char *key; /* of a member of a map */
	union {
		const char *text; /* TEXT, STRING, OTHER */
		bool truth;
		int64_t integer;
		double real;
		struct policy_time time;
		struct {
			const struct policy_raw *items;
			size_t n;
		};
	};
};

struct policy_setter {
	struct arena *arena;
	struct policy *policy;
	const struct policy_place *place;
	const char *origin; /* kept: who sets it, for messages */
};

/*
 * Check a raw value and make it the key's. An error begins with the key's
 * "section.key: " and names the value; the policy is untouched then. A list
 * may be LIST of TEXT, STRING, INTEGER…; one TEXT or STRING is no list. Texts
 * and origin are kept, not copied.
 */
int policy_set(const struct policy_setter *to, enum policy_key key,
	       const struct policy_raw *raw);

/* A value of TOML as a raw one. */
int policy_raw_from_toml(struct arena *arena, const struct toml_value *value,
			 struct policy_raw *ret);

/* Shorthands for doors whose keys have other names. */
int policy_set_bool(const struct policy_setter *to, enum policy_key key,
		    bool value);
int policy_set_text(const struct policy_setter *to, enum policy_key key,
		    const char *value);
int policy_set_list(const struct policy_setter *to, enum policy_key key,
		    const char *const *items, size_t n);

/* ---- types ---- */

#define POLICY_READER(name)                         \
	int name(const struct policy_setter *to,    \
		 const struct policy_key_info *key, \
		 const struct policy_raw *raw, void *ret)

struct policy_text;

struct policy_type_info {
	const char *word;	    /* for people: "paths, globs" */
	enum policy_raw_type shape; /* LIST, MAP, or TEXT for the others */
	bool maybe_bool;	    /* true and false, too */
	bool maybe_map;		    /* a map, too */
	size_t size;		    /* of the member */
	POLICY_READER((*read));
	POLICY_READER((*item)); /* of a list of strings: one of them */
	void (*write)(struct policy_text *out, const void *value);
	/* For display, without secrets; NULL: the same as write. */
	void (*show)(struct policy_text *out, const void *value);
	void (*schema)(struct writer *w, const struct policy_key_info *key);
};

const struct policy_type_info *policy_type_info(enum policy_type type);
/* The value of one key as policy_show() prints it. */
void policy_show_key(struct policy_text *out, const struct policy *policy,
		     enum policy_key key);

/* The member of this key. */
static inline void *policy_member(struct policy *policy, enum policy_key key)
{
	return (char *)policy + policy_key_info(key)->offset;
}

static inline const void *policy_value(const struct policy *policy,
				       enum policy_key key)
{
	return (const char *)policy + policy_key_info(key)->offset;
}

/* The type of the values of a flag; id is what policy_flag_find() says. */
enum policy_type policy_flag_type(int id);

/* ---- presets, of policy/presets.c; names without the "@" ---- */

bool policy_is_path_preset(const char *name);
bool policy_is_env_preset(const char *name);
