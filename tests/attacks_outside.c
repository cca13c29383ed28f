/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/attacks_outside.c - the attacks that look for a process outside, or for
 * what it has.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <linux/fs.h>
#include <linux/kcmp.h>
#include <linux/perf_event.h>
#include <linux/rtnetlink.h>
#include <mqueue.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attacks.h"

#define MOST_BYTES (1 << 20)

/* ---- files, by way of /proc ---- */

static long refused(void)
{
	if (!errno)
		errno = ENOENT;
	return -1;
}

/* Has the file the canary in it? A pipe could keep us waiting. */
static bool has_canary(const char *path)
{
	static char bytes[MOST_BYTES];
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, bytes, sizeof bytes);
	close(fd);
	return n > 0 &&
	       memmem(bytes, (size_t)n, CANARY, strlen(CANARY)) != NULL;
}

static long read_below(const char *folder)
{
	char path[8192];

	snprintf(path, sizeof path, "%s%s", folder, target.secret);
	return has_canary(path) ? 0 : refused();
}

static long read_it(void)
{
	return read_below("");
}

static long own_root(void)
{
	return read_below("/proc/self/root");
}

static long root_of_thread(void)
{
	return read_below("/proc/thread-self/root");
}

static long climb_from_own_directory(void)
{
	return read_below("/proc/self/cwd/../../../../../../../../../../../..");
}

/* The first process, or thread of one, for which it holds. */
static long any_process(bool (*holds)(const char *folder))
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char path[512];

	while (dir && (entry = readdir(dir))) {
		if (atoi(entry->d_name) <= 0)
			continue;
		snprintf(path, sizeof path, "/proc/%s", entry->d_name);
		if (holds(path))
			return 0;
	}
	return refused();
}

static bool in_root(const char *folder)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/root", folder);
	return read_below(path) == 0;
}

static bool in_root_of_task(const char *folder)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/task/%s/root", folder,
		 strrchr(folder, '/') + 1);
	return read_below(path) == 0;
}

static bool in_directory(const char *folder)
{
	char path[8192];

	snprintf(path, sizeof path, "%s/cwd%s", folder,
		 strrchr(target.secret, '/'));
	return has_canary(path);
}

/* Files as long as the secret; nothing else is worth opening. */
static bool in_links(const char *folder, const char *kind)
{
	char path[1024];
	struct dirent *entry;
	struct stat st;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof path, "%s/%s", folder, kind);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof path, "%s/%s/%s", folder, kind,
			 entry->d_name);
		found = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
			st.st_size == sizeof CANARY && has_canary(path);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool in_maps(const char *folder)
{
	return in_links(folder, "map_files");
}

static bool in_descriptors(const char *folder)
{
	return in_links(folder, "fd");
}

static bool in_environment(const char *folder)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/environ", folder);
	return has_canary(path);
}

static bool in_arguments(const char *folder)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/cmdline", folder);
	return has_canary(path);
}

static long root_of_others(void)
{
	return any_process(in_root);
}

static long root_of_tasks(void)
{
	return any_process(in_root_of_task);
}

static long directory_of_others(void)
{
	return any_process(in_directory);
}

static long maps_of_others(void)
{
	return any_process(in_maps);
}

static long descriptors_of_others(void)
{
	return any_process(in_descriptors);
}

static long environment_of_others(void)
{
	return any_process(in_environment);
}

static long arguments_of_others(void)
{
	return any_process(in_arguments);
}

static long memory_of_other(void)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/mem", target.other);
	return open(path, O_RDONLY);
}

/* ---- that there is a file, and what becomes of it ---- */

static long see_it(void)
{
	struct stat st;

	return stat(target.secret, &st);
}

static long ask_for_it(void)
{
	return access(target.secret, R_OK);
}

static long go_there(void)
{
	char folder[4096];

	snprintf(folder, sizeof folder, "%s", target.secret);
	if (chdir(dirname(folder)) < 0)
		return -1;
	return access(strrchr(target.secret, '/') + 1, F_OK);
}

/* The test has made a link beside it. */
static long read_link(void)
{
	char path[4096], text[16];

	snprintf(path, sizeof path, "%s.link", target.secret);
	return readlink(path, text, sizeof text);
}

static long watch_it(void)
{
	return inotify_add_watch(inotify_init1(0), target.secret,
				 IN_ALL_EVENTS);
}

/* ---- devices ---- */

/* Without freezing anything: that cannot be done to this file system. */
static long freeze(void)
{
	if (ioctl(open("/proc", O_RDONLY), FIFREEZE, 0) == 0 ||
	    errno == EOPNOTSUPP)
		return 0;
	return -1;
}

/* A node that not every container has; to open a watchdog starts it. */
static int is_special(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	static const char *const usual[] = {
		"null", "zero",	  "full", "random",   "urandom",
		"tty",	"ptmx",	  "0",	  "watchdog", "console",
		"1",	"stdout", "2",
	};
	const char *name = path + at->base;
	int fd;

	if (kind != FTW_F || !(S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode)))
		return 0;
	for (size_t i = 0; i < COUNT(usual); i++)
		if (strcmp(name, usual[i]) == 0)
			return 0;
	if (strncmp(path, "/dev/pts/", 9) == 0 ||
	    strncmp(name, "watchdog", 8) == 0)
		return 0;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	close(fd);
	return 1;
}

static long open_device(void)
{
	return nftw("/dev", is_special, 16, FTW_PHYS) == 1 ? 0 : refused();
}

/* ---- netlink ---- */

static long diagnose(void)
{
	return socket(AF_NETLINK, SOCK_DGRAM, 4);
}

/* type RTM_NEWADDR or RTM_DELADDR, of 127.77.77.77 on lo. */
static int change_address(int fd, uint16_t type, uint16_t flags)
{
	struct {
		struct nlmsghdr head;
		struct ifaddrmsg body;
		struct rtattr attr;
		uint8_t address[4];
	} ask = {
		.head = { sizeof ask, type,
			  (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags), 1, 0 },
		.body = { AF_INET, 32, 0, RT_SCOPE_HOST, 1 },
		.attr = { sizeof ask.attr + 4, IFA_LOCAL },
		.address = { 127, 77, 77, 77 },
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr body;
		char rest[512];
	} answer;

	if (send(fd, &ask, sizeof ask, 0) < 0 ||
	    recv(fd, &answer, sizeof answer, 0) < (ssize_t)sizeof answer.head)
		return -1;
	errno = -answer.body.error;
	return errno ? -1 : 0;
}

static long add_address(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	if (fd < 0 ||
	    change_address(fd, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL) < 0)
		return -1;
	return change_address(fd, RTM_DELADDR, 0);
}

/* ---- processes: nothing changes where it works ---- */

static long signal_other(void)
{
	return kill(target.other, 0);
}

static long limit_other(void)
{
	struct rlimit limit;

	if (prlimit(target.other, RLIMIT_CPU, NULL, &limit) < 0)
		return -1;
	return prlimit(target.other, RLIMIT_CPU, &limit, NULL);
}

static long set_priority(int kind)
{
	int nice = getpriority(kind, (id_t)target.other);

	return errno ? -1 : setpriority(kind, (id_t)target.other, nice);
}

static long priority_of_other(void)
{
	return set_priority(PRIO_PROCESS);
}

static long priority_of_group(void)
{
	return set_priority(PRIO_PGRP);
}

static long io_priority_of_other(void)
{
	long now = call(SYS_ioprio_get, 1, target.other, 0, 0);

	return now < 0 ? -1 : call(SYS_ioprio_set, 1, target.other, now, 0);
}

static long scheduler_of_other(void)
{
	struct sched_param none = { 0 };

	return sched_setscheduler(target.other, SCHED_OTHER, &none);
}

static long parameter_of_other(void)
{
	struct sched_param none = { 0 };

	return sched_setparam(target.other, &none);
}

static long attributes_of_other(void)
{
	uint64_t attr[7] = { 0 };

	if (call(SYS_sched_getattr, target.other, (long)attr, sizeof attr, 0) <
	    0)
		return -1;
	return call(SYS_sched_setattr, target.other, (long)attr, 0, 0);
}

static long cores_of_other(void)
{
	cpu_set_t set;

	if (sched_getaffinity(target.other, sizeof set, &set) < 0)
		return -1;
	return sched_setaffinity(target.other, sizeof set, &set);
}

static long pages_of_other(void)
{
	return syscall(SYS_move_pages, target.other, 0L, NULL, NULL, NULL, 0);
}

static long nodes_of_other(void)
{
	unsigned long node = 1;

	return call(SYS_migrate_pages, target.other, 2, (long)&node,
		    (long)&node);
}

static long compare_with_other(void)
{
	return call(SYS_kcmp, getpid(), target.other, KCMP_VM, 0);
}

static long advise_other(void)
{
	struct {
		void *base;
		size_t len;
	} none = { NULL, 0 };

	return syscall(SYS_process_madvise,
		       call(SYS_pidfd_open, target.other, 0, 0, 0), &none, 1L,
		       20L /* MADV_COLD */, 0);
}

static long measure_other(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};

	return syscall(SYS_perf_event_open, &attr, target.other, -1, -1, 0L);
}

static long remove_queue(void)
{
	return mq_unlink(QUEUE);
}

const struct attack outside_attacks[] = {
	ATTACK(read_it),
	ATTACK(own_root),
	ATTACK(root_of_thread),
	ATTACK(climb_from_own_directory),
	ATTACK(root_of_others),
	ATTACK(root_of_tasks),
	ATTACK(directory_of_others),
	ATTACK(maps_of_others),
	ATTACK(descriptors_of_others),
	ATTACK(environment_of_others),
	ATTACK(arguments_of_others),
	ATTACK(memory_of_other),
	ATTACK(see_it),
	ATTACK(ask_for_it),
	ATTACK(go_there),
	ATTACK(read_link),
	ATTACK(watch_it),
	ATTACK(freeze),
	ATTACK(open_device),
	ATTACK(diagnose),
	ATTACK(add_address),
	ATTACK(signal_other),
	ATTACK(limit_other),
	ATTACK(priority_of_other),
	ATTACK(priority_of_group),
	ATTACK(io_priority_of_other),
	ATTACK(scheduler_of_other),
	ATTACK(parameter_of_other),
	ATTACK(attributes_of_other),
	ATTACK(cores_of_other),
	ATTACK(pages_of_other),
	ATTACK(nodes_of_other),
	ATTACK(compare_with_other),
	ATTACK(advise_other),
	ATTACK(measure_other),
	ATTACK(remove_queue),
};

const size_t outside_nattacks = COUNT(outside_attacks);
