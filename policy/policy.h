/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/policy.h - what a workload may read, write, execute, connect to and
 * consume, from annotations, profiles, flags, uv and agent settings.
 *
 * A policy is symbolic: paths as written (made absolute), presets, globs and
 * names. It lives in the caller's arena. set[] tells which keys were given; a
 * member whose key is not set is zero, and an empty list that was given differs
 * from one that was not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/flag.h"
#include "oci/oci.h"

struct arena;

/* In the order of the sections; policy/keys.c has a line for each. */
enum policy_key {
	KEY_WORKDIR,
	KEY_FS_STORAGE,
	KEY_HTTP_CA,
	KEY_HTTP_KEY,
	KEY_HTTP_INJECT_CA,
	KEY_HTTP_CA_OUT,
	KEY_ALLOW_DEGRADED,
	KEY_DISABLE,
	KEY_STRICT,
	KEY_SUPERVISOR,

	KEY_RANDOM_SEED,
	KEY_TIME_START,
	KEY_DETERMINISTIC_DIRS,
	KEY_NO_RANDOMIZE_MEMORY,

	KEY_EXEC,
	KEY_ARGS,
	KEY_CWD,
	KEY_ENV,
	KEY_UID,
	KEY_GID,
	KEY_CLEAN_ENV,
	KEY_ALLOW_ENV,
	KEY_DENY_ENV,
	KEY_NO_COREDUMP,
	KEY_NO_HUGE_PAGES,
	KEY_EXCLUDED,
	KEY_ALLOW_UNSANDBOXED,
	KEY_WEAKER_NESTED,

	KEY_READ,
	KEY_WRITE,
	KEY_WRITE_ONLY,
	KEY_EXECUTE,
	KEY_DENY,
	KEY_DENY_READ,
	KEY_DENY_WRITE,
	KEY_DENY_EXECUTE,
	KEY_CHROOT,
	KEY_MOUNT,
	KEY_TMPFS,
	KEY_ON_EXIT,
	KEY_ON_ERROR,

	KEY_NET_MODE,
	KEY_NET_ALLOW,
	KEY_NET_DENY,
	KEY_NET_BIND,
	KEY_NET_DENY_BIND,
	KEY_PUBLISH,
	KEY_PORT_REMAP,
	KEY_UNIX,
	KEY_HTTP_PROXY_PORT,
	KEY_SOCKS_PROXY_PORT,
	KEY_ALLOW_LOCAL_BINDING,

	KEY_HTTP_ALLOW,
	KEY_HTTP_DENY,
	KEY_HTTP_PORTS,
	KEY_HTTP_CREDENTIALS,

	KEY_EXTRA_ALLOW,
	KEY_EXTRA_DENY,

	KEY_MEMORY,
	KEY_PROCESSES,
	KEY_TASKS,
	KEY_FORKS,
	KEY_OPEN_FILES,
	KEY_CPU,
	KEY_DISK,
	KEY_GPU_DEVICES,
	KEY_CPU_CORES,
	KEY_NUM_CPUS,

	KEY_COUNT,
};

enum policy_section {
	SECTION_CONFIG,
	SECTION_DETERMINISM,
	SECTION_PROGRAM,
	SECTION_FILESYSTEM,
	SECTION_NETWORK,
	SECTION_HTTP,
	SECTION_SYSCALLS,
	SECTION_LIMITS,
	SECTION_COUNT,
};

struct policy_pair {
	const char *key;
	const char *value;
};

/* An item of filesystem.mount: "INSIDE:[-]HOST[:ro]". */
struct policy_mount {
	const char *inside;
	const char *host; /* absolute */
	bool readonly;
	bool optional; /* no mount if the host file does not exist */
};

struct policy_mounts {
	const struct policy_mount *items;
	size_t n;
};

struct policy_map {
	const struct policy_pair *items;
	size_t n;
};

struct policy_numbers {
	const uint32_t *items;
	size_t n;
};

/* allow_env and deny_env: all variables, or these names. */
struct policy_names {
	bool all;
	struct strings names; /* NAME, PREFIX_*, @preset */
};

struct policy_time {
	int64_t seconds;
	uint32_t nanoseconds;
};

enum policy_branch { BRANCH_COMMIT, BRANCH_ABORT, BRANCH_KEEP };
enum policy_mode { POLICY_MODE_DENY, POLICY_MODE_LOOPBACK, POLICY_MODE_OPEN };

/* Protections, for allow_degraded, disable and strict. */
enum policy_protection {
	PROTECT_FS_REFER,
	PROTECT_FS_TRUNCATE,
	PROTECT_NET_TCP,
	PROTECT_FS_IOCTL_DEV,
	PROTECT_SIGNAL_SCOPE,
	PROTECT_ABSTRACT_SCOPE,
	PROTECT_NAMESPACES,
	PROTECT_CGROUPS,
	PROTECT_DENY_REPLACE,
	PROTECT_COUNT,
};

struct policy {
	bool set[KEY_COUNT];
	const char *origin[KEY_COUNT]; /* where it was set, for messages */

	/* config */
	struct strings workdir;
	const char *fs_storage;
	const char *http_ca;
	const char *http_key;
	struct strings http_inject_ca;
	const char *http_ca_out;
	uint32_t allow_degraded; /* 1 << enum policy_protection */
	uint32_t disable;
	uint32_t strict;
	bool supervisor;

	/* determinism */
	uint64_t random_seed;
	struct policy_time time_start;
	bool deterministic_dirs;
	bool no_randomize_memory;

	/* program */
	const char *exec;
	struct strings args;
	const char *cwd;
	struct policy_map env;
	uint32_t uid;
	uint32_t gid;
	bool clean_env;
	struct policy_names allow_env;
	struct policy_names deny_env;
	bool no_coredump;
	bool no_huge_pages;
	struct strings excluded;
	bool allow_unsandboxed;
	bool weaker_nested;

	/* filesystem: paths, globs and @presets; a leading '-' is optional */
	struct strings read;
	struct strings write;
	struct strings write_only;
	struct strings execute;
	struct strings deny;
	struct strings deny_read;
	struct strings deny_write;
	struct strings deny_execute;
	const char *chroot;
	struct policy_mounts mount;
	struct strings tmpfs; /* PATH or PATH:BYTES, see policy_tmpfs() */
	enum policy_branch on_exit;
	enum policy_branch on_error;

	/* network */
	enum policy_mode mode;
	struct strings net_allow;
	struct strings net_deny;
	struct strings bind; /* ports, lo-hi, * */
	struct strings deny_bind;
	bool publish;
	bool port_remap;
	struct strings unix_; /* a directory: all below it */
	uint32_t http_proxy_port;
	uint32_t socks_proxy_port;
	bool allow_local_binding;

	/* http */
	struct strings http_allow;
	struct strings http_deny;
	struct policy_numbers http_ports;
	struct policy_map credentials;

	/* syscalls: names of calls and groups */
	struct strings extra_allow;
	struct strings extra_deny;

	/* limits */
	uint64_t memory;
	uint32_t processes;
	uint32_t tasks;
	uint32_t forks;
	uint32_t open_files;
	uint32_t cpu;
	uint64_t disk;
	struct policy_numbers gpu_devices;
	struct policy_numbers cpu_cores;
	uint32_t num_cpus;

	/* A setting of agents without a key; explain shows it. */
	struct oci_bool auto_allow_bash;
	/* Settings of other tools that have no effect here. */
	struct strings ignored;

	/*
	 * What it was tightened by, or NULL: lists of paths meet those of the
	 * floor only when they are resolved.
	 */
	const struct policy_floor *floor;
};

/* A profile that other policies can only tighten. */
struct policy_floor {
	const char *name; /* for messages */
	bool bundle;	  /* a section without a key is not enforced */
	const char *home; /* for its presets, whatever HOME is; or NULL */
	struct policy policy;
};

/* config.allow_degraded: the sandbox may run without this protection. */
static inline bool policy_may_lack(const struct policy *policy,
				   enum policy_protection protection)
{
	return policy->allow_degraded & 1U << protection;
}

/* config.disable: the sandbox runs without this protection. */
static inline bool policy_disables(const struct policy *policy,
				   enum policy_protection protection)
{
	return policy->disable & 1U << protection;
}

/* config.strict: the sandbox does not run if this is only best effort. */
static inline bool policy_is_strict(const struct policy *policy,
				    enum policy_protection protection)
{
	return policy->strict & 1U << protection;
}

/* An item of filesystem.tmpfs. */
struct policy_tmpfs {
	const char *path;
	const char *size; /* in bytes; NULL: the kernel's default */
};

/* Split an item of policy->tmpfs. */
int policy_tmpfs(struct arena *arena, const char *item,
		 struct policy_tmpfs *ret);

/* True if the mount is optional and its host path does not exist. */
bool policy_mount_is_absent(const struct policy_mount *mount);

/* ---- readers: each fills a zeroed policy, or adds to one ---- */

/* The base of relative paths, and the meaning of ~ and @project. */
struct policy_place {
	const char *cwd;     /* NULL: a relative path is an error */
	const char *home;    /* NULL: ~/ is an error */
	const char *account; /* the home in the user database; or NULL */
	const char *project; /* NULL: @project is an error when resolved */
	bool bundle;	     /* home is inside, so not for paths of the host */
	const struct strings *env; /* the caller's, for flags; or NULL */
};

/*
 * Read the annotations of a bundle: io.sandlock.SECTION.KEY, and with container
 * (its name in a pod) also CONTAINER.io.sandlock/SECTION.KEY, which takes
 * precedence. Others are ignored. allowed: keys that affect the host and that
 * the operator lets annotations set, as "section.key". *ret_profile is the
 * value of io.sandlock.profile, or NULL.
 */
int policy_from_annotations(struct arena *arena,
			    const struct oci_annotations *annotations,
			    const char *container,
			    const struct strings *allowed,
			    const struct policy_place *place,
			    struct policy *ret, const char **ret_profile);
/* True if there is any io.sandlock annotation. */
bool policy_is_annotated(const struct oci_annotations *annotations);
/*
 * Warn about annotations with a misspelled io.sandlock prefix; with a floor,
 * fail instead.
 */
int policy_check_near(const struct oci_annotations *annotations, bool floor);
/* Return the container's name in its pod, NULL outside of one. */
const char *policy_container_name(const struct oci_annotations *annotations);
/* True if a Kubernetes engine wrote config.json, with a pod's annotations. */
bool policy_is_of_pod(const struct oci_annotations *annotations);
/*
 * Refuse annotations that affect the host in a container of a Kubernetes pod:
 * engines pass on annotations of the pod's author.
 */
int host_annotations_check(const struct strings *allowed,
			   const struct oci_spec *spec);
/* True if this container only holds the namespaces of a pod. */
bool policy_is_infra(const struct oci_annotations *annotations);

/* Read a profile in TOML: [section], key = value. name is for messages. */
int policy_from_toml(struct arena *arena, const char *text, size_t len,
		     const char *name, const struct policy_place *place,
		     struct policy *ret);
/* Read [tool.uv.sandbox] of a pyproject.toml, [sandbox] of a uv.toml. */
int policy_from_uv(struct arena *arena, const char *text, size_t len,
		   const char *name, const struct policy_place *place,
		   struct policy *ret);
/* Read the sandbox object of a .claude/settings.json. */
int policy_from_claude(struct arena *arena, const char *text, size_t len,
		       const char *name, const struct policy_place *place,
		       struct policy *ret);

/*
 * Flags of a command line: a parser finds them and passes their values to the
 * owner; close makes a policy of all that were given. place is not copied.
 */
struct policy_flags;
struct policy_flags *policy_flags_open(struct arena *arena,
				       const struct policy_place *place);
struct flag_owner policy_flags_owner(struct policy_flags *flags);
int policy_flags_close(const struct policy_flags *flags, struct policy *ret);
/* See struct flag_owner. */
int policy_flag_find(const char *name, size_t len, bool *ret_is_switch);

/* ---- whole policies ---- */

/*
 * Layer policies key by key: a key that is set in over replaces that of base.
 */
void policy_layer(struct policy *base, const struct policy *over);
/*
 * Remove from a lower layer's lists what the upper layer's filesystem.tmpfs
 * names: such a directory is private.
 */
int policy_make_private(struct arena *arena, const struct policy *over,
			struct policy *base);
/*
 * Tighten a policy to what its floor allows, too: denials add up, the smaller
 * limit applies, and lists of what is allowed intersect. Fails, naming both,
 * for a key that would loosen the floor.
 */
int policy_tighten(struct arena *arena, const struct policy *base,
		   const struct policy_floor *floor, struct policy *ret);
/* Compare the values of a key as they are written; both are set. */
int policy_same_value(struct arena *arena, const struct policy *a,
		      const struct policy *b, enum policy_key key, bool *ret);
/* True if the key can change while the workload runs. */
bool policy_is_live(enum policy_key key);
/*
 * Change the policy of a workload that runs: keys that are set in change
 * replace those of old, within its floors. Fails, naming it, for a key that
 * has another value and cannot change any more.
 */
int policy_change(struct arena *arena, const struct policy *old,
		  const struct policy *change, bool bundle, struct policy *ret);
/*
 * Load the profiles that are enforced; *ret_floor is NULL if there are none.
 * Each of them must obey those before it.
 */
int policy_floor_load(struct arena *arena, const struct strings *names,
		      const struct policy_place *place,
		      const struct policy_floor **ret_floor);
/* Replace the files that a policy allows by those of another one. */
void policy_take_files(struct policy *policy, const struct policy *from);
/* True if the policy itself lists files that it allows. */
bool policy_allows_files(const struct policy *policy);
/*
 * True if network.deny takes destinations away from an open network: no other
 * key says that less is allowed.
 */
bool policy_denies_alone(const struct policy *policy);
/* True if a proxy on the host's loopback is a way out. */
bool policy_has_proxy(const struct policy *policy);
/* True if rules say which destinations it may reach. */
bool policy_has_rules(const struct policy *policy);
/*
 * Tell whether we answer DNS inside: for a rule with "*.", and if names of any
 * host are needed, but no rule allows UDP to a server.
 */
int policy_answers_dns(struct arena *arena, const struct policy *policy,
		       bool *ret);
/*
 * True if single ports of network.bind are to be published on the host's
 * loopback: network.publish is not false, and the network is not the host's.
 */
bool policy_publishes(const struct policy *policy);
/* True if the policy, or a floor of it, sets the key. */
bool policy_has(const struct policy *policy, enum policy_key key);
/* Check keys against each other; bundle: whether this is for a bundle. */
int policy_check(const struct policy *policy, bool bundle);
/*
 * Return the first key that needs a supervisor, a process of the runtime that
 * lives as long as the container; KEY_COUNT: none does.
 */
enum policy_key policy_supervisor_key(const struct policy *policy);
/* What else can be done about such a key: the end of a message, or "". */
const char *policy_supervisor_advice(enum policy_key key);
/* Fail with its name if config.supervisor is false and a key needs one. */
int policy_check_supervisor(const struct policy *policy);
/* True if this build enforces the value of the key. */
bool policy_is_enforced(const struct policy *policy, enum policy_key key);
/* True if this build enforces the key in sandboxes, not in bundles. */
bool policy_is_for_later(enum policy_key key);
/* Fail with "not enforced by this build: KEY" for a key that is not, yet. */
int policy_refuse_unenforced(const struct policy *policy);
/*
 * Keep the part of a pod's policy that applies to its infra container: the
 * network section, and which protections may be missing; of a floor everything
 * but the files that it allows.
 */
void policy_for_infra(struct policy *policy);
/* Write a policy as a profile; reading it gives an equal policy. */
int policy_to_toml(struct arena *arena, const struct policy *policy,
		   const char **ret);
/*
 * Like policy_to_toml, for display: only the names of variables and
 * credentials.
 */
int policy_show(struct arena *arena, const struct policy *policy,
		const char **ret);
/* In a bundle a section is enforced only if one of its keys is set. */
bool policy_has_section(const struct policy *policy,
			enum policy_section section);
/* Describe the keys that work, as JSON Schema of a profile. */
int policy_schema(struct arena *arena, const char **ret);
/* Describe the flags, for --help. */
int policy_help(struct arena *arena, const char **ret);
/* Only those of keys that can change while the workload runs. */
int policy_help_live(struct arena *arena, const char **ret);

const char *policy_key_name(enum policy_key key); /* "section.key" */
const char *policy_protection_name(enum policy_protection protection);
