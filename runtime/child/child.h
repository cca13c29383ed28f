/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/child/child.h - the code that runs between clone and exec.
 *
 * child.c walks the plan; the other files perform the steps. None of them
 * allocates, formats or locks, and tests/unit/child-symbols.sh checks that. A
 * step function returns 0, or -1 and errno.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/plan/plan.h"

/* Identifies a directory, and the mount through which it was opened. */
struct place {
	uint64_t inode, mount, device;
};

/* The state of the child while it walks the plan; the plan itself is const. */
struct child {
	const struct plan *plan;
	int *slots;
	int link;
	bool in_cwd;	    /* the first, privileged STEP_CWD succeeded */
	bool point_created; /* by the last STEP_MOUNT_POINT */
	bool point_is_proc; /* the root of a procfs, before anything covers it */
	const char *tried;  /* by STEP_FRESH_MOUNT, which made the directory */
	const char *point_name; /* not opened, but a new entry of point_dir */
	int point_dir;		/* a mount that no other process has seen */
	uint16_t cwd; /* slot of the working directory; SLOT_NONE: unknown */
	struct place root; /* of SLOT_ROOT; mount 0: not asked yet */
	struct place empty_mask, null_mask; /* what a masked path shows */
	uint64_t plain_device; /* known not to be a procfs; 0: none */
	bool keeps_modes;      /* the umask is 0; `mask` is restored later */
	mode_t mask;
	int parent; /* directory that the last step created in; -1: none */
	const char *parent_path;
	size_t parent_len;
	const struct step *node; /* made in it as planned; NULL: none yet */
	bool knows_stdio;	 /* the next is filled in */
	bool stdio_is_pipe[3];
	char note[128]; /* added to FAILED; empty if errno is enough */
};

_Noreturn void child_run(const struct plan *plan);

/*
 * The steps of mount.c, console.c, process.c and exec.c; a table in child.c
 * says which function runs which step.
 */
int child_mount_step(struct child *child, const struct step *step);
int child_console_step(struct child *child, const struct step *step);
int child_process_step(struct child *child, const struct step *step);
int child_exec_step(struct child *child, const struct step *step);

/* STEP_REAPER (reaper.c). */
int child_reaper_step(const struct step *step);

/*
 * Block every signal and return a descriptor to read them from (signals.c).
 * While the child waits for fd, each signal has its default effect.
 */
int child_signals_open(void);
void child_signals_wait(int signals, int fd);

/* Send a word on the link, and wait for GO (child.c). fds may be NULL. */
int child_say(struct child *child, uint32_t word, const int *fds, size_t nfds);
int child_wait_go(struct child *child);
/* STEP_SOURCE */
int child_ask_source(struct child *child, const struct step *step);
/* Store fd in a slot and close the descriptor that was there. */
void child_put(struct child *child, uint16_t slot, int fd);
/* Keep a note for FAILED, truncated to fit. */
void child_note(struct child *child, const char *text);
