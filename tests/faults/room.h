/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/room.h - namespaces to break things in, and what runs there.
 *
 * The process that enters is its process 1: every orphan becomes its child, and
 * when it ends, they do, and so do its mounts, interfaces and shared memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MOST_WORDS 24

/* Where a file could be left: a core, half a pid file, or a name of memory. */
enum place { ROOTFS, BOUND, HERE, PIDS, QUEUES, SHARED, PLACES };

struct room {
	const char *runtime; /* its program */
	const char *dir;     /* bundles `hold` and `once`, and a `rootfs` */
	const char *cgroup;  /* the parent of all cgroups, with a slash */
	const char *id; /* a unique one, or NULL: IDs like those of others */
	char state[256], pid_file[256], program[256];
	char places[PLACES][256];
	int null, out, err;
	int number; /* what NUMBER stands for */
};

/* Say what failed, with errno, and end. */
_Noreturn void die(const char *what);

/* Fork into it; only process 1 of it returns. */
void room_enter(struct room *room);

/* As crun has it: no second kind of cgroups. */
void room_hide_unified(void);

/* A command line as argv; ID, PIDFILE, NUMBER and BUNDLE/ are filled in. */
void room_words(const struct room *room, const char *id, const char *line,
		char *ret[MOST_WORDS]);

void room_free(char *words[MOST_WORDS]);

/* Its status as from wait, or -1 when it hung. */
int room_run(const struct room *room, const char *id, const char *line);

/*
 * Wait for a child, -1 when it takes longer, and reap all others meanwhile: the
 * first process of a pid namespace ends after the last one is reaped.
 */
int room_wait(pid_t pid, int ms);

/* What was written to one of the two files since it was emptied. */
size_t room_read(int fd, char *text, size_t size);
void room_empty(int fd);

double now(void);
void nap(void);
