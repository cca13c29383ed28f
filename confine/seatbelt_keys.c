/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/seatbelt_keys.c - how macOS enforces each key of a policy and each
 * protection, or why it cannot.
 */
#include "base/arena.h"
#include "base/util.h"
#include "confine/seatbelt.h"
#include "policy/keys.h"

#define RULES(text)                  \
	{                            \
		SEATBELT_RULES, text \
	}
#define PROGRAM(text)                  \
	{                              \
		SEATBELT_PROGRAM, text \
	}
#define TRIVIAL(text)                  \
	{                              \
		SEATBELT_TRIVIAL, text \
	}
#define CGROUPS(text)                  \
	{                              \
		SEATBELT_CGROUPS, text \
	}
#define REFUSED(text)                  \
	{                              \
		SEATBELT_REFUSED, text \
	}

#define NO_STAGING "macOS has no overlay file system to stage writes"
#define NO_PROXY_HERE "there is no HTTP proxy on macOS"
#define NO_MOUNTS "macOS has no mount namespaces"
#define NO_USERS "macOS has no user namespaces"
#define NO_SYSCALLS "Seatbelt judges operations, not system calls"

static const struct seatbelt_key keys[KEY_COUNT] = {
	[KEY_WORKDIR] = REFUSED(NO_STAGING),
	[KEY_FS_STORAGE] = REFUSED(NO_STAGING),
	[KEY_HTTP_CA] = REFUSED(NO_PROXY_HERE),
	[KEY_HTTP_KEY] = REFUSED(NO_PROXY_HERE),
	[KEY_HTTP_INJECT_CA] = REFUSED(NO_PROXY_HERE),
	[KEY_HTTP_CA_OUT] = REFUSED(NO_PROXY_HERE),
	[KEY_ALLOW_DEGRADED] = PROGRAM("cgroups: the limits of cgroups may be "
				       "missing"),
	[KEY_DISABLE] = PROGRAM("cgroups: the limits of cgroups are not "
				"enforced"),
	[KEY_STRICT] = PROGRAM("an error for a protection that macOS does not "
			       "enforce"),
	[KEY_SUPERVISOR] = TRIVIAL("no key of macOS needs a supervisor"),

	[KEY_RANDOM_SEED] = REFUSED("random numbers cannot be replaced"),
	[KEY_TIME_START] = REFUSED("the clock cannot be replaced"),
	[KEY_DETERMINISTIC_DIRS] = REFUSED("listings cannot be sorted"),
	[KEY_NO_RANDOMIZE_MEMORY] = REFUSED("macOS has no documented way to "
					    "turn it off"),

	[KEY_EXEC] = PROGRAM("execve"),
	[KEY_ARGS] = PROGRAM("execve"),
	[KEY_CWD] = PROGRAM("chdir"),
	[KEY_ENV] = PROGRAM("execve, after the filters"),
	[KEY_UID] = REFUSED(NO_USERS),
	[KEY_GID] = REFUSED(NO_USERS),
	[KEY_CLEAN_ENV] = PROGRAM("execve"),
	[KEY_ALLOW_ENV] = PROGRAM("execve"),
	[KEY_DENY_ENV] = PROGRAM("execve"),
	[KEY_NO_COREDUMP] = PROGRAM("setrlimit RLIMIT_CORE 0"),
	[KEY_NO_HUGE_PAGES] = TRIVIAL("macOS has no transparent huge pages"),
	[KEY_EXCLUDED] =
		PROGRAM("an error for these commands: use --unsandboxed"),
	[KEY_ALLOW_UNSANDBOXED] = PROGRAM("false: an error for --unsandboxed"),
	[KEY_WEAKER_NESTED] = TRIVIAL("there are no namespaces to lose"),

	[KEY_READ] = RULES(
		"(allow file-read* file-map-executable process-exec* (subpath PATH))"),
	[KEY_WRITE] = RULES("as read, and (allow file-write* file-ioctl "
			    "(subpath PATH))"),
	[KEY_WRITE_ONLY] = RULES("(allow file-write* file-ioctl (subpath "
				 "PATH))"),
	[KEY_EXECUTE] = RULES("(allow file-read* file-map-executable "
			      "process-exec* (subpath PATH))"),
	[KEY_DENY] = RULES(
		"(deny file-read* file-write* process-exec* (subpath PATH)), after all that allow"),
	[KEY_DENY_READ] = RULES("(deny file-read* file-write-unlink (subpath "
				"PATH))"),
	[KEY_DENY_WRITE] = RULES("(deny file-write* file-ioctl (subpath "
				 "PATH))"),
	[KEY_DENY_EXECUTE] = RULES("(deny process-exec* file-map-executable "
				   "file-write-unlink (subpath PATH))"),
	[KEY_CHROOT] = REFUSED(NO_MOUNTS),
	[KEY_MOUNT] = REFUSED(NO_MOUNTS),
	[KEY_TMPFS] = REFUSED(NO_MOUNTS),
	[KEY_ON_EXIT] = REFUSED(NO_STAGING),
	[KEY_ON_ERROR] = REFUSED(NO_STAGING),

	[KEY_NET_MODE] = RULES(
		"(allow network-outbound (remote ip \"HOST:*\")) for * or localhost; deny: no rule"),
	[KEY_NET_ALLOW] = RULES(
		"(allow network-outbound (remote tcp \"HOST:PORT\")); only * and localhost"),
	[KEY_NET_DENY] = RULES(
		"(deny network-outbound (remote tcp \"HOST:PORT\")); only * and localhost"),
	[KEY_NET_BIND] = RULES("(allow network-bind network-inbound (local tcp "
			       "\"*:PORT\")); an error for port 0"),
	[KEY_NET_DENY_BIND] = RULES("(deny network-bind (local tcp "
				    "\"*:PORT\"))"),
	[KEY_PUBLISH] = REFUSED("macOS has no network namespaces"),
	[KEY_PORT_REMAP] = REFUSED("macOS has no network namespaces"),
	[KEY_UNIX] = RULES("(allow network-outbound (remote unix-socket "
			   "(subpath PATH)))"),
	[KEY_HTTP_PROXY_PORT] = RULES(
		"(allow network-outbound (remote tcp \"localhost:PORT\")), and nothing else"),
	[KEY_SOCKS_PROXY_PORT] = RULES(
		"(allow network-outbound (remote tcp \"localhost:PORT\")), and nothing else"),
	[KEY_ALLOW_LOCAL_BINDING] = RULES("(allow network-bind network-inbound "
					  "(local ip \"localhost:*\"))"),

	[KEY_HTTP_ALLOW] = REFUSED(NO_PROXY_HERE),
	[KEY_HTTP_DENY] = REFUSED(NO_PROXY_HERE),
	[KEY_HTTP_PORTS] = REFUSED(NO_PROXY_HERE),
	[KEY_HTTP_CREDENTIALS] = REFUSED(NO_PROXY_HERE),

	[KEY_EXTRA_ALLOW] = REFUSED(NO_SYSCALLS),
	[KEY_EXTRA_DENY] = REFUSED(NO_SYSCALLS),

	[KEY_MEMORY] = CGROUPS("macOS has no cgroups, and does not enforce "
			       "RLIMIT_AS"),
	[KEY_PROCESSES] = CGROUPS(
		"macOS has no cgroups, and RLIMIT_NPROC counts processes of a user"),
	[KEY_TASKS] = CGROUPS(
		"macOS has no cgroups, and RLIMIT_NPROC counts processes of a user"),
	[KEY_FORKS] = REFUSED("macOS does not count the processes of a "
			      "sandbox"),
	[KEY_OPEN_FILES] = PROGRAM("setrlimit RLIMIT_NOFILE"),
	[KEY_CPU] = CGROUPS("macOS has no cgroups"),
	[KEY_DISK] = REFUSED(NO_STAGING),
	[KEY_GPU_DEVICES] = RULES("(allow iokit-open) for an empty list, which "
				  "means all; an error for numbers"),
	[KEY_CPU_CORES] = CGROUPS("macOS does not bind processes to cores"),
	[KEY_NUM_CPUS] = REFUSED("the number of CPUs cannot be replaced"),
};

static const struct seatbelt_key unknown = REFUSED("not supported on macOS");

static const struct seatbelt_protection protections[PROTECT_COUNT] = {
	[PROTECT_FS_REFER] = { true, "both names of a rename are judged" },
	[PROTECT_FS_TRUNCATE] = { true, "file-write* covers truncation" },
	[PROTECT_NET_TCP] = { true, "network-outbound and network-bind have "
				    "ports" },
	[PROTECT_FS_IOCTL_DEV] = { true, "file-ioctl only where it may write" },
	[PROTECT_SIGNAL_SCOPE] = { true, "signals reach only its own "
					 "processes" },
	[PROTECT_ABSTRACT_SCOPE] = { true, "macOS has no abstract sockets" },
	[PROTECT_NAMESPACES] = { false, "macOS has no namespaces" },
	[PROTECT_CGROUPS] = { false, "macOS has no cgroups" },
	[PROTECT_DENY_REPLACE] = { true, "rules apply to names, not to files" },
};

const struct seatbelt_key *seatbelt_key(enum policy_key key)
{
	return keys[key].how ? &keys[key] : &unknown;
}

const struct seatbelt_protection *
seatbelt_protection(enum policy_protection protection)
{
	static const struct seatbelt_protection none = { false, "unknown" };

	return protections[protection].how ? &protections[protection] : &none;
}

bool seatbelt_is_asked(const struct policy *policy, enum policy_key key)
{
	const struct policy_key_info *info = policy_key_info(key);
	const void *value = policy_value(policy, key);

	if (!policy->set[key])
		return false;
	if (info->type == POLICY_TYPE_BOOL)
		return *(const bool *)value;
	if (key == KEY_HTTP_ALLOW || key == KEY_WORKDIR)
		return true;
	switch (info->type) {
	case POLICY_TYPE_PATHS:
	case POLICY_TYPE_DIRS:
	case POLICY_TYPE_TMPFS:
	case POLICY_TYPE_GROUPS:
	case POLICY_TYPE_CALLS:
		return ((const struct strings *)value)->n > 0;
	case POLICY_TYPE_MOUNTS:
		return ((const struct policy_mounts *)value)->n > 0;
	default:
		return true;
	}
}

bool seatbelt_loses(const struct policy *policy, enum policy_key key)
{
	return seatbelt_is_asked(policy, key) &&
	       seatbelt_key(key)->means == SEATBELT_CGROUPS &&
	       (policy_may_lack(policy, PROTECT_CGROUPS) ||
		policy_disables(policy, PROTECT_CGROUPS));
}

const char *seatbelt_refuses(struct arena *arena, const struct policy *policy,
			     enum policy_key key)
{
	const struct seatbelt_key *row = seatbelt_key(key);

	if (!seatbelt_is_asked(policy, key) || seatbelt_loses(policy, key))
		return NULL;
	if (row->means == SEATBELT_CGROUPS)
		return arena_printf(arena,
				    "%s cannot be enforced on macOS: %s: use "
				    "--config-allow-degraded cgroups to run "
				    "without it",
				    policy_key_name(key), row->how);
	if (key == KEY_GPU_DEVICES && policy->gpu_devices.n)
		return arena_printf(arena,
				    "%s cannot be enforced on macOS: GPUs "
				    "cannot be told apart: use an empty list "
				    "for all",
				    policy_key_name(key));
	if (row->means != SEATBELT_REFUSED)
		return NULL;
	return arena_printf(arena,
			    "%s cannot be enforced on macOS: %s: remove "
			    "the key",
			    policy_key_name(key), row->how);
}
