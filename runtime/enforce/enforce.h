/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/enforce.h - a bundle's policy, and what it makes of the bundle.
 *
 * Whatever config.json can say is said there: limits, variables, devices,
 * namespaces. What is left for the plan are filters and prctls of its own.
 */
#pragma once

#include <stdbool.h>

#include "confine/confine.h"
#include "confine/landlock.h"
#include "policy/policy.h"
#include "policy/presets.h"

struct arena;
struct host;
struct policy_kept;
struct view;

struct enforcement {
	struct host *host;	 /* never NULL */
	const char *bundle;	 /* relative sources start here */
	const char *rootfs;	 /* on the host; the caller's */
	const char *home;	 /* inside: what ~ means */
	bool active;		 /* false: all below is empty */
	bool landlock;		 /* a ruleset is to hold */
	uint32_t landlock_flags; /* LANDLOCK_RESTRICT_SELF_… */
	bool no_namespaces;	 /* a sandbox without namespaces */
	bool creating;		 /* a bundle, whose mounts are looked at */
	const char *profile;	 /* its name, or NULL */
	enum policy_env_base env_base;
	const struct view *view;  /* of a sandbox; NULL: a bundle */
	bool own_network;	  /* late, whatever the engine has made */
	bool denied_shared;	  /* mode deny in a network of others */
	bool tcp_only;		  /* sockets to bind, in mode deny */
	bool masks_sockets;	  /* of others, but for network.unix */
	uint32_t connects;	  /* who has one of these rights may, too */
	struct landlock_want net; /* its part of the network */
	uint32_t missing;	  /* protections this host does not hold */
	struct policy policy;
	struct strings writable;  /* in a root that is made read-only */
	struct strings closed;	  /* mounts that are made read-only */
	struct policy_kept *kept; /* policies that must not be written */
	size_t nkept;
	struct strings hidden;		/* records of ours that a view would */
	struct oci_resources resources; /* without the policy's limits */
	struct confine_blocklist calls; /* what the next was made of */
	struct confine_filter blocklist;
	struct confine_filter watch; /* on top of it, for --why; len 0: none */
};

/*
 * The policy of annotations over that of their profile, or of the given one (or
 * NULL); annotations that touch the host must be among the allowed ones. What
 * this build or a bundle cannot hold is refused. Then spec is changed so that
 * it holds.
 */
int enforce_create(struct arena *arena, const char *profile,
		   const struct strings *allowed, struct oci_spec *spec,
		   struct enforcement *ret);
/* The same for a policy, environment and view that are there already. */
int enforce_sandbox(struct arena *arena, struct oci_spec *spec,
		    struct enforcement *enforcement);
/* Mounts enforce the rest; these rights no mount can take alone. */
bool enforce_needs_landlock(const struct policy *policy);
/* Whether the policy of a bundle allows to go on where its limits fail. */
bool enforce_may_lose_limits(const struct enforcement *enforcement);
/* Then: leave the bundle's own limits in resources, and warn. */
void enforce_lose_limits(const struct enforcement *enforcement,
			 struct oci_resources *resources);
/* Write it into the state directory: profiles may change, it does not. */
int enforce_save(struct arena *arena, const struct enforcement *enforcement,
		 int dir);
/* The policy that a state directory has, and the same changes. */
int enforce_load(struct arena *arena, int dir, const char *rootfs,
		 struct oci_spec *spec, struct enforcement *ret);
/* No resource beyond the policy's, whoever asks. */
int enforce_limits(struct arena *arena, const struct enforcement *enforcement,
		   struct oci_resources *resources);
/*
 * What was recorded about a field of linux.resources, as said about the key
 * that it came from, and how to go on. Returns r.
 */
int enforce_limit_error(struct arena *arena,
			const struct enforcement *enforcement,
			const struct oci_resources *held, int r);
/* One more process of the same container; env: given by name, not filtered. */
int enforce_process(struct arena *arena, const struct enforcement *enforcement,
		    const struct strings *env, struct oci_process *process);
/* A line of warning for each protection that the policy lets be missing. */
void enforce_tell_missing(uint32_t missing);

/* What enforce_save writes in the state directory. */
#define POLICY_FILE "policy.toml"

/* The directory of the readiness socket inside a container. */
#define NOTIFY_INSIDE "/run/notify"
#define NOTIFY_ENV "NOTIFY_SOCKET=" NOTIFY_INSIDE "/notify.sock"
