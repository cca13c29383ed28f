/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/policed.c - from annotations and profiles to a policy and its filter. */
#include "runtime/policed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "confine/files.h"
#include "runtime/bare.h"
#include "runtime/commands.h"
#include "runtime/container.h"
#include "runtime/policed_spec.h"
#include "runtime/profiles.h"

#define POLICY_FILE "policy.toml"
#define MAX_POLICY (4UL << 20)

/* Who may trace may also make a process dump. */
static int check_coredump(const struct policy *policy)
{
	for (size_t i = 0; policy->no_coredump && i < policy->extra_allow.n;
	     i++)
		if (streq(policy->extra_allow.items[i], "ptrace"))
			return fail(0, "program.no_coredump does not hold with "
				       "'ptrace' in syscalls.extra_allow");
	return 0;
}

static int refuse(const struct policy *policy)
{
	int r = policy_refuse_unenforced(policy);

	return r < 0 ? r : check_coredump(policy);
}

/* ~ is inside: HOME as the bundle says. */
static struct policy_place place_in(const struct oci_spec *spec)
{
	return (struct policy_place){
		.home = oci_env_get(&spec->process->env, "HOME"),
		.bundle = true,
	};
}

static int gather(struct arena *arena, const struct globals *globals,
		  const struct oci_spec *spec, struct policy *ret)
{
	const struct policy_place place = place_in(spec);
	const char *profile = NULL;
	struct policy over = { 0 };
	int r;

	r = policy_from_annotations(arena, &spec->annotations,
				    policy_container_name(&spec->annotations),
				    &globals->allow_annotations, &place, &over,
				    &profile);
	if (r < 0)
		return r;
	if (profile || globals->profile) {
		r = profile_load(arena, profile ? profile : globals->profile,
				 profile_system_folders, &place, ret, NULL);
		if (r < 0)
			return r;
	}
	policy_layer(ret, &over);
	r = policy_check(ret, /* bundle= */ true);
	if (r < 0)
		return r;
	if (policy_is_infra(&spec->annotations))
		policy_for_infra(ret);
	if (ret->set[POLICY_MOUNT])
		return fail(0, "not enforced by this build: %s",
			    policy_key_name(POLICY_MOUNT));
	return refuse(ret);
}

/* Nothing judges what is executed from memory alone. */
static int denied_calls(struct arena *arena, const struct policy *policy,
			struct oci_strings *ret)
{
	const struct oci_strings *given = &policy->extra_deny;
	const char **items;

	*ret = *given;
	if (!policy->set[POLICY_EXECUTE])
		return 0;
	items = arena_grow(arena, given->items, given->n, given->n + 1,
			   sizeof *items);
	if (!items)
		return -ENOMEM;
	items[given->n] = "memfd_create";
	*ret = (struct oci_strings){ items, given->n + 1 };
	return 0;
}

/* A socket that is not there needs no rule for its addresses. */
static int make_blocklist(struct arena *arena, const struct oci_spec *spec,
			  struct policed *policed)
{
	const struct policy *policy = &policed->policy;
	bool net = !policy_has_section(policy, POLICY_NETWORK) ||
		   policy->mode != POLICY_MODE_DENY;
	struct confine_blocklist *list = &policed->calls;

	*list = (struct confine_blocklist){
		.extra_allow = policy->extra_allow,
		.inet = net,
		.udp = net,
		.icmp = net,
		.no_randomize = policy->no_randomize_memory,
		.listener_follows = spec->linux_.seccomp &&
				    spec->linux_.seccomp->listener_path,
	};

	int r = denied_calls(arena, policy, &list->extra_deny);

	if (r >= 0 && policed->bare)
		r = bare_denied_calls(arena, &list->extra_deny);
	return r < 0 ? r : confine_blocklist(arena, 0, list,
					     &policed->blocklist);
}

static int apply(struct arena *arena, struct oci_spec *spec,
		 struct policed *policed)
{
	int r = make_blocklist(arena, spec, policed);

	policed->landlock = files_wanted(&policed->policy);
	return r < 0 ? r : policed_spec(arena, policed, spec);
}

int policed_create(struct arena *arena, const struct globals *globals,
		   struct oci_spec *spec, struct policed *ret)
{
	int r;

	ret->active = globals->profile ||
		      policy_is_annotated(&spec->annotations);
	if (!ret->active)
		return 0;
	ret->env_base = POLICY_ENV_ALL;
	r = gather(arena, globals, spec, &ret->policy);
	return r < 0 ? r : apply(arena, spec, ret);
}

/* Mounts hold the rest; these rights no mount can take alone. */
static bool needs_landlock(const struct policy *policy)
{
	return policy->set[POLICY_EXECUTE] || policy->write_only.n ||
	       policy->deny_read.n || policy->deny_execute.n;
}

int policed_sandbox(struct arena *arena, struct oci_spec *spec,
		    struct policed *policed)
{
	int r = refuse(&policed->policy);

	policed->active = true;
	if (r >= 0)
		r = apply(arena, spec, policed);
	if (r >= 0 && !policed->bare && landlock_probe() == 0)
		policed->landlock = needs_landlock(&policed->policy);
	return r;
}

int policed_save(struct arena *arena, const struct policed *policed, int dir)
{
	const char *text;
	int r;

	if (!policed->active)
		return 0;
	r = policy_to_toml(arena, &policed->policy, &text);
	if (r < 0)
		return r;
	return io_replace_at(dir, POLICY_FILE, text, strlen(text), 0600);
}

int policed_load(struct arena *arena, const struct container *container,
		 struct oci_spec *spec, struct policed *ret)
{
	const struct policy_place place = place_in(spec);
	autoclose int fd = openat(container->dir, POLICY_FILE,
				  O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
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
	r = policy_from_toml(arena, text, len, POLICY_FILE, &place,
			     &ret->policy);
	return r < 0 ? r : apply(arena, spec, ret);
}
