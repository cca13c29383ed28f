/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/policed_files.h - what Landlock is to hold in a container's root.
 *
 * Settled once, when the container is created, and kept in its state
 * directory: a workload that writes below an allowed path must not choose
 * what the next process gets.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct policed;
struct oci_process;

struct policed_files {
	struct arena *arena;
	const struct policed *policed;
	const struct oci_process *process;	/* its environment and directory */
	int proc;
	int root;		/* the container's */
	int userns;		/* -1: our own; else its files are seen from there */
	int state;		/* the state directory */
	bool own_pids, own_net;	/* namespaces that nobody else is in */
	bool has_console;	/* standard descriptors are a terminal inside */
	uint32_t *degraded;	/* gets what is missing here; or NULL */
};

/* A new ruleset, closed on exec, for a container that is being created. */
int policed_files_create(const struct policed_files *files);
/* The same for one more process. */
int policed_files_load(const struct policed_files *files);
