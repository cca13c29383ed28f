/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/probe.c - probe features of the kernel in a child process. */
#include "runtime/sandbox/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/confine.h"
#include "confine/host.h"

/* The arguments of the child, and its original ids. */
struct setting {
	uid_t uid;
	gid_t gid;
	const struct confine_filter *filter;
};

struct probe_step {
	const char *name;
	int (*run)(const struct setting *setting);
};

struct outcome {
	int step; /* the step that failed */
	int err;
};

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/* ---- steps: 0, or -1 and errno ---- */

static int make_users(const struct setting *setting)
{
	(void)setting;
	return unshare(CLONE_NEWUSER);
}

static int write_file(const char *path, const char *text)
{
	autoclose int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) >= 0 ? 0 : -1;
}

static int map_ids(const struct setting *setting)
{
	char text[64];

	snprintf(text, sizeof text, "%u %u 1\n", setting->uid, setting->uid);
	if (write_file("/proc/self/uid_map", text) < 0 ||
	    write_file("/proc/self/setgroups", "deny") < 0)
		return -1;
	snprintf(text, sizeof text, "%u %u 1\n", setting->gid, setting->gid);
	return write_file("/proc/self/gid_map", text);
}

static int make_others(const struct setting *setting)
{
	(void)setting;
	return unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
		       CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP);
}

static int mount_something(const struct setting *setting)
{
	(void)setting;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	return mount("tmpfs", "/", "tmpfs", MS_NOSUID | MS_NODEV, NULL);
}

/* Only a process in the new pid namespace can do this. */
static int mount_proc(const struct setting *setting)
{
	pid_t pid = fork();

	(void)setting;
	if (pid < 0)
		return -1;
	if (pid == 0)
		_exit(mount("proc", "/proc", "proc",
			    MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0 ?
			      errno :
			      0);
	errno = wait_for(pid);
	return errno == 0 ? 0 : -1;
}

static int install_filter(const struct setting *setting)
{
	const struct sock_fprog program = {
		.len = (unsigned short)setting->filter->len,
		.filter = setting->filter->code,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    setting->filter->flags, &program);
}

/* ---- the child ---- */

static void try_all(const struct probe_step *steps,
		    const struct setting *setting, int to)
{
	struct outcome outcome = { .step = -1 };

	for (int i = 0; steps[i].name; i++) {
		if (steps[i].run(setting) == 0)
			continue;
		outcome = (struct outcome){ i, errno };
		break;
	}
	(void)write(to, &outcome, sizeof outcome);
	_exit(0);
}

static int try(const struct probe_step *steps, const struct setting *setting,
	       struct host_probe *ret)
{
	struct outcome outcome;
	int ends[2];
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(errno,
			    "create a pipe to test the features of the host");

	autoclose int from = ends[0], to = ends[1];

	pid = fork();
	if (pid < 0)
		return fail(errno,
			    "create a process to test the features of the "
			    "host");
	if (pid == 0)
		try_all(steps, setting, to);
	closep(&to);
	n = read(from, &outcome, sizeof outcome);
	(void)wait_for(pid);
	if (n != sizeof outcome) {
		/* An outer filter may kill the child for a call. */
		*ret = (struct host_probe){ .step = "survive", .err = EPERM };
		return 0;
	}
	/* This is a limit on processes, and says nothing about the feature. */
	if (outcome.step >= 0 && outcome.err == EAGAIN)
		return fail(EAGAIN,
			    "test the features of the host: %s (end some "
			    "processes, or raise ulimit -u)",
			    steps[outcome.step].name);
	*ret = (struct host_probe){ .works = outcome.step < 0 };
	if (!ret->works) {
		ret->step = steps[outcome.step].name;
		ret->err = outcome.err;
	}
	return 0;
}

static int try_namespaces(bool users, struct host_probe *ret)
{
	static const struct probe_step steps[] = {
		{ "create a user namespace", make_users },
		{ "map the caller's ids in a user namespace", map_ids },
		{ "create the other namespaces", make_others },
		{ "mount in a namespace", mount_something },
		{ "mount /proc", mount_proc },
		{ NULL, NULL },
	};
	const struct setting setting = { .uid = geteuid(), .gid = getegid() };

	return try(users ? steps : steps + 2, &setting, ret);
}

static int try_seccomp(struct arena *arena, struct host_probe *ret)
{
	static const struct probe_step steps[] = {
		{ "install a seccomp filter", install_filter },
		{ NULL, NULL },
	};
	const struct confine_blocklist list = { .inet = true };
	struct confine_filter filter = { 0 };
	int r = confine_blocklist(arena, 0, &list, &filter);

	return r < 0 ? r :
		       try(steps, &(struct setting){ .filter = &filter }, ret);
}

int probe_host(struct arena *arena, struct host *host, uint32_t facts)
{
	uint32_t unknown = facts & ~host->asked;
	int r = 0;

	if (unknown & HOST_SECCOMP)
		r = try_seccomp(arena, &host->seccomp);
	if (r >= 0 && unknown & HOST_NAMESPACES)
		r = try_namespaces(/* users= */ false, &host->namespaces);
	if (r >= 0 && unknown & HOST_USER_NAMESPACES)
		r = try_namespaces(/* users= */ true, &host->user_namespaces);
	if (r >= 0 && unknown & HOST_LIMITS)
		r = probe_limits(arena, host);
	if (r >= 0)
		host->asked |= unknown;
	return r < 0 ? r : 0;
}
