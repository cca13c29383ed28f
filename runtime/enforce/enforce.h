/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/enforce.h - decide what enforces a policy.
 *
 * An enforcement is a value: enforce_create or enforce_make returns it
 * complete, and later code does not change it. What config.json can express is
 * written into the given specification in the same step: limits, variables,
 * devices, mounts. The plan contains the rest.
 */
#pragma once

#include <stdbool.h>

#include "confine/confine.h"
#include "confine/landlock.h"
#include "policy/policy.h"
#include "policy/presets.h"

struct arena;
struct host;
struct view;

enum enforce_kind {
	ENFORCE_NOTHING, /* there is no policy; all else is empty */
	ENFORCE_BUNDLE,
	ENFORCE_SANDBOX,
	ENFORCE_SANDBOX_NO_NAMESPACES, /* only Landlock and seccomp */
};

/* Limits of cgroups that no command may exceed. */
struct enforce_limits {
	struct oci_u64 memory;
	struct oci_u64 tasks;
	struct oci_u64 cpu; /* percent of one core */
	struct policy_numbers cores;
};

/*
 * What confines each process of a container: the first one, and those of exec,
 * which read it from the state directory (saved.h).
 */
struct confinement {
	struct landlock_plan landlock; /* needed: there is a ruleset */
	bool reopens_stdio; /* the ruleset allows the standard descriptors */
	struct confine_filter blocklist;
	struct confine_filter notify; /* calls that its supervisor answers */
	uint64_t dropped_caps;	      /* 1 << CAP_… */
	struct oci_u64 open_files, core_size; /* maximum of RLIMIT_… */
	uint32_t personality;		      /* flags besides the bundle's */
	bool no_huge_pages;
	bool filters_env; /* by env; false: the environment is not changed */
	struct env_rules env;
	struct strings last_env; /* NAME=VALUE, overrides everything else */
	struct enforce_limits limits;
};

/* Policy files that the workload must not write: policy_files.h. */
struct policy_kept_list {
	const struct policy_kept *items;
	size_t n;
};

/* What the reader of the audit log and the tracer ask for. */
struct enforce_wishes {
	bool log_denials;     /* make the kernel log denials */
	struct strings watch; /* calls that stop for a tracer; n 0: none */
};

/* The input for an enforcement, besides the specification. */
struct enforce_input {
	enum enforce_kind kind;
	struct policy policy; /* complete and checked */
	enum policy_env_base env_base;
	struct host *host;	      /* facts, determined when needed */
	uint32_t missing;	      /* 1 << enum policy_protection */
	const char *bundle;	      /* base of relative sources; or NULL */
	const char *rootfs;	      /* of a bundle, on the host; or NULL */
	const char *profile;	      /* of a bundle: its name, or NULL */
	const char *home;	      /* inside: the meaning of ~; or NULL */
	const struct view *view;      /* of a sandbox: what it shows */
	struct policy_kept_list kept; /* of a sandbox */
	struct strings hidden;	      /* of a sandbox: records of the runtime */
	struct enforce_wishes wishes;
};

struct enforcement {
	enum enforce_kind kind;
	struct confinement process;

	/*
	 * Everything below is for the container as a whole, and is not saved.
	 */
	struct policy policy;
	struct landlock_host landlock_host; /* the kernel it was decided for */
	uint32_t missing; /* protections that are missing here */
	const char *home;
	const struct view *view;      /* NULL: a bundle */
	struct landlock_want net;     /* for Landlock, without files */
	bool own_network;	      /* a new one, made after the hooks */
	bool tcp_only;		      /* to bind, in mode deny */
	bool rules_udp, rules_icmp;   /* network.allow needs such sockets */
	bool masks_sockets;	      /* cover those of other processes */
	uint32_t connects;	      /* rights that allow the sockets below */
	struct strings writable;      /* in a root that is made read-only */
	struct strings closed;	      /* mounts that are made read-only */
	struct policy_kept_list kept; /* policies of later runs */
	struct strings hidden;	      /* paths of the runtime's records */
	struct oci_resources resources; /* without the policy's limits */
	struct confine_filter watch;	/* after the blocklist; len 0: none */
};

/* The sources of a bundle's policy. */
struct enforce_bundle {
	struct host *host;
	const char *path;	       /* of the bundle; or NULL */
	const char *rootfs;	       /* on the host; or NULL */
	const char *profile;	       /* given by the caller; or NULL */
	const struct strings *allowed; /* annotations that affect the host */
	struct strings enforced; /* profiles that hold whatever they say */
};

/*
 * Make the enforcement of a bundle: the policy of its annotations over that of
 * their profile, or of the given one. Fails for a policy that this build or
 * this bundle cannot enforce. Changes spec accordingly.
 */
int enforce_create(struct arena *arena, const struct enforce_bundle *bundle,
		   struct oci_spec *spec, struct enforcement *ret);
/* Like enforce_create, for a given policy. */
int enforce_make(struct arena *arena, const struct enforce_input *input,
		 struct oci_spec *spec, struct enforcement *ret);
/* Return the part that is known without making it, to explain a failure. */
struct enforcement enforce_given(const struct enforce_input *input);
/*
 * True if the policy denies rights that no mount can deny, so that it needs
 * Landlock.
 */
bool enforce_needs_landlock(const struct policy *policy);
/*
 * Return the protections that the mounts and namespaces of a sandbox provide,
 * so that it does without those of Landlock (1 << enum policy_protection): its
 * files are read-only or not present, and it has its own processes and, unless
 * the mode is open, its own network. Nothing for any other kind.
 */
uint32_t enforce_by_namespaces(enum enforce_kind kind, enum policy_mode mode);
/* True if the policy takes a part of the network away. */
bool enforce_restricts_network(const struct enforcement *enforcement);
/* True if mounts or a ruleset remain to be made when the root is complete. */
bool enforce_has_root_work(const struct enforcement *enforcement);
/* True if the policy of a bundle permits missing limits. */
bool enforce_may_lose_limits(const struct enforcement *enforcement);
/* In that case, restore the bundle's own limits in resources, and warn. */
void enforce_lose_limits(const struct enforcement *enforcement,
			 struct oci_resources *resources);
/* Get the limits of a policy that cgroups enforce. */
struct enforce_limits enforce_find_limits(const struct policy *policy,
					  enum enforce_kind kind);
/* Lower resources to these limits. */
int enforce_limits(struct arena *arena, const struct enforce_limits *limits,
		   struct oci_resources *resources);
/*
 * Rephrase an error about a field of linux.resources for the key that set it,
 * with advice. Returns r.
 */
int enforce_limit_error(struct arena *arena,
			const struct enforcement *enforcement,
			const struct oci_resources *held, int r);
/*
 * Confine another process of the same container; env: given by name, not
 * filtered.
 */
int enforce_process(struct arena *arena, const struct enforcement *enforcement,
		    const struct strings *env, struct oci_process *process);
/* Warn about each protection that is missing with the policy's permission. */
void enforce_tell_missing(uint32_t missing);

/* mounts.c: make the mount of an item of filesystem.tmpfs. */
int enforce_tmpfs(struct arena *arena, const char *path, const char *size,
		  struct oci_mount *ret);

/* The directory of the readiness socket inside a container. */
#define NOTIFY_INSIDE "/run/notify"
#define NOTIFY_ENV "NOTIFY_SOCKET=" NOTIFY_INSIDE "/notify.sock"
