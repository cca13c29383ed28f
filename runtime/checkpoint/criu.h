/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/criu.h - a criu process that takes requests over a socket
 * and sends notifications, each of which needs an answer.
 *
 * It runs as `criu swrk`, so that a restored process is a child of the runtime.
 * The numbers below come from criu's images/rpc.proto.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;
struct pb;

enum criu_verb {
	CRIU_DUMP = 1,
	CRIU_RESTORE = 2,
	CRIU_PRE_DUMP = 4,
};

/* Features of the kernel to ask criu about. */
#define CRIU_TRACKS_MEMORY 1
#define CRIU_LAZY_PAGES 2

/* Fields of criu_opts. */
enum criu_option {
	CRIU_IMAGES_DIR_FD = 1,
	CRIU_PID = 2,
	CRIU_LEAVE_RUNNING = 3,
	CRIU_EXT_UNIX_SK = 4,
	CRIU_TCP_ESTABLISHED = 5,
	CRIU_EVASIVE_DEVICES = 6,
	CRIU_SHELL_JOB = 7,
	CRIU_FILE_LOCKS = 8,
	CRIU_LOG_LEVEL = 9,
	CRIU_LOG_FILE = 10,
	CRIU_PAGE_SERVER = 11, /* { 1: address, 2: port } */
	CRIU_NOTIFY_SCRIPTS = 12,
	CRIU_ROOT = 13,
	CRIU_PARENT_IMAGES = 14,
	CRIU_TRACK_MEMORY = 15,
	CRIU_AUTO_DEDUP = 16,
	CRIU_WORK_DIR_FD = 17,
	CRIU_LINK_REMAP = 18,
	CRIU_CGROUP_ROOT = 25, /* { 1: controller, 2: path } */
	CRIU_RESTORE_SIBLING = 26,
	CRIU_INHERIT_FD = 27, /* { 1: key, 2: descriptor } */
	CRIU_EXT_MASTERS = 30,
	CRIU_CGROUPS_MODE = 34,
	CRIU_EXTERNAL = 37,
	CRIU_EMPTY_NS = 38,
	CRIU_JOIN_NS = 39, /* { 1: type, 2: file } */
	CRIU_FREEZE_CGROUP = 44,
	CRIU_TCP_SKIP_IN_FLIGHT = 46,
	CRIU_LAZY = 48,
	CRIU_STATUS_FD = 49,
	CRIU_ORPHAN_PTS_MASTER = 50,
	CRIU_CONFIG_FILE = 51,
	CRIU_TCP_CLOSE = 52,
	CRIU_LSM_PROFILE = 53,
	CRIU_LSM_MOUNT_CONTEXT = 63,
	CRIU_NETWORK_LOCK = 64,
};

/* Descriptor numbers in the criu process: two directories, then those given. */
#define CRIU_IMAGES_FD 4
#define CRIU_WORK_FD 5
#define CRIU_FIRST_FD 6
#define CRIU_FDS 8

struct criu {
	struct arena *arena;
	const char *images, *work; /* absolute; the criu process opens them */
	bool own_group;		   /* not in our process group */
	/* Run it in its own mount namespace, with rootfs bound to root. */
	bool own_mounts;
	const char *rootfs, *root;
	bool own_cgroups; /* run it in its own cgroup namespace */
	int fds[CRIU_FDS];
	size_t nfds;
	/* Called after the fork, before the child acts; may be NULL. */
	int (*on_fork)(struct criu *criu);
	/*
	 * Called for each notification ("post-restore" and others) with the pid
	 * of the first process and a descriptor (taken, or -1). A negative
	 * value makes criu give up.
	 */
	int (*on_news)(struct criu *criu, const char *news, pid_t pid, int *fd);
	void *owner; /* for the two callbacks */
	pid_t pid;
	int link;
};

#define CRIU_NONE          \
	{                  \
		.link = -1 \
	}
#define autocriu AUTO(criu_close)

/* Start the program of --criu or PATH; fail if it is too old. */
int criu_start(struct criu *criu, struct arena *arena, const char *given);
/* Ask whether the kernel has a feature (CRIU_TRACKS_MEMORY, …). */
int criu_can(struct criu *criu, unsigned int feature, bool *ret);
/*
 * Make one request and wait until it is done; ret_pid is the restored process.
 * -EREMOTEIO if criu failed; its log has details.
 */
int criu_call(struct criu *criu, enum criu_verb verb, const struct pb *options,
	      pid_t *ret_pid);
void criu_close(struct criu *criu);

/* Return the last errors in criu's log; "" if there are none. */
const char *criu_log_errors(struct arena *arena, int dir, const char *name);
