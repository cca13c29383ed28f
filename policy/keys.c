/* SPDX-License-Identifier: Apache-2.0 */
/* policy/keys.c - the table of all keys of a policy. */
#include "policy/keys.h"

#include <string.h>

#include "base/arena.h"
#include "base/util.h"

#define MAX_PORT 65535
#define MAX_ID (UINT32_MAX - 1) /* the kernel uses 2^32-1 for "none" */
#define MAX_CPU 8191
#define MAX_GPU 1023
#define MAX_PERCENT 102400 /* of one core */

#define KEY(section_, key_, type_, member_)          \
	.name = key_, .section = SECTION_##section_, \
	.type = POLICY_TYPE_##type_,                 \
	.offset = offsetof(struct policy, member_)
#define ASK .bundle = POLICY_BUNDLE_ASK
#define NEVER .bundle = POLICY_BUNDLE_NEVER
#define LATER .bundle = POLICY_BUNDLE_LATER
#define ENFORCED .enforced = true

static const char *const sections[SECTION_COUNT] = {
	[SECTION_CONFIG] = "config",	 [SECTION_DETERMINISM] = "determinism",
	[SECTION_PROGRAM] = "program",	 [SECTION_FILESYSTEM] = "filesystem",
	[SECTION_NETWORK] = "network",	 [SECTION_HTTP] = "http",
	[SECTION_SYSCALLS] = "syscalls", [SECTION_LIMITS] = "limits",
};

static const struct policy_key_info keys[KEY_COUNT] = {
	[KEY_WORKDIR] = { KEY(CONFIG, "config.workdir", DIRS, workdir),
			  ENFORCED, LATER, .filled = true, .flag = "workdir",
			  .about = "stage writes below these directories "
				   "until the end" },
	[KEY_FS_STORAGE] = { KEY(CONFIG, "config.fs_storage", PATH, fs_storage),
			     .host = true, ENFORCED, ASK,
			     .about = "directory for staged writes and their "
				      "journal" },
	[KEY_HTTP_CA] = { KEY(CONFIG, "config.http_ca", PATH, http_ca),
			  .host = true, ASK,
			  .about = "certificate (PEM) of the CA used to "
				   "inspect HTTPS" },
	[KEY_HTTP_KEY] = { KEY(CONFIG, "config.http_key", PATH, http_key),
			   .host = true, ASK,
			   .about = "private key (PEM) of that CA" },
	[KEY_HTTP_INJECT_CA] = { KEY(CONFIG, "config.http_inject_ca", PATHS,
				     http_inject_ca),
				 .about = "trust bundles inside the sandbox "
					  "that also get the active CA" },
	[KEY_HTTP_CA_OUT] = { KEY(CONFIG, "config.http_ca_out", PATH,
				  http_ca_out),
			      .host = true, ASK,
			      .about = "write the active CA's certificate "
				       "here" },
	[KEY_ALLOW_DEGRADED] = { KEY(CONFIG, "config.allow_degraded",
				     PROTECTIONS, allow_degraded),
				 ENFORCED,
				 .about = "protections that may be missing "
					  "where the host lacks them" },
	[KEY_DISABLE] = { KEY(CONFIG, "config.disable", PROTECTIONS, disable),
			  ENFORCED,
			  .about = "protections that are never enforced" },
	[KEY_STRICT] = { KEY(CONFIG, "config.strict", PROTECTIONS, strict),
			 ENFORCED,
			 .about = "protections that must be exact: an error "
				  "where they are best effort" },
	[KEY_SUPERVISOR] = { KEY(CONFIG, "config.supervisor", BOOL, supervisor),
			     ENFORCED,
			     .about = "true: have a supervisor even if no key "
				      "needs one; false: never" },

	[KEY_RANDOM_SEED] = { KEY(DETERMINISM, "determinism.random_seed", SEED,
				  random_seed),
			      .about = "seed for random bytes; the same seed "
				       "gives the same bytes" },
	[KEY_TIME_START] = { KEY(DETERMINISM, "determinism.time_start", TIME,
				 time_start),
			     .about = "start of the wall clock: seconds or RFC "
				      "3339" },
	[KEY_DETERMINISTIC_DIRS] = { KEY(DETERMINISM,
					 "determinism.deterministic_dirs", BOOL,
					 deterministic_dirs),
				     .about = "sort directory listings" },
	[KEY_NO_RANDOMIZE_MEMORY] = { KEY(DETERMINISM,
					  "determinism.no_randomize_memory",
					  BOOL, no_randomize_memory),
				      ENFORCED,
				      .about = "turn off address space layout "
					       "randomization" },

	[KEY_EXEC] = { KEY(PROGRAM, "program.exec", WORD, exec), ENFORCED,
		       NEVER, .about = "the program that the profile runs" },
	[KEY_ARGS] = { KEY(PROGRAM, "program.args", ARGS, args), ENFORCED,
		       NEVER,
		       .about = "its arguments, without the program name" },
	[KEY_CWD] = { KEY(PROGRAM, "program.cwd", PATH, cwd), ENFORCED, NEVER,
		      .flag = "cwd", .about = "its working directory" },
	[KEY_ENV] = { KEY(PROGRAM, "program.env", ENV, env), ENFORCED,
		      .flag = "env",
		      .about = "variables to set, after the filters below; "
			       "--env NAME takes the caller's value" },
	[KEY_UID] = { KEY(PROGRAM, "program.uid", NUMBER, uid), .max = MAX_ID,
		      NEVER, ENFORCED,
		      .about = "user id inside a user namespace; requires "
			       "program.gid" },
	[KEY_GID] = { KEY(PROGRAM, "program.gid", NUMBER, gid), .max = MAX_ID,
		      NEVER, ENFORCED,
		      .about = "group id inside a user namespace; requires "
			       "program.uid" },
	[KEY_CLEAN_ENV] = { KEY(PROGRAM, "program.clean_env", BOOL, clean_env),
			    ENFORCED,
			    .about = "start with only PATH, HOME, USER, TERM "
				     "and LANG" },
	[KEY_ALLOW_ENV] = { KEY(PROGRAM, "program.allow_env", NAMES, allow_env),
			    ENFORCED, .comma_flag = "allow-env",
			    .about = "variables to pass on: true, false or "
				     "names" },
	[KEY_DENY_ENV] = { KEY(PROGRAM, "program.deny_env", NAMES, deny_env),
			   ENFORCED, .comma_flag = "deny-env",
			   .about = "variables to hide, even if allowed" },
	[KEY_NO_COREDUMP] = { KEY(PROGRAM, "program.no_coredump", BOOL,
				  no_coredump),
			      ENFORCED, .about = "disable core dumps" },
	[KEY_NO_HUGE_PAGES] = { KEY(PROGRAM, "program.no_huge_pages", BOOL,
				    no_huge_pages),
				ENFORCED,
				.about = "disable transparent huge pages" },
	[KEY_EXCLUDED] = { KEY(PROGRAM, "program.excluded", COMMANDS, excluded),
			   NEVER, ENFORCED,
			   .about = "programs to run outside the sandbox, if "
				    "allowed" },
	[KEY_ALLOW_UNSANDBOXED] = { KEY(PROGRAM, "program.allow_unsandboxed",
					BOOL, allow_unsandboxed),
				    NEVER, ENFORCED,
				    .about = "false: refuse to run excluded "
					     "programs (default: true)" },
	[KEY_WEAKER_NESTED] = { KEY(PROGRAM, "program.weaker_nested", BOOL,
				    weaker_nested),
				ENFORCED,
				.about = "inside another container, do without "
					 "namespaces and cgroups" },

	[KEY_READ] = { KEY(FILESYSTEM, "filesystem.read", PATTERNS, read),
		       ENFORCED, .letter = 'r', .comma_flag = "allow-read",
		       .about = "paths it may read" },
	[KEY_WRITE] = { KEY(FILESYSTEM, "filesystem.write", PATTERNS, write),
			ENFORCED, .letter = 'w', .comma_flag = "allow-write",
			.about = "paths it may read and write" },
	[KEY_WRITE_ONLY] = { KEY(FILESYSTEM, "filesystem.write_only", PATTERNS,
				 write_only),
			     ENFORCED,
			     .about = "paths it may write, but read only if "
				      "listed as readable" },
	[KEY_EXECUTE] = { KEY(FILESYSTEM, "filesystem.execute", PATTERNS,
			      execute),
			  ENFORCED, .letter = 'x',
			  .comma_flag = "allow-execute",
			  .about = "paths it may execute (default: all it may "
				   "read)" },
	[KEY_DENY] = { KEY(FILESYSTEM, "filesystem.deny", DENIALS, deny),
		       ENFORCED,
		       .about = "paths it may not read, write or execute, even "
				"if allowed" },
	[KEY_DENY_READ] = { KEY(FILESYSTEM, "filesystem.deny_read", DENIALS,
				deny_read),
			    ENFORCED, .comma_flag = "deny-read",
			    .about = "paths it may not read, even if allowed" },
	[KEY_DENY_WRITE] = { KEY(FILESYSTEM, "filesystem.deny_write", DENIALS,
				 deny_write),
			     ENFORCED, .comma_flag = "deny-write",
			     .about = "paths it may not write, even if "
				      "allowed" },
	[KEY_DENY_EXECUTE] = { KEY(FILESYSTEM, "filesystem.deny_execute",
				   DENIALS, deny_execute),
			       ENFORCED, .comma_flag = "deny-execute",
			       .about = "paths it may not execute, even if "
					"allowed" },
	[KEY_CHROOT] = { KEY(FILESYSTEM, "filesystem.chroot", PATH, chroot),
			 .host = true, NEVER, ENFORCED, .flag = "chroot",
			 .about = "directory to use as the root" },
	[KEY_MOUNT] = { KEY(FILESYSTEM, "filesystem.mount", MOUNTS, mount),
			.host = true, ASK, ENFORCED, .flag = "mount",
			.about =
				"host directories to show inside the sandbox" },
	[KEY_TMPFS] = { KEY(FILESYSTEM, "filesystem.tmpfs", TMPFS, tmpfs),
			ENFORCED, .flag = "tmpfs",
			.about = "private, empty, writable directories, gone "
				 "at the end" },
	[KEY_ON_EXIT] = { KEY(FILESYSTEM, "filesystem.on_exit", BRANCH,
			      on_exit),
			  ENFORCED, LATER,
			  .about = "what to do with staged writes at "
				   "status 0 (default: commit)" },
	[KEY_ON_ERROR] = { KEY(FILESYSTEM, "filesystem.on_error", BRANCH,
			       on_error),
			   ENFORCED, LATER,
			   .about = "the same at other statuses (default: "
				    "abort)" },

	[KEY_NET_MODE] = { KEY(NETWORK, "network.mode", MODE, mode), ENFORCED,
			   .comma_flag = "allow-net",
			   .about = "no network, loopback only, or "
				    "unrestricted (default: deny)" },
	[KEY_NET_ALLOW] = { KEY(NETWORK, "network.allow", NET_RULES, net_allow),
			    ENFORCED, .flag = "net-allow",
			    .about = "destinations it may connect to" },
	[KEY_NET_DENY] = { KEY(NETWORK, "network.deny", NET_RULES, net_deny),
			   ENFORCED, .flag = "net-deny",
			   .comma_flag = "deny-net",
			   .about = "destinations it may not reach; "
				    "alone: all others are allowed" },
	[KEY_NET_BIND] = { KEY(NETWORK, "network.bind", PORTS, bind),
			   .alias = "network.allow_bind", .flag = "net-bind",
			   ENFORCED, .about = "TCP ports it may bind" },
	[KEY_NET_DENY_BIND] = { KEY(NETWORK, "network.deny_bind", PORTS,
				    deny_bind),
				ENFORCED,
				.about = "TCP ports it may not bind, even if "
					 "allowed" },
	[KEY_PUBLISH] = { KEY(NETWORK, "network.publish", BOOL, publish), NEVER,
			  ENFORCED,
			  .about = "publish single ports of network.bind on "
				   "the host's loopback (default: true)" },
	[KEY_PORT_REMAP] = { KEY(NETWORK, "network.port_remap", BOOL,
				 port_remap),
			     NEVER, ENFORCED,
			     .about = "publish a port under another number "
				      "if it is in use on the host" },
	[KEY_UNIX] = { KEY(NETWORK, "network.unix", PATHS, unix_), ENFORCED,
		       .about = "Unix sockets outside the sandbox it may "
				"connect to" },
	[KEY_HTTP_PROXY_PORT] = { KEY(NETWORK, "network.http_proxy_port",
				      NUMBER, http_proxy_port),
				  ENFORCED, NEVER, .min = 1, .max = MAX_PORT,
				  .about = "local HTTP proxy, the only way "
					   "out" },
	[KEY_SOCKS_PROXY_PORT] = { KEY(NETWORK, "network.socks_proxy_port",
				       NUMBER, socks_proxy_port),
				   ENFORCED, NEVER, .min = 1, .max = MAX_PORT,
				   .about = "local SOCKS proxy, the only way "
					    "out" },
	[KEY_ALLOW_LOCAL_BINDING] = { KEY(NETWORK,
					  "network.allow_local_binding", BOOL,
					  allow_local_binding),
				      ENFORCED,
				      .about = "it may bind any port of a "
					       "loopback address" },

	[KEY_HTTP_ALLOW] = { KEY(HTTP, "http.allow", HTTP_RULES, http_allow),
			     .about = "HTTP requests it may make" },
	[KEY_HTTP_DENY] = { KEY(HTTP, "http.deny", HTTP_RULES, http_deny),
			    .about = "HTTP requests it may not make, even if "
				     "allowed" },
	[KEY_HTTP_PORTS] = { KEY(HTTP, "http.ports", NUMBERS, http_ports),
			     .min = 1, .max = MAX_PORT, .filled = true,
			     .about = "TCP ports redirected to the proxy "
				      "(default: 80; 443 with a CA)" },
	[KEY_HTTP_CREDENTIALS] = { KEY(HTTP, "http.credentials", CREDENTIALS,
				       credentials),
				   ASK,
				   .about = "header to add to requests, never "
					    "visible inside" },

	[KEY_EXTRA_ALLOW] = { KEY(SYSCALLS, "syscalls.extra_allow", GROUPS,
				  extra_allow),
			      ENFORCED,
			      .about =
				      "groups of system calls to allow again" },
	[KEY_EXTRA_DENY] = { KEY(SYSCALLS, "syscalls.extra_deny", CALLS,
				 extra_deny),
			     ENFORCED,
			     .about = "system calls, or groups, to block in "
				      "addition" },

	[KEY_MEMORY] = { KEY(LIMITS, "limits.memory", SIZE, memory), ENFORCED,
			 .letter = 'm', .flag = "memory",
			 .about = "memory limit of the whole sandbox, page "
				  "cache included" },
	[KEY_PROCESSES] = { KEY(LIMITS, "limits.processes", NUMBER, processes),
			    .min = 1, .max = INT32_MAX, ENFORCED, .letter = 'P',
			    .flag = "processes",
			    .about = "processes at a time" },
	[KEY_TASKS] = { KEY(LIMITS, "limits.tasks", NUMBER, tasks), .min = 1,
			.max = INT32_MAX, ENFORCED,
			.about = "processes and threads at a time" },
	[KEY_FORKS] = { KEY(LIMITS, "limits.forks", NUMBER, forks),
			.max = INT32_MAX,
			.about = "processes in the whole lifetime" },
	[KEY_OPEN_FILES] = { KEY(LIMITS, "limits.open_files", NUMBER,
				 open_files),
			     .min = 1, .max = INT32_MAX, ENFORCED,
			     .about = "open files per process" },
	[KEY_CPU] = { KEY(LIMITS, "limits.cpu", NUMBER, cpu), .min = 1,
		      .max = MAX_PERCENT, ENFORCED,
		      .about = "CPU time in percent of one core, for the whole "
			       "sandbox" },
	[KEY_DISK] = { KEY(LIMITS, "limits.disk", SIZE, disk),
		       .about = "space for staged writes" },
	[KEY_GPU_DEVICES] = { KEY(LIMITS, "limits.gpu_devices", NUMBERS,
				  gpu_devices),
			      .max = MAX_GPU, ENFORCED, .flag = "gpu",
			      .about = "GPUs available inside; an empty list "
				       "means all" },
	[KEY_CPU_CORES] = { KEY(LIMITS, "limits.cpu_cores", NUMBERS, cpu_cores),
			    .max = MAX_CPU, .filled = true, ENFORCED,
			    .about = "CPU cores to run on" },
	[KEY_NUM_CPUS] = { KEY(LIMITS, "limits.num_cpus", NUMBER, num_cpus),
			   .min = 1, .max = MAX_CPU + 1,
			   .about = "number of CPUs visible inside" },
};

const struct policy_key_info *policy_key_info(enum policy_key key)
{
	return &keys[key];
}

const char *policy_key_name(enum policy_key key)
{
	return keys[key].name;
}

const char *policy_section_name(enum policy_section section)
{
	return sections[section];
}

int policy_section_find(const char *name)
{
	for (int i = 0; i < SECTION_COUNT; i++)
		if (streq(sections[i], name))
			return i;
	return -1;
}

int policy_key_find(const char *name)
{
	for (int i = 0; i < KEY_COUNT; i++)
		if (streq(keys[i].name, name) ||
		    (keys[i].alias && streq(keys[i].alias, name)))
			return i;
	return -1;
}

/* Return "key" of "section.key". */
static const char *last_part(const char *name)
{
	return strchr(name, '.') + 1;
}

const char *const *policy_section_keys(struct arena *arena,
				       enum policy_section section)
{
	const char **names = arena_array(arena, KEY_COUNT + 1, sizeof *names);
	size_t n = 0;

	for (int i = 0; names && i < KEY_COUNT; i++)
		if (keys[i].section == section)
			names[n++] = last_part(keys[i].name);
	return names;
}

const char *const *policy_section_names(struct arena *arena)
{
	const char **names =
		arena_array(arena, SECTION_COUNT + 1, sizeof *names);

	if (names)
		memcpy(names, sections, sizeof sections);
	return names;
}

int policy_key_find_in(enum policy_section section, const char *name)
{
	for (int i = 0; i < KEY_COUNT; i++)
		if (keys[i].section == section &&
		    (streq(last_part(keys[i].name), name) ||
		     (keys[i].alias && streq(last_part(keys[i].alias), name))))
			return i;
	return -1;
}
