/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/exec_process.h - make the process of `exec`: from a
 * file, or from flags over the container's own.
 */
#pragma once

#include <stdbool.h>

#include "oci/oci.h"
#include "runtime/container/container.h"
#include "runtime/sandlock-oci/commands.h"

struct exec_options {
	const char *console_socket;
	const char *pidfd_socket;
	const char *pid_file;
	const char *process_file;
	const char *cwd;
	const char *user;
	const char *process_label;
	const char *apparmor;
	const char *cgroup;
	struct strings env;
	struct strings caps;
	struct strings groups;
	bool tty;
	bool detach;
	bool no_new_privs;
	bool ignore_paused;
	bool no_subreaper;
	unsigned int preserve_fds;
};

#define EXEC_OPTIONS 18
extern const struct option_spec exec_option_table[EXEC_OPTIONS];

/* argv is the program and its arguments, unless a process file names them. */
int exec_process_make(struct arena *arena, const struct oci_spec *spec,
		      const struct exec_options *options, int argc, char **argv,
		      struct oci_process *ret);
