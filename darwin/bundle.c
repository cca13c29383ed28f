/* SPDX-License-Identifier: Apache-2.0 */
/*
 * darwin/bundle.c - run: execute the process of a bundle whose root is that of
 * the host, with its variables, limits and policy.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/seatbelt.h"
#include "darwin/commands.h"
#include "darwin/environment.h"
#include "darwin/process.h"
#include "oci/oci.h"
#include "policy/profile_find.h"

struct bundle_options {
	const char *bundle;
};

static const struct option_spec options_known[] = {
	{ "bundle", 'b', OPTION_TEXT, offsetof(struct bundle_options, bundle),
	  "DIR", "directory of the bundle (default: .)" },
};

/* ---- fields that only Linux has ---- */

static bool has_hooks(const struct oci_hooks *hooks)
{
	for (size_t i = 0; i < HOOK_POINTS; i++)
		if (hooks->at[i].n)
			return true;
	return false;
}

static bool has_namespaces(const struct oci_linux *linux_)
{
	for (size_t i = 0; i < OCI_NAMESPACES; i++)
		if (linux_->namespaces[i].listed)
			return true;
	return false;
}

static bool has_resources(const struct oci_resources *resources)
{
	static const struct oci_resources none;

	return memcmp(resources, &none, sizeof none) != 0;
}

/* Return the path of a field that asks for something of Linux, or NULL. */
static const char *find_foreign(const struct oci_spec *spec)
{
	const struct oci_process *process = spec->process;
	const struct oci_linux *l = &spec->linux_;
	const struct {
		bool asked;
		const char *field;
	} rows[] = {
		{ spec->root_readonly, "root.readonly" },
		{ spec->hostname != NULL, "hostname" },
		{ spec->domainname != NULL, "domainname" },
		{ spec->nmounts > 0, "mounts" },
		{ has_hooks(&spec->hooks), "hooks" },
		{ process->capabilities != NULL, "process.capabilities" },
		{ process->apparmor_profile != NULL,
		  "process.apparmorProfile" },
		{ process->selinux_label != NULL, "process.selinuxLabel" },
		{ process->oom_score_adj.set, "process.oomScoreAdj" },
		{ process->scheduler != NULL, "process.scheduler" },
		{ process->io_priority != NULL, "process.ioPriority" },
		{ process->affinity_initial || process->affinity_final,
		  "process.execCPUAffinity" },
		{ process->user.ngroups > 0, "process.user.additionalGids" },
		{ has_namespaces(l), "linux.namespaces" },
		{ l->uid_mappings.n > 0, "linux.uidMappings" },
		{ l->gid_mappings.n > 0, "linux.gidMappings" },
		{ l->ndevices > 0, "linux.devices" },
		{ l->nnet_devices > 0, "linux.netDevices" },
		{ l->cgroups_path != NULL, "linux.cgroupsPath" },
		{ has_resources(&l->resources), "linux.resources" },
		{ l->rootfs_propagation_name != NULL,
		  "linux.rootfsPropagation" },
		{ l->seccomp != NULL, "linux.seccomp" },
		{ l->masked_paths.n > 0, "linux.maskedPaths" },
		{ l->readonly_paths.n > 0, "linux.readonlyPaths" },
		{ l->mount_label != NULL, "linux.mountLabel" },
		{ l->nsysctls > 0, "linux.sysctl" },
		{ l->intel_rdt != NULL, "linux.intelRdt" },
		{ l->has_personality, "linux.personality" },
		{ l->memory_policy != NULL, "linux.memoryPolicy" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].asked)
			return rows[i].field;
	return NULL;
}

/* A sandbox executes no set-user-ID programs; nothing else has that effect. */
static int check_spec(const struct oci_spec *spec, bool has_policy)
{
	const struct oci_process *process = spec->process;
	const char *field;

	if (!process)
		return fail(0, "process: a bundle without a process cannot be "
			       "run");
	field = find_foreign(spec);
	if (field)
		return fail(0, "%s: not available on macOS: remove it", field);
	if (process->user.uid != geteuid() || process->user.gid != getegid())
		return fail(0,
			    "process.user: %u:%u is not the caller, %u:%u, and "
			    "macOS has no user namespaces",
			    process->user.uid, process->user.gid, geteuid(),
			    getegid());
	if (process->no_new_privileges && !has_policy)
		return fail(0, "process.noNewPrivileges: on macOS only a "
			       "policy prevents new privileges: add an "
			       "io.sandlock annotation");
	if (process->terminal && !isatty(STDIN_FILENO))
		return fail(0, "process.terminal: standard input is not a "
			       "terminal");
	return 0;
}

static int check_root(int dir, const char *bundle, const struct oci_spec *spec)
{
	char path[PATH_MAX];
	autofree char *real = NULL;

	(void)dir;
	if ((size_t)snprintf(path, sizeof path, "%s%s%s",
			     spec->root_path[0] == '/' ? "" : bundle,
			     spec->root_path[0] == '/' ? "" : "/",
			     spec->root_path) >= sizeof path)
		return fail(ENAMETOOLONG, "root.path '%s'", spec->root_path);
	real = realpath(path, NULL);
	if (!real)
		return fail(errno, "root.path '%s'", spec->root_path);
	if (!streq(real, "/"))
		return fail(0,
			    "root.path: '%s' is not /, and macOS has no other "
			    "root for a process",
			    spec->root_path);
	return 0;
}

/* ---- the policy ---- */

static int read_policy(struct arena *arena, const struct oci_spec *spec,
		       struct policy *ret, const char **ret_home)
{
	static const struct strings none;
	const struct policy_place place = {
		.home = oci_env_get(&spec->process->env, "HOME"),
		.bundle = true,
	};
	const char *profile = NULL;
	struct policy over = { 0 };
	int r = policy_from_annotations(arena, &spec->annotations,
					policy_container_name(
						&spec->annotations),
					&none, &place, &over, &profile);

	if (r == 0 && profile)
		r = profile_load(arena, profile, profile_system_folders, &place,
				 ret, NULL);
	if (r < 0)
		return r;
	policy_layer(ret, &over);
	*ret_home = place.home;
	return policy_check(ret, /* bundle= */ true);
}

static int make_profile(struct arena *arena, const struct oci_spec *spec,
			const struct policy *policy, const char *home,
			const char **ret)
{
	const char *cwd = spec->process->cwd;
	struct seatbelt_facts facts;
	int r = seatbelt_find_facts(arena, home, streq(cwd, "/") ? NULL : cwd,
				    NULL, &spec->process->env, &facts);

	if (r < 0)
		return r;
	facts.bundle = true;
	return seatbelt_make(arena, policy, &facts, ret);
}

static int run_spec(struct arena *arena, const struct oci_spec *spec,
		    bool has_policy)
{
	const struct oci_process *wanted = spec->process;
	struct darwin_process process = {
		.command = wanted->args,
		.env = wanted->env,
		.cwd = wanted->cwd,
		.rlimits = wanted->rlimits,
		.nrlimits = wanted->nrlimits,
		.has_umask = wanted->user.has_umask,
		.umask = wanted->user.umask,
	};
	struct policy policy = { 0 };
	struct darwin_end end = { 0 };
	const char *home;
	int r = 0;

	if (has_policy) {
		r = read_policy(arena, spec, &policy, &home);
		if (r == 0)
			r = make_profile(arena, spec, &policy, home,
					 &process.profile);
		if (r == 0)
			r = darwin_environment(arena, &policy, POLICY_ENV_ALL,
					       &wanted->env, &process.env);
	}
	if (r == 0)
		r = darwin_run(arena, &process, &end);
	return r < 0 ? r : end.status;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct bundle_options *o = options;
	const char *bundle = argc > 0 ? argv[0] : o->bundle ? o->bundle : ".";
	autoclose int dir = open(bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct oci_spec spec = { 0 };
	bool has_policy;
	int r;

	if (dir < 0)
		return fail(errno, "open bundle %s", bundle);
	r = oci_spec_load(session->arena, dir, "config.json", &spec);
	if (r < 0)
		return r;
	has_policy = policy_is_annotated(&spec.annotations);
	r = check_spec(&spec, has_policy);
	if (r == 0)
		r = check_root(dir, bundle, &spec);
	return r < 0 ? r : run_spec(session->arena, &spec, has_policy);
}

const struct command darwin_command_bundle = {
	.name = "run",
	.arguments = "[options] [BUNDLE]",
	.help = "run the process of a bundle whose root is /",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct bundle_options),
	.max_args = 1,
	.run = run,
	.failure = 1,
};
