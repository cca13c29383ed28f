/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/keys.h - the table of keys, and the function that sets one: readers of
 * files and flags make raw values, and each type has one function to check
 * them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

struct arena;
struct toml_value;
struct writer;

/* The type of a member of struct policy; policy/types.c has a line for each. */
enum policy_type {
	POLICY_TYPE_BOOL,	 /* bool */
	POLICY_TYPE_NUMBER,	 /* uint32_t, min to max */
	POLICY_TYPE_SEED,	 /* uint64_t, the whole range */
	POLICY_TYPE_SIZE,	 /* uint64_t */
	POLICY_TYPE_TIME,	 /* struct policy_time */
	POLICY_TYPE_WORD,	 /* const char *, of the program */
	POLICY_TYPE_PATH,	 /* const char * */
	POLICY_TYPE_PATHS,	 /* oci_strings: plain paths */
	POLICY_TYPE_DIRS,	 /* oci_strings: one path, or several */
	POLICY_TYPE_PATTERNS,	 /* oci_strings: globs, presets, too */
	POLICY_TYPE_DENIALS,	 /* like PATTERNS; "*.env" at any depth */
	POLICY_TYPE_ARGS,	 /* oci_strings, any text */
	POLICY_TYPE_COMMANDS,	 /* oci_strings */
	POLICY_TYPE_NAMES,	 /* struct policy_names */
	POLICY_TYPE_ENV,	 /* struct policy_map */
	POLICY_TYPE_MOUNTS,	 /* struct policy_mounts */
	POLICY_TYPE_TMPFS,	 /* oci_strings: PATH[:SIZE] */
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
	POLICY_BUNDLE_ASK, /* annotations only if the operator allows it */
	/* config.json sets it, or it is about programs outside the sandbox */
	POLICY_BUNDLE_NEVER,
	POLICY_BUNDLE_LATER, /* this build enforces it in sandboxes only */
};

struct policy_key_info {
	const char *name;  /* "section.key" */
	const char *alias; /* "section.key", or NULL */
	enum policy_section section;
	enum policy_type type;
	size_t offset;	   /* in struct policy */
	uint64_t min, max; /* of a number */
	bool filled;	   /* an empty list is an error */
	bool host;	   /* its paths are always the host's */
	enum policy_in_bundle bundle;
	bool enforced; /* by this build */
	/* Besides --section-key: */
	char letter;		/* -r, or 0 */
	const char *flag;	/* without "--", or NULL */
	const char *comma_flag; /* like flag, split at commas; or NULL */
	const char *about;	/* one line */
};

const struct policy_key_info *policy_key_info(enum policy_key key);
const char *policy_section_name(enum policy_section section);
int policy_section_find(const char *name); /* -1: unknown */
/*
 * Find a key by "section.key" or its alias, or in a section by "key". -1:
 * unknown.
 */
int policy_key_find(const char *name);
int policy_key_find_in(enum policy_section section, const char *name);
/* Names for messages, up to NULL; NULL if out of memory. */
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
	POLICY_RAW_OTHER, /* of no use for any key; text names the type */
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
	const char *origin; /* not copied: where it was set, for messages */
};

/*
 * Check a raw value and set the key. An error begins with "section.key: " and
 * names the value; then the policy is unchanged. A list may be LIST of TEXT,
 * STRING, INTEGER…; a single TEXT or STRING is not a list. Texts and origin are
 * not copied.
 */
int policy_set(const struct policy_setter *to, enum policy_key key,
	       const struct policy_raw *raw);

/* Copy the value of a key, and where it was set. */
void policy_take_key(struct policy *to, const struct policy *from,
		     enum policy_key key);
/* Convert a value of TOML to a raw one. */
int policy_raw_from_toml(struct arena *arena, const struct toml_value *value,
			 struct policy_raw *ret);

/* Shorthands for readers whose keys have other names. */
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

struct text;

struct policy_type_info {
	const char *word;	    /* for messages: "paths, globs" */
	enum policy_raw_type shape; /* LIST, MAP, or TEXT for others */
	bool maybe_bool;	    /* accepts true and false, too */
	bool maybe_map;		    /* accepts a map, too */
	size_t size;		    /* of the member */
	POLICY_READER((*read));
	POLICY_READER((*item)); /* reads an item of a list of strings */
	void (*write)(struct text *out, const void *value);
	/* For display, without secrets; NULL: same as write. */
	void (*show)(struct text *out, const void *value);
	void (*schema)(struct writer *w, const struct policy_key_info *key);
};

const struct policy_type_info *policy_type_info(enum policy_type type);
/* Write the value of a key as policy_show() does. */
void policy_show_key(struct text *out, const struct policy *policy,
		     enum policy_key key);

/* Return the member of a key. */
static inline void *policy_member(struct policy *policy, enum policy_key key)
{
	return (char *)policy + policy_key_info(key)->offset;
}

static inline const void *policy_value(const struct policy *policy,
				       enum policy_key key)
{
	return (const char *)policy + policy_key_info(key)->offset;
}

/* Return the type of the values of a flag; id is from policy_flag_find(). */
enum policy_type policy_flag_type(int id);

/* ---- presets, of policy/presets.c; names without the "@" ---- */

bool policy_is_path_preset(const char *name);
bool policy_is_env_preset(const char *name);
