/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/policy_samples.h - a value of every key, as doors spell it. */
#pragma once

#include "tests/unit/policy_doors.h"

struct sample {
	const char *annotation;
	const char *toml;
	const char *flags[MAX_WORDS];	/* --section-key=… each, up to NULL */
};

#define SWITCH { "true", "true", { "true" } }

static const struct sample samples[POLICY_KEYS] = {
	[POLICY_WORKDIR] = { "/w", "\"/w\"", { "/w" } },
	[POLICY_FS_STORAGE] = { "/s", "\"/s\"", { "/s" } },
	[POLICY_HTTP_CA] = { "/ca", "\"/ca\"", { "/ca" } },
	[POLICY_HTTP_KEY] = { "/key", "\"/key\"", { "/key" } },
	[POLICY_HTTP_INJECT_CA] = { "/a;-/b", "[\"/a\", \"-/b\"]",
				    { "/a", "-/b" } },
	[POLICY_HTTP_CA_OUT] = { "/out", "\"/out\"", { "/out" } },
	[POLICY_ALLOW_DEGRADED] = {
		"signal_scope;abstract_unix_socket_scope;deny_replace",
		"[\"signal_scope\", \"abstract_unix_socket_scope\", "
		"\"deny_replace\"]",
		{ "signal_scope", "abstract_unix_socket_scope",
		  "deny_replace" } },
	[POLICY_DISABLE] = {
		"fs_refer;fs_truncate;net_tcp;fs_ioctl_dev;namespaces;cgroups",
		"[\"fs_refer\", \"fs_truncate\", \"net_tcp\", "
		"\"fs_ioctl_dev\", \"namespaces\", \"cgroups\"]",
		{ "fs_refer", "fs_truncate", "net_tcp", "fs_ioctl_dev",
		  "namespaces", "cgroups" } },
	[POLICY_SUPERVISOR] = { "false", "false", { "false" } },

	[POLICY_RANDOM_SEED] = { "42", "42", { "42" } },
	[POLICY_TIME_START] = { "1767225600.5",
				"\"2026-01-01T00:00:00.5Z\"",
				{ "2026-01-01T00:00:00.5" } },
	[POLICY_DETERMINISTIC_DIRS] = SWITCH,
	[POLICY_NO_RANDOMIZE_MEMORY] = SWITCH,

	[POLICY_EXEC] = { "make", "\"make\"", { "make" } },
	[POLICY_ARGS] = { "-j;4", "[\"-j\", \"4\"]", { "-j", "4" } },
	[POLICY_CWD] = { "/d", "\"/d\"", { "/d" } },
	[POLICY_ENV] = { "{\"B\": \"2=3\", \"A\": \"\"}",
			 "{ A = \"\", B = \"2=3\" }", { "A=", "B=2=3" } },
	[POLICY_UID] = { "0", "0", { "0" } },
	[POLICY_GID] = { "1000", "1000", { "1000" } },
	[POLICY_CLEAN_ENV] = SWITCH,
	[POLICY_ALLOW_ENV] = { "PATH;LC_*;@standard",
			       "[\"PATH\", \"LC_*\", \"@standard\"]",
			       { "PATH", "LC_*", "@standard" } },
	[POLICY_DENY_ENV] = SWITCH,
	[POLICY_NO_COREDUMP] = SWITCH,
	[POLICY_NO_HUGE_PAGES] = SWITCH,
	[POLICY_EXCLUDED] = { "docker;/bin/x", "[\"docker\", \"/bin/x\"]",
			      { "docker", "/bin/x" } },
	[POLICY_ALLOW_UNSANDBOXED] = { "false", "false", { "false" } },
	[POLICY_WEAKER_NESTED] = SWITCH,

	[POLICY_READ] = { "/usr;@system;-/x",
			  "[\"/usr\", \"@system\", \"-/x\"]",
			  { "/usr", "@system", "-/x" } },
	[POLICY_WRITE] = { "[\"/a,b\", \"/c;d\"]", "[\"/a,b\", \"/c;d\"]",
			   { "/a,b", "/c;d" } },
	[POLICY_WRITE_ONLY] = { "/o", "[\"/o\"]", { "/o" } },
	[POLICY_EXECUTE] = { "[]", "[]", { "[]" } },
	[POLICY_DENY] = { "*.env;/p/**/k", "[\"*.env\", \"/p/**/k\"]",
			  { "*.env", "/p/**/k" } },
	[POLICY_DENY_READ] = { "@known-secrets", "[\"@known-secrets\"]",
			       { "@known-secrets" } },
	[POLICY_DENY_WRITE] = { "/n", "[\"/n\"]", { "/n" } },
	[POLICY_DENY_EXECUTE] = { "/e", "[\"/e\"]", { "/e" } },
	[POLICY_CHROOT] = { "/r", "\"/r\"", { "/r" } },
	[POLICY_MOUNT] = { "/a:/b;/c:/d:ro", "[\"/a:/b:rw\", \"/c:/d:ro\"]",
			   { "/a:/b", "/c:/d:ro" } },
	[POLICY_ON_EXIT] = { "abort", "\"abort\"", { "abort" } },
	[POLICY_ON_ERROR] = { "keep", "\"keep\"", { "keep" } },

	[POLICY_NET_MODE] = { "loopback", "\"loopback\"", { "loopback" } },
	[POLICY_NET_ALLOW] = { "[::1]:80;h:80,443",
			       "[\"[::1]:80\", \"h:80,443\"]",
			       { "[::1]:80", "h:80,443" } },
	[POLICY_NET_DENY] = { "udp://*:*", "[\"udp://*:*\"]",
			      { "udp://*:*" } },
	[POLICY_NET_BIND] = { "[80, \"90-99\"]", "[80, \"90-99\"]",
			      { "80", "90-99" } },
	[POLICY_NET_DENY_BIND] = { "80;*", "[\"80\", \"*\"]", { "80", "*" } },
	[POLICY_PORT_REMAP] = SWITCH,
	[POLICY_UNIX] = { "/run/x.sock", "[\"/run/x.sock\"]",
			  { "/run/x.sock" } },
	[POLICY_HTTP_PROXY_PORT] = { "8080", "8080", { "8080" } },
	[POLICY_SOCKS_PROXY_PORT] = { "1080", "1080", { "1080" } },
	[POLICY_ALLOW_LOCAL_BINDING] = SWITCH,

	[POLICY_HTTP_ALLOW] = { "GET h/*;* */x", "[\"GET h/*\", \"* */x\"]",
				{ "GET h/*", "* */x" } },
	[POLICY_HTTP_DENY] = { "* h/admin/*", "[\"* h/admin/*\"]",
			       { "* h/admin/*" } },
	[POLICY_HTTP_PORTS] = { "80;8080", "[80, 8080]", { "80", "8080" } },
	[POLICY_HTTP_CREDENTIALS] = {
		"{\"GET h/*\": \"X-Key: a=b\"}",
		"{ \"GET h/*\" = \"X-Key: a=b\" }", { "GET h/*=X-Key: a=b" } },

	[POLICY_EXTRA_ALLOW] = { "sysv_ipc", "[\"sysv_ipc\"]",
				 { "sysv_ipc" } },
	[POLICY_EXTRA_DENY] = { "openat;io", "[\"openat\", \"io\"]",
				{ "openat", "io" } },

	[POLICY_MEMORY] = { "512M", "\"512m\"", { "536870912" } },
	[POLICY_PROCESSES] = { "64", "64", { "64" } },
	[POLICY_TASKS] = { "128", "128", { "128" } },
	[POLICY_FORKS] = { "0", "0", { "0" } },
	[POLICY_OPEN_FILES] = { "256", "256", { "256" } },
	[POLICY_CPU] = { "50", "50", { "50" } },
	[POLICY_DISK] = { "1G", "\"1G\"", { "1g" } },
	[POLICY_GPU_DEVICES] = { "[]", "[]", { "[]" } },
	[POLICY_CPU_CORES] = { "0;2", "[0, 2]", { "0", "2" } },
	[POLICY_NUM_CPUS] = { "2", "2", { "2" } },
};
