/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/enforce.c - from annotations and profiles to a policy and its filter. */
#include "runtime/enforce/enforce.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/num.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/files.h"
#include "confine/host.h"
#include "confine/nested.h"
#include "policy/profile_find.h"
#include "runtime/enforce/no_namespaces.h"
#include "runtime/enforce/policy_files.h"
#include "runtime/enforce/spec.h"

#define MAX_POLICY (4UL << 20)
#define MAX_PASSWD (1UL << 20)

/* Who may trace may also make a process dump. */
static int check_coredump(const struct policy *policy)
{
	if (policy->no_coredump && strings_has(&policy->extra_allow, "ptrace"))
		return fail(0, "program.no_coredump does not hold with "
			       "'ptrace' in syscalls.extra_allow");
	return 0;
}

/* Who has these makes sockets that neither filter nor Landlock judges. */
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
				    "network.%s does not hold with '%s' in "
				    "syscalls.extra_allow",
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
 * Who may mount takes a mask off, unless Landlock is there, which lets nobody;
 * who has a handle of a file goes past it.
 */
static int check_masks(const struct enforcement *enforcement)
{
	const struct policy *policy = &enforcement->policy;
	const struct strings *lifted = &policy->extra_allow;
	bool covers = enforcement->masks_sockets || enforcement->nkept;
	/* It takes a capability, and a sandbox has none unless it can get it. */
	bool handle = strings_has(lifted, "handle") &&
		      (!enforcement->view || strings_has(lifted, "namespaces"));

	if (handle && denies_files(policy))
		return fail(0, "filesystem.deny does not hold with 'handle' "
			       "in syscalls.extra_allow");
	if (covers &&
	    (handle || (strings_has(lifted, "mount") && !files_wanted(policy))))
		return fail(0,
			    "%s does not hold with '%s' in "
			    "syscalls.extra_allow",
			    enforcement->masks_sockets ? "network.unix" :
							 "the profile",
			    handle ? "handle" : "mount");
	return 0;
}

/* config.json says which there are. */
static int check_namespaces(const struct policy *policy)
{
	if (policy_disables(policy, PROTECT_NAMESPACES))
		return fail(0, "config.disable: 'namespaces' of a bundle are "
			       "those of its linux.namespaces");
	return 0;
}

static int refuse(const struct policy *policy)
{
	int r = policy_refuse_unenforced(policy);

	if (r == 0)
		r = check_coredump(policy);
	return r < 0 ? r : check_sockets(policy);
}

/* The sixth field of the line with this number, or NULL. */
static const char *home_in(char *passwd, uid_t uid)
{
	char *line;

	while ((line = strsep(&passwd, "\n"))) {
		char *fields[7] = { 0 };
		uint32_t id;

		for (size_t i = 0; i < COUNT(fields) && line; i++)
			fields[i] = strsep(&line, ":");
		if (fields[5] && fields[5][0] == '/' &&
		    num_u32(fields[2], &id) == 0 && id == uid)
			return fields[5];
		err_clear();
	}
	return NULL;
}

/* ~ is inside: HOME as the bundle says, or its passwd. */
static const char *find_home(struct arena *arena, const struct oci_spec *spec,
			     const char *rootfs)
{
	const char *home = oci_env_get(&spec->process->env, "HOME");
	autoclose int root = -1, fd = -1;
	struct stat st;
	char *text;

	if (is_set(home) || !rootfs)
		return home;
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
	return home_in(text, spec->process->user.uid);
}

static struct policy_place place_in(const struct enforcement *enforcement)
{
	return (struct policy_place){ .home = enforcement->home,
				      .bundle = true };
}

static int gather(struct arena *arena, const struct strings *allowed,
		  const struct oci_spec *spec, struct enforcement *enforcement)
{
	const struct policy_place place = place_in(enforcement);
	struct policy *ret = &enforcement->policy;
	const char *profile = NULL;
	struct policy over = { 0 };
	int r;

	r = policy_from_annotations(arena, &spec->annotations,
				    policy_container_name(&spec->annotations),
				    allowed, &place, &over, &profile);
	if (r < 0)
		return r;
	if (profile)
		enforcement->profile = profile;
	if (enforcement->profile) {
		r = profile_load(arena, enforcement->profile,
				 profile_system_folders, &place, ret, NULL);
		if (r < 0)
			return r;
	}
	policy_layer(ret, &over);
	r = policy_check(ret, /* bundle= */ true);
	if (r == 0)
		r = confine_check_denied(&ret->extra_deny);
	if (r == 0)
		r = check_namespaces(ret);
	if (r == 0)
		r = nested_weaken(arena, enforcement->host, ret);
	if (r < 0)
		return r;
	if (policy_is_infra(&spec->annotations))
		policy_for_infra(ret);
	return refuse(ret);
}

/* Nothing judges what is executed from memory alone. */
static int denied_calls(struct arena *arena, const struct policy *policy,
			struct strings *ret)
{
	const struct strings *given = &policy->extra_deny;

	*ret = *given;
	return policy->set[KEY_EXECUTE] ?
		       strings_add(arena, ret, "memfd_create") :
		       0;
}

/* A socket that is not there needs no rule for its addresses. */
static int make_blocklist(struct arena *arena, const struct oci_spec *spec,
			  struct enforcement *enforcement)
{
	const struct policy *policy = &enforcement->policy;
	bool net = !policy_has_section(policy, SECTION_NETWORK) ||
		   policy->mode != POLICY_MODE_DENY;
	struct confine_blocklist *list = &enforcement->calls;

	*list = (struct confine_blocklist){
		.extra_allow = policy->extra_allow,
		.inet = net || enforcement->tcp_only,
		/* Without mounts nothing but Landlock holds those of others. */
		.no_unix = enforcement->no_namespaces &&
			   !enforcement->net.unix_sockets,
		.udp = net,
		.icmp = net,
		.no_fast_open = enforcement->net.connects,
		/* Signals are not all that reaches others. */
		.only_itself = enforcement->net.signals,
		.no_flags = enforcement->no_namespaces,
		.no_randomize = policy->no_randomize_memory,
		.listener_follows = spec->linux_.seccomp &&
				    spec->linux_.seccomp->listener_path,
	};

	int r = denied_calls(arena, policy, &list->extra_deny);

	if (r >= 0 && enforcement->no_namespaces)
		r = no_namespaces_denied_calls(arena, &list->extra_deny);
	return r < 0 ? r :
		       confine_blocklist(arena, 0, list,
					 &enforcement->blocklist);
}

void enforce_tell_missing(uint32_t missing)
{
	for (int i = 0; missing >> i; i++)
		if (missing >> i & 1)
			log_warning("config.allow_degraded: %s is not held "
				    "here",
				    policy_protection_name(
					    (enum policy_protection)i));
}

static int apply(struct arena *arena, struct oci_spec *spec,
		 struct enforcement *enforcement)
{
	int r = enforce_spec(arena, enforcement, spec);

	return r < 0 ? r : make_blocklist(arena, spec, enforcement);
}

bool enforce_may_lose_limits(const struct enforcement *enforcement)
{
	return enforcement->active && !enforcement->view &&
	       policy_may_lack(&enforcement->policy, PROTECT_CGROUPS);
}

void enforce_lose_limits(const struct enforcement *enforcement,
			 struct oci_resources *resources)
{
	*resources = enforcement->resources;
	enforce_tell_missing(1U << PROTECT_CGROUPS);
}

int enforce_create(struct arena *arena, const char *profile,
		   const struct strings *allowed, struct oci_spec *spec,
		   struct enforcement *ret)
{
	int r;

	policy_warn_of_near(&spec->annotations);
	ret->active = profile || policy_is_annotated(&spec->annotations);
	if (!ret->active)
		return 0;
	ret->profile = profile;
	ret->env_base = POLICY_ENV_ALL;
	ret->creating = true;
	ret->home = find_home(arena, spec, ret->rootfs);
	r = gather(arena, allowed, spec, ret);
	if (r == 0)
		r = apply(arena, spec, ret);
	if (r == 0)
		r = policy_files_of_bundle(arena, spec, ret);
	if (r == 0)
		r = check_masks(ret);
	if (r == 0)
		enforce_tell_missing(ret->missing);
	return r;
}

bool enforce_needs_landlock(const struct policy *policy)
{
	return policy->set[KEY_EXECUTE] || policy->write_only.n ||
	       policy->deny_read.n || policy->deny_execute.n;
}

int enforce_sandbox(struct arena *arena, struct oci_spec *spec,
		    struct enforcement *enforcement)
{
	int r = refuse(&enforcement->policy);

	enforcement->active = true;
	if (r >= 0)
		r = apply(arena, spec, enforcement);
	if (r >= 0)
		r = check_masks(enforcement);
	if (r >= 0 && !enforcement->no_namespaces &&
	    host_landlock(enforcement->host)->abi == 0)
		enforcement->landlock =
			enforce_needs_landlock(&enforcement->policy);
	return r;
}

int enforce_save(struct arena *arena, const struct enforcement *enforcement,
		 int dir)
{
	const char *text;
	int r;

	if (!enforcement->active)
		return 0;
	r = policy_to_toml(arena, &enforcement->policy, &text);
	if (r < 0)
		return r;
	return io_replace_at(dir, POLICY_FILE, text, strlen(text), 0600);
}

int enforce_load(struct arena *arena, int dir, const char *rootfs,
		 struct oci_spec *spec, struct enforcement *ret)
{
	struct policy_place place;
	autoclose int fd =
		openat(dir, POLICY_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text;
	size_t len;
	int r;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return fail(errno, "open " POLICY_FILE);
	r = io_read_all(arena, fd, MAX_POLICY, &text, &len);
	if (r < 0)
		return r;
	ret->active = true;
	ret->env_base = POLICY_ENV_ALL;
	ret->home = find_home(arena, spec, rootfs);
	place = place_in(ret);
	r = policy_from_toml(arena, text, len, POLICY_FILE, &place,
			     &ret->policy);
	return r < 0 ? r : apply(arena, spec, ret);
}
