/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/enforce.c - make an enforcement from annotations and
 * profiles.
 */
#include "runtime/enforce/enforce.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/calls.h"
#include "confine/files.h"
#include "confine/host.h"
#include "confine/nested.h"
#include "policy/account.h"
#include "policy/profile_find.h"
#include "runtime/enforce/no_namespaces.h"
#include "runtime/enforce/policy_files.h"
#include "runtime/enforce/spec.h"

#define MAX_PASSWD (1UL << 20)

/* A process allowed to ptrace can make another one dump core. */
static int check_coredump(const struct policy *policy)
{
	if (policy->no_coredump && strings_has(&policy->extra_allow, "ptrace"))
		return fail(0,
			    "program.no_coredump cannot be enforced with "
			    "'ptrace' in syscalls.extra_allow: remove one of "
			    "them");
	return 0;
}

/* Sockets made by io_uring, and raw sockets, bypass the filter and Landlock. */
static int check_sockets(const struct policy *policy)
{
	static const char *const groups[] = { "io_uring", "raw_sockets" };
	bool ports = policy->bind.n || policy->deny_bind.n ||
		     policy->allow_local_binding;
	bool denied = policy_has_section(policy, SECTION_NETWORK) &&
		      policy->mode == POLICY_MODE_DENY;

	for (size_t i = 0; i < policy->extra_allow.n; i++) {
		const char *group = policy->extra_allow.items[i];

		if ((ports && streq(group, groups[1])) ||
		    ((ports || denied) && streq(group, groups[0])))
			return fail(0,
				    "network.%s cannot be enforced with '%s' "
				    "in syscalls.extra_allow: remove one of "
				    "them",
				    ports ? "bind" : "mode 'deny'", group);
	}
	return 0;
}

static bool denies_files(const struct policy *policy)
{
	return policy->deny.n || policy->deny_read.n || policy->deny_write.n ||
	       policy->deny_execute.n;
}

/*
 * A process that may mount can remove a mask, unless it has a Landlock ruleset
 * for files, which denies that. A process with the handle of a file can open it
 * in spite of masks.
 */
static int check_masks(const struct enforcement *enforcement)
{
	const struct policy *policy = &enforcement->policy;
	const struct strings *lifted = &policy->extra_allow;
	bool denies = files_only_denied(policy) && denies_files(policy);
	bool covers = enforcement->masks_sockets || enforcement->kept.n ||
		      denies;
	/*
	 * This needs a capability; a sandbox gets one only in a new namespace.
	 */
	bool handle = strings_has(lifted, "handle") &&
		      (enforcement->kind == ENFORCE_BUNDLE ||
		       strings_has(lifted, "namespaces"));

	if (handle && denies_files(policy))
		return fail(0,
			    "filesystem.deny cannot be enforced with "
			    "'handle' in syscalls.extra_allow: remove one of "
			    "them");
	if (covers &&
	    (handle || (strings_has(lifted, "mount") && !files_wanted(policy))))
		return fail(0,
			    "%s cannot be enforced with '%s' in "
			    "syscalls.extra_allow: remove one of them",
			    denies ? "filesystem.deny" :
			    enforcement->masks_sockets ?
				     "network.unix" :
				     "the protection of the policy file",
			    handle ? "handle" : "mount");
	return 0;
}

/* config.json decides about the namespaces of a bundle. */
static int check_namespaces(const struct policy *policy)
{
	if (policy_disables(policy, PROTECT_NAMESPACES))
		return fail(0,
			    "config.disable: 'namespaces' cannot be disabled "
			    "for a bundle (linux.namespaces defines them)");
	return 0;
}

/* Nothing mounts the overlay of a bundle yet, or ends its branch. */
static int refuse_in_bundle(const struct policy *policy)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy->set[key] && policy_is_for_later(key))
			return fail(0,
				    "not enforced by this build: %s in a "
				    "bundle (remove this key)",
				    policy_key_name(key));
	return 0;
}

static int refuse(const struct policy *policy, enum enforce_kind kind)
{
	int r = policy_refuse_unenforced(policy);

	if (r == 0)
		r = kind == ENFORCE_BUNDLE ? refuse_in_bundle(policy) : 0;

	if (r == 0)
		r = check_coredump(policy);
	return r < 0 ? r : check_sockets(policy);
}

/* The home in the passwd of the bundle; or NULL. */
static const char *find_account(struct arena *arena,
				const struct oci_spec *spec, const char *rootfs)
{
	autoclose int root = -1, fd = -1;
	struct stat st;
	char *text;

	if (!rootfs)
		return NULL;
	root = open(rootfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = root < 0 ? -1 :
			root_open(root, "/etc/passwd",
				  O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	if (io_read_all(arena, fd, MAX_PASSWD, &text, NULL) < 0) {
		err_clear();
		return NULL;
	}
	return account_home_in(text, spec->process->user.uid);
}

/* ~ is a directory inside: HOME of the bundle, or that in its passwd. */
static const char *find_home(struct arena *arena, const struct oci_spec *spec,
			     const char *rootfs)
{
	const char *home = oci_env_get(&spec->process->env, "HOME");

	return is_set(home) ? home : find_account(arena, spec, rootfs);
}

/*
 * A container that only holds the namespaces of a pod runs its own program. But
 * an annotation makes it one, so that the floor applies to all other files.
 */
static int narrow_infra(struct arena *arena, const struct oci_spec *spec,
			struct policy *policy)
{
	const struct policy_floor *floor = policy->floor;
	const struct strings *args = &spec->process->args;
	int r = 0;

	policy_for_infra(policy);
	if (!floor || !policy_allows_files(&floor->policy))
		return 0;
	/* The lists of two floors meet only when they are resolved. */
	if (!floor->policy.floor)
		policy_take_files(policy, &floor->policy);
	policy->set[KEY_READ] = true;
	policy->origin[KEY_READ] = floor->name;
	if (!args->n || args->items[0][0] != '/')
		return 0;
	r = strings_add(arena, &policy->read, args->items[0]);
	return r < 0 || !policy->set[KEY_EXECUTE] ?
		       r :
		       strings_add(arena, &policy->execute, args->items[0]);
}

/* Apply the profiles that are enforced. */
static int obey(struct arena *arena, const struct enforce_bundle *bundle,
		const struct oci_spec *spec, const struct policy_place *place,
		struct policy *policy)
{
	const struct policy_floor *floor;
	struct policy_place own = *place;
	int r;

	if (!bundle->enforced.n)
		return 0;
	own.account = find_account(arena, spec, bundle->rootfs);
	r = policy_floor_load(arena, &bundle->enforced, &own, &floor);
	if (r < 0)
		return r;
	r = confine_check_denied(&floor->policy.extra_deny);
	if (r == 0)
		r = policy_tighten(arena, policy, floor, policy);
	return r < 0 ? r : policy_check(policy, /* bundle= */ true);
}

/* Read the policy of a bundle; its annotations may name the profile. */
static int gather(struct arena *arena, const struct enforce_bundle *bundle,
		  const struct oci_spec *spec, struct enforce_input *input)
{
	const struct policy_place place = { .home = input->home,
					    .bundle = true };
	struct policy *ret = &input->policy;
	const char *profile = NULL;
	struct policy over = { 0 };
	int r;

	r = policy_from_annotations(arena, &spec->annotations,
				    policy_container_name(&spec->annotations),
				    bundle->allowed, &place, &over, &profile);
	if (r < 0)
		return r;
	if (profile)
		input->profile = profile;
	if (input->profile) {
		r = profile_load(arena, input->profile, profile_system_folders,
				 &place, ret, NULL);
		if (r >= 0)
			r = policy_make_private(arena, &over, ret);
		if (r < 0)
			return r;
	}
	policy_layer(ret, &over);
	r = policy_check(ret, /* bundle= */ true);
	if (r == 0)
		r = confine_check_denied(&ret->extra_deny);
	if (r == 0)
		r = obey(arena, bundle, spec, &place, ret);
	if (r == 0)
		r = check_namespaces(ret);
	if (r == 0)
		r = nested_weaken(arena, input->host, ret);
	if (r < 0)
		return r;
	return policy_is_infra(&spec->annotations) ?
		       narrow_infra(arena, spec, ret) :
		       0;
}

/* Neither mounts nor Landlock restrict the execution of a memory file. */
static int denied_calls(struct arena *arena, const struct policy *policy,
			struct strings *ret)
{
	const struct strings *given = &policy->extra_deny;

	*ret = *given;
	return policy_has(policy, KEY_EXECUTE) ?
		       strings_add(arena, ret, "memfd_create") :
		       0;
}

/* Sockets that cannot be created need no rules for addresses. */
static int list_calls(struct arena *arena, const struct oci_spec *spec,
		      const struct enforcement *enforcement,
		      struct confine_blocklist *ret)
{
	const struct policy *policy = &enforcement->policy;
	bool net = !policy_has_section(policy, SECTION_NETWORK) ||
		   policy->mode != POLICY_MODE_DENY;
	bool no_namespaces = enforcement->kind == ENFORCE_SANDBOX_NO_NAMESPACES;

	*ret = (struct confine_blocklist){
		.extra_allow = policy->extra_allow,
		.inet = net || enforcement->tcp_only ||
			policy_has_rules(policy),
		/*
		 * Without mounts, only Landlock restricts Unix sockets of
		 * others.
		 */
		.no_unix = no_namespaces && !enforcement->net.unix_sockets,
		.udp = net || enforcement->rules_udp,
		.icmp = net || enforcement->rules_icmp,
		.no_fast_open = enforcement->net.connects,
		/* Other calls than kill affect other processes, too. */
		.only_itself = enforcement->net.signals,
		.no_flags = no_namespaces,
		.no_randomize = policy->no_randomize_memory,
		.listener_follows = enforcement->process.notify.len ||
				    (spec->linux_.seccomp &&
				     spec->linux_.seccomp->listener_path),
	};

	int r = denied_calls(arena, policy, &ret->extra_deny);

	return r < 0 || !no_namespaces ?
		       r :
		       no_namespaces_denied_calls(arena, &ret->extra_deny);
}

static int make_filters(struct arena *arena, const struct enforce_input *input,
			const struct oci_spec *spec,
			struct enforcement *enforcement)
{
	struct confine_filter *filter = &enforcement->process.blocklist;
	struct confine_blocklist calls;
	int r = list_calls(arena, spec, enforcement, &calls);

	if (r >= 0)
		r = confine_blocklist(arena, 0, &calls, filter);
	if (r < 0)
		return r;
	if (input->wishes.log_denials)
		filter->flags |= SECCOMP_FILTER_FLAG_LOG;
	return !input->wishes.watch.n ?
		       0 :
		       confine_watch(arena, 0, &calls, &input->wishes.watch,
				     &enforcement->watch);
}

bool enforce_needs_landlock(const struct policy *policy)
{
	return policy_has(policy, KEY_EXECUTE) ||
	       policy_has(policy, KEY_WRITE_ONLY) || policy->deny_read.n ||
	       policy->deny_execute.n;
}

uint32_t enforce_by_namespaces(enum enforce_kind kind, enum policy_mode mode)
{
	const uint32_t always =
		1U << PROTECT_FS_REFER | 1U << PROTECT_FS_TRUNCATE |
		1U << PROTECT_FS_IOCTL_DEV | 1U << PROTECT_SIGNAL_SCOPE;

	if (kind != ENFORCE_SANDBOX)
		return 0;
	return mode == POLICY_MODE_OPEN ? always :
					  always | 1U << PROTECT_ABSTRACT_SCOPE;
}

/*
 * Decide whether there is a ruleset, and what it restricts besides files. The
 * mounts of a sandbox suffice on a kernel without Landlock.
 */
static int plan_landlock(struct arena *arena, const struct enforce_input *input,
			 struct enforcement *enforcement)
{
	const struct policy *policy = &enforcement->policy;
	struct landlock_want *want = &enforcement->net;
	struct landlock_plan *plan = &enforcement->process.landlock;
	int r;

	want->allow_degraded = policy->allow_degraded;
	want->disable = policy->disable;
	/* `events` reports what a container is denied, if auditing is on. */
	want->log = input->wishes.log_denials || input->kind == ENFORCE_BUNDLE;
	r = landlock_plan(arena, &enforcement->landlock_host, want, plan);
	if (r < 0)
		return r;
	enforcement->missing |= plan->missing;
	plan->needed = plan->needed || files_wanted(policy);
	if (enforcement->kind == ENFORCE_SANDBOX &&
	    enforcement->landlock_host.abi == 0)
		plan->needed = enforce_needs_landlock(policy);
	enforcement->process.reopens_stdio = files_wanted(policy);
	return 0;
}

void enforce_tell_missing(uint32_t missing)
{
	for (int i = 0; missing >> i; i++)
		if (missing >> i & 1)
			log_warning("config.allow_degraded: %s is not "
				    "enforced on this host, which this "
				    "setting accepts",
				    policy_protection_name(
					    (enum policy_protection)i));
}

bool enforce_may_lose_limits(const struct enforcement *enforcement)
{
	return enforcement->kind == ENFORCE_BUNDLE &&
	       policy_may_lack(&enforcement->policy, PROTECT_CGROUPS);
}

void enforce_lose_limits(const struct enforcement *enforcement,
			 struct oci_resources *resources)
{
	*resources = enforcement->resources;
	enforce_tell_missing(1U << PROTECT_CGROUPS);
}

bool enforce_has_root_work(const struct enforcement *enforcement)
{
	return enforcement->process.landlock.needed ||
	       files_only_denied(&enforcement->policy) ||
	       enforcement->masks_sockets || enforcement->kept.n ||
	       enforcement->hidden.n;
}

struct enforcement enforce_given(const struct enforce_input *input)
{
	return (struct enforcement){
		.kind = input->kind,
		.policy = input->policy,
		.landlock_host = *host_landlock(input->host),
		.missing = input->missing,
		.home = input->home,
		.view = input->view,
		.kept = input->kept,
		.hidden = input->hidden,
	};
}

int enforce_make(struct arena *arena, const struct enforce_input *input,
		 struct oci_spec *spec, struct enforcement *ret)
{
	struct enforcement made = enforce_given(input);
	int r = refuse(&made.policy, made.kind);

	if (r >= 0)
		r = enforce_spec(arena, input, &made, spec);
	if (r >= 0)
		r = plan_landlock(arena, input, &made);
	if (r >= 0)
		r = make_filters(arena, input, spec, &made);
	if (r >= 0 && made.kind == ENFORCE_BUNDLE)
		r = policy_files_of_bundle(arena, input, spec, &made.kept);
	if (r >= 0)
		r = check_masks(&made);
	if (r < 0)
		return r;
	*ret = made;
	return 0;
}

int enforce_create(struct arena *arena, const struct enforce_bundle *bundle,
		   struct oci_spec *spec, struct enforcement *ret)
{
	struct enforce_input input = {
		.kind = ENFORCE_BUNDLE,
		.env_base = POLICY_ENV_ALL,
		.host = bundle->host,
		.bundle = bundle->path,
		.rootfs = bundle->rootfs,
		.profile = bundle->profile,
	};
	bool has_floor = bundle->enforced.n > 0;
	int r = policy_check_near(&spec->annotations, has_floor);

	if (r < 0)
		return r;
	if (!bundle->profile && !has_floor &&
	    !policy_is_annotated(&spec->annotations)) {
		*ret = (struct enforcement){ .kind = ENFORCE_NOTHING };
		return 0;
	}
	input.home = find_home(arena, spec, bundle->rootfs);
	r = gather(arena, bundle, spec, &input);
	if (r >= 0)
		r = enforce_make(arena, &input, spec, ret);
	if (r >= 0)
		enforce_tell_missing(ret->missing);
	return r;
}
