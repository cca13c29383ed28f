/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/policy_samples.h - a value of every key, as doors spell it. */
#pragma once

#include "tests/unit/policy_doors.h"

struct sample {
	const char *annotation;
	const char *toml;
	const char *flags[8]; /* --section-key=… each, up to NULL */
};

#define SWITCH                  \
	{                       \
		"true", "true", \
		{               \
			"true"  \
		}               \
	}

static const struct sample samples[KEY_COUNT] = {
	[KEY_WORKDIR] = { "/w", "\"/w\"", { "/w" } },
	[KEY_FS_STORAGE] = { "/s", "\"/s\"", { "/s" } },
	[KEY_HTTP_CA] = { "/ca", "\"/ca\"", { "/ca" } },
	[KEY_HTTP_KEY] = { "/key", "\"/key\"", { "/key" } },
	[KEY_HTTP_INJECT_CA] = { "/a;-/b",
				 "[\"/a\", \"-/b\"]",
				 { "/a", "-/b" } },
	[KEY_HTTP_CA_OUT] = { "/out", "\"/out\"", { "/out" } },
	[KEY_ALLOW_DEGRADED] = { "signal_scope;abstract_unix_socket_scope;deny_replace",
				 "[\"signal_scope\", \"abstract_unix_socket_scope\", "
				 "\"deny_replace\"]",
				 { "signal_scope", "abstract_unix_socket_scope",
				   "deny_replace" } },
	[KEY_DISABLE] = { "fs_refer;fs_truncate;net_tcp;fs_ioctl_dev;namespaces;cgroups",
			  "[\"fs_refer\", \"fs_truncate\", \"net_tcp\", "
			  "\"fs_ioctl_dev\", \"namespaces\", \"cgroups\"]",
			  { "fs_refer", "fs_truncate", "net_tcp",
			    "fs_ioctl_dev", "namespaces", "cgroups" } },
	[KEY_STRICT] = { "deny_replace;namespaces",
			 "[\"deny_replace\", \"namespaces\"]",
			 { "deny_replace", "namespaces" } },
	[KEY_SUPERVISOR] = { "false", "false", { "false" } },

	[KEY_RANDOM_SEED] = { "42", "42", { "42" } },
	[KEY_TIME_START] = { "1767225600.5",
			     "\"2026-01-01T00:00:00.5Z\"",
			     { "2026-01-01T00:00:00.5" } },
	[KEY_DETERMINISTIC_DIRS] = SWITCH,
	[KEY_NO_RANDOMIZE_MEMORY] = SWITCH,

	[KEY_EXEC] = { "make", "\"make\"", { "make" } },
	[KEY_ARGS] = { "-j;4", "[\"-j\", \"4\"]", { "-j", "4" } },
	[KEY_CWD] = { "/d", "\"/d\"", { "/d" } },
	[KEY_ENV] = { "{\"B\": \"2=3\", \"A\": \"\"}",
		      "{ A = \"\", B = \"2=3\" }",
		      { "A=", "B=2=3" } },
	[KEY_UID] = { "0", "0", { "0" } },
	[KEY_GID] = { "1000", "1000", { "1000" } },
	[KEY_CLEAN_ENV] = SWITCH,
	[KEY_ALLOW_ENV] = { "PATH;LC_*;@standard",
			    "[\"PATH\", \"LC_*\", \"@standard\"]",
			    { "PATH", "LC_*", "@standard" } },
	[KEY_DENY_ENV] = SWITCH,
	[KEY_NO_COREDUMP] = SWITCH,
	[KEY_NO_HUGE_PAGES] = SWITCH,
	[KEY_EXCLUDED] = { "docker;/bin/x",
			   "[\"docker\", \"/bin/x\"]",
			   { "docker", "/bin/x" } },
	[KEY_ALLOW_UNSANDBOXED] = { "false", "false", { "false" } },
	[KEY_WEAKER_NESTED] = SWITCH,

	[KEY_READ] = { "/usr;@system;-/x",
		       "[\"/usr\", \"@system\", \"-/x\"]",
		       { "/usr", "@system", "-/x" } },
	[KEY_WRITE] = { "[\"/a,b\", \"/c;d\"]",
			"[\"/a,b\", \"/c;d\"]",
			{ "/a,b", "/c;d" } },
	[KEY_WRITE_ONLY] = { "/o", "[\"/o\"]", { "/o" } },
	[KEY_EXECUTE] = { "[]", "[]", { "[]" } },
	[KEY_DENY] = { "*.env;/p/**/k",
		       "[\"*.env\", \"/p/**/k\"]",
		       { "*.env", "/p/**/k" } },
	[KEY_DENY_READ] = { "@known-secrets",
			    "[\"@known-secrets\"]",
			    { "@known-secrets" } },
	[KEY_DENY_WRITE] = { "/n", "[\"/n\"]", { "/n" } },
	[KEY_DENY_EXECUTE] = { "/e", "[\"/e\"]", { "/e" } },
	[KEY_CHROOT] = { "/r", "\"/r\"", { "/r" } },
	[KEY_MOUNT] = { "/a:/b;/c:/d:ro",
			"[\"/a:/b:rw\", \"/c:/d:ro\"]",
			{ "/a:/b", "/c:/d:ro" } },
	[KEY_TMPFS] = { "/tmp;/c:64M",
			"[\"/tmp\", \"/c:64MiB\"]",
			{ "/tmp", "/c:67108864" } },
	[KEY_ON_EXIT] = { "abort", "\"abort\"", { "abort" } },
	[KEY_ON_ERROR] = { "keep", "\"keep\"", { "keep" } },

	[KEY_NET_MODE] = { "loopback", "\"loopback\"", { "loopback" } },
	[KEY_NET_ALLOW] = { "[::1]:80;h:80,443",
			    "[\"[::1]:80\", \"h:80,443\"]",
			    { "[::1]:80", "h:80,443" } },
	[KEY_NET_DENY] = { "udp://*:*", "[\"udp://*:*\"]", { "udp://*:*" } },
	[KEY_NET_BIND] = { "[80, \"90-99\"]",
			   "[80, \"90-99\"]",
			   { "80", "90-99" } },
	[KEY_NET_DENY_BIND] = { "80;*", "[\"80\", \"*\"]", { "80", "*" } },
	[KEY_PUBLISH] = SWITCH,
	[KEY_PORT_REMAP] = SWITCH,
	[KEY_UNIX] = { "/run/x.sock", "[\"/run/x.sock\"]", { "/run/x.sock" } },
	[KEY_HTTP_PROXY_PORT] = { "8080", "8080", { "8080" } },
	[KEY_SOCKS_PROXY_PORT] = { "1080", "1080", { "1080" } },
	[KEY_ALLOW_LOCAL_BINDING] = SWITCH,

	[KEY_HTTP_ALLOW] = { "GET h/*;* */x",
			     "[\"GET h/*\", \"* */x\"]",
			     { "GET h/*", "* */x" } },
	[KEY_HTTP_DENY] = { "* h/admin/*",
			    "[\"* h/admin/*\"]",
			    { "* h/admin/*" } },
	[KEY_HTTP_PORTS] = { "80;8080", "[80, 8080]", { "80", "8080" } },
	[KEY_HTTP_CREDENTIALS] = { "{\"GET h/*\": \"X-Key: a=b\"}",
				   "{ \"GET h/*\" = \"X-Key: a=b\" }",
				   { "GET h/*=X-Key: a=b" } },

	[KEY_EXTRA_ALLOW] = { "sysv_ipc", "[\"sysv_ipc\"]", { "sysv_ipc" } },
	[KEY_EXTRA_DENY] = { "openat;io",
			     "[\"openat\", \"io\"]",
			     { "openat", "io" } },

	[KEY_MEMORY] = { "512M", "\"512m\"", { "536870912" } },
	[KEY_PROCESSES] = { "64", "64", { "64" } },
	[KEY_TASKS] = { "128", "128", { "128" } },
	[KEY_FORKS] = { "0", "0", { "0" } },
	[KEY_OPEN_FILES] = { "256", "256", { "256" } },
	[KEY_CPU] = { "50", "50", { "50" } },
	[KEY_DISK] = { "1G", "\"1G\"", { "1g" } },
	[KEY_GPU_DEVICES] = { "[]", "[]", { "[]" } },
	[KEY_CPU_CORES] = { "0;2", "[0, 2]", { "0", "2" } },
	[KEY_NUM_CPUS] = { "2", "2", { "2" } },
};
