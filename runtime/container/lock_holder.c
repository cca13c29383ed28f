/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/lock_holder.c - find and kill the process that holds a lock. */
#include "runtime/container/lock_holder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/sys.h"

#define END_MS 10000
/* A command has few children: its child, an earlier child, and a hook. */
#define CHILDREN 16

static void fclosep(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

static FILE *open_below(int proc, const char *name)
{
	int fd = proc_open_at(proc, name, O_RDONLY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

pid_t lock_holder_pid(const struct container *container)
{
	autoclose int proc = proc_open();
	AUTO(fclosep) FILE *locks = proc < 0 ? NULL : open_below(proc, "locks");
	char line[256];
	struct stat st;

	if (!locks || fstat(container->dir, &st) < 0)
		return 0;
	while (fgets(line, sizeof line, locks)) {
		unsigned int major, minor;
		unsigned long inode;
		int pid;

		/* The line of a process that waits for a lock has "->". */
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &pid,
			   &major, &minor, &inode) == 4 &&
		    pid > 0 && inode == st.st_ino &&
		    makedev(major, minor) == st.st_dev)
			return pid;
	}
	return 0;
}

int lock_holder_fail(const struct container *container)
{
	pid_t pid = lock_holder_pid(container);

	if (pid > 0)
		return fail(
			EBUSY,
			"process %d is working on %s (kill it, or wait for it)",
			pid, container->id);
	return fail(EBUSY,
		    "another command is working on container %s (wait for "
		    "its end)",
		    container->id);
}

/*
 * The process that the record names still runs (by its start time) and holds
 * the lock: no other process can, until the record is kept.
 */
static bool is_maker(int proc, const struct container *container)
{
	const struct oci_record *record = &container->record;
	uint64_t start;
	bool ends;

	if (container->broken || record->maker <= 0 ||
	    container_this_boot(container) <= 0 ||
	    (record->kept && lock_holder_pid(container) != record->maker))
		return false;
	return proc_life(proc, record->maker, &start, &ends) >= 0 &&
	       start == record->maker_start && !ends;
}

bool lock_holder_is_stopped(const struct container *container)
{
	autoclose int proc = proc_open();
	uint64_t start;
	char state;

	return proc >= 0 && is_maker(proc, container) &&
	       proc_stat(proc, container->record.maker, &start, &state) >= 0 &&
	       (state == 'T' || state == 't');
}

/* Kill the children, too: a stopped child would keep the lock. */
static size_t open_children(int proc, pid_t parent, int *ret)
{
	AUTO(fclosep) FILE *list = NULL;
	char name[64];
	size_t n = 0;
	int pid;

	snprintf(name, sizeof name, "%d/task/%d/children", parent, parent);
	list = open_below(proc, name);
	while (list && n < CHILDREN && fscanf(list, "%d", &pid) == 1) {
		autoclose int pidfd = sys_pidfd_open(pid);

		/* Checked after opening, to notice a reused pid. */
		if (pidfd >= 0 && proc_parent(proc, pid) == parent)
			ret[n++] = take_fd(&pidfd);
	}
	return n;
}

int lock_holder_end(const struct container *container)
{
	pid_t maker = container->record.maker;
	autoclose int proc = proc_open();
	autoclose int pidfd = maker > 0 ? sys_pidfd_open(maker) : -1;
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	int children[CHILDREN], r = 0;
	size_t n;

	if (proc < 0)
		return proc;
	n = pidfd < 0 ? 0 : open_children(proc, maker, children);
	/* Check after opening, so that a reused pid is noticed. */
	if (pidfd < 0 || !is_maker(proc, container))
		r = lock_holder_fail(container);
	else if (sys_pidfd_send_signal(pidfd, SIGKILL) < 0 && errno != ESRCH)
		r = fail(errno, "kill process %d, which is working on %s",
			 maker, container->id);
	for (size_t i = 0; i < n; i++) {
		if (r == 0)
			(void)sys_pidfd_send_signal(children[i], SIGKILL);
		closep(&children[i]);
	}
	if (r == 0)
		(void)poll(&p, 1, END_MS);
	return r;
}
