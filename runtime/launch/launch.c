/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/launch.c - clone the child and answer its messages. */
#include "runtime/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/sys.h"
#include "runtime/child/child.h"
#include "runtime/launch/child_error.h"
#include "runtime/launch/idmap.h"
#include "runtime/launch/mount_sources.h"
#include "runtime/launch/seccomp_agent.h"
#include "runtime/launch/stops.h"
#include "runtime/plan/join.h"

#define REAP_MS 5

/*
 * Kill the child. Process 1 of a pid namespace ends only when all others in it
 * have been reaped, and some of them may be our children: a sibling made by
 * STEP_FORK is one.
 */
static void end_child(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	siginfo_t info;

	(void)sys_pidfd_send_signal(pidfd, SIGKILL);
	do
		do
			info.si_pid = 0;
		while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL) ==
			       0 &&
		       info.si_pid != 0);
	while (poll(&p, 1, REAP_MS) == 0);
	(void)waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED);
}

void launch_close(struct launch *launch)
{
	closep(&launch->link);
	if (launch->pidfd >= 0 && !launch->kept)
		end_child(launch->pidfd);
	closep(&launch->pidfd);
	closep(&launch->userns);
	closep(&launch->console);
}

/* EAGAIN does not say which of three limits was reached. */
static int fail_to_clone(const struct launch *launch, int error)
{
	const char *cgroup;
	struct rlimit most;

	if (error != EAGAIN)
		return fail(error, "create the container's process");
	cgroup = cgroup_full_of_tasks(launch->arena,
				      &launch->in->facts->cgroups);
	if (cgroup)
		return fail(error,
			    "cannot create a process: %s has reached its "
			    "pids.max (raise it, or end some tasks)",
			    cgroup);
	if (getrlimit(RLIMIT_NPROC, &most) == 0 &&
	    most.rlim_cur != RLIM_INFINITY)
		return fail(error,
			    "cannot create a process: user %u has reached "
			    "RLIMIT_NPROC, which is %ju (raise it with ulimit "
			    "-u, or end some processes)",
			    getuid(), (uintmax_t)most.rlim_cur);
	return fail(error, "cannot create a process: the host has reached "
			   "kernel.threads-max or kernel.pid_max (raise them, "
			   "or end some tasks)");
}

static int clone_child(struct launch *launch)
{
	struct plan *plan = launch->plan;
	int cgroup = plan->slots[SLOT_CGROUP];
	struct kernel_clone_args args = {
		.flags = plan->clone_flags | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)&launch->pidfd,
		.exit_signal = SIGCHLD,
	};
	pid_t pid;

	/*
	 * A rootless container may have no cgroup; otherwise clone3 reports -1.
	 */
	if (plan->into_cgroup &&
	    (cgroup >= 0 || !launch->in->facts->rootless)) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup;
	}
	pid = sys_clone3(&args);
	if (pid == 0) {
		/*
		 * With a copy of the parent's end, the child would miss end of
		 * file.
		 */
		close(launch->link);
		child_run(plan);
	}
	if (pid < 0)
		return fail_to_clone(launch, errno);
	launch->pid = pid;
	return 0;
}

/* With --debug, log the plan, one line for each step. */
static void tell_plan(const struct launch *launch)
{
	struct arena *arena = launch->arena;
	struct strings rules;
	const char *line;

	if (!log_debugging())
		return;
	if (launch->in->enforcement &&
	    plan_policy_lines(arena, launch->in->enforcement, &rules) >= 0)
		for (size_t i = 0; i < rules.n; i++)
			log_debug("policy: %s", rules.items[i]);
	line = plan_clone_line(arena, launch->plan);
	log_debug("%s", line ? line : "?");
	for (size_t i = 0; i < launch->plan->nsteps; i++) {
		line = step_line(arena, &launch->plan->steps[i]);
		log_debug("step %zu: %s", i, line ? line : "?");
	}
}

int launch_start(struct launch *launch)
{
	int user = launch->in->join->fds[OCI_NS_USER];
	int pair[2], r;

	r = mount_sources_open(launch->plan, launch->proc, /* late= */ false,
			       -1);
	if (r < 0)
		return r;
	if (user >= 0) {
		r = mount_sources_open(launch->plan, launch->proc,
				       /* late= */ true, user);
		if (r < 0)
			return r;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail(errno,
			    "create a socket pair to talk to the container's "
			    "process");
	launch->link = pair[0];
	launch->plan->link = pair[1];
	launch->plan->slots[SLOT_PROC] = launch->proc;
	launch->plan->ignored = proc_ignored_signals(launch->proc);
	tell_plan(launch);
	r = clone_child(launch);
	closep(&launch->plan->link);
	return r;
}

static int answer(struct launch *launch, const uint16_t *slots, const int *fds,
		  size_t n)
{
	struct message m = { .word = WORD_GO, .nslots = (uint16_t)n };
	int r;

	for (size_t i = 0; i < n; i++)
		m.slots[i] = slots[i];
	r = io_send_fds(launch->link, &m, sizeof m, fds, n);
	/* The child is gone; the next read reports why. */
	if (r < 0 && r != -EPIPE && r != -ECONNRESET)
		return fail(-r, "send an answer to the container's process");
	return 0;
}

int launch_go(struct launch *launch)
{
	return answer(launch, NULL, NULL, 0);
}

/* The plan waits for as many messages as its cgroups need. */
int launch_send_cgroups(struct launch *launch)
{
	const struct plan *plan = launch->plan;
	size_t left = plan->cgroup->n;
	int r = 0;

	for (uint16_t slot = plan->cgroup_slot; r >= 0 && left > 0;) {
		uint16_t slots[MESSAGE_SLOTS];
		int fds[MESSAGE_SLOTS];
		size_t n = 0;

		for (; n < MESSAGE_SLOTS && left > 0; n++, left--, slot++) {
			slots[n] = slot;
			fds[n] = plan->slots[slot];
		}
		r = answer(launch, slots, fds, n);
	}
	return r;
}

/* The process in between has exited; its sibling is our child now. */
static int on_forked(struct launch *launch, const struct message *m)
{
	siginfo_t info;
	int pidfd = sys_pidfd_open(m->pid);

	if (pidfd < 0)
		return fail(errno,
			    "open a pidfd of process %d, the container's",
			    m->pid);
	(void)waitid(P_PIDFD, (id_t)launch->pidfd, &info, WEXITED);
	closep(&launch->pidfd);
	launch->pidfd = pidfd;
	launch->pid = m->pid;
	return launch_go(launch);
}

static int on_unplaced(struct launch *launch)
{
	int r = launch->place(launch);

	return r < 0 ? r : launch_go(launch);
}

static int send_late_sources(struct launch *launch)
{
	const struct plan *plan = launch->plan;
	uint16_t slots[MESSAGE_SLOTS];
	int fds[MESSAGE_SLOTS];
	size_t n = 0;
	bool sent = false;

	for (size_t i = 0; i < plan->nsources; i++) {
		int r;

		if (!plan->sources[i].late ||
		    plan->slots[plan->sources[i].slot] < 0)
			continue;
		slots[n] = plan->sources[i].slot;
		fds[n] = plan->slots[plan->sources[i].slot];
		if (++n < MESSAGE_SLOTS)
			continue;
		r = answer(launch, slots, fds, n);
		if (r < 0)
			return r;
		sent = true;
		n = 0;
	}
	return n || !sent ? answer(launch, slots, fds, n) : 0;
}

static int on_unmapped(struct launch *launch)
{
	const struct oci_linux *l = &launch->spec->linux_;
	char name[64];
	int r;

	r = process_oom_score(launch);
	if (r < 0)
		return r;
	r = idmap_write(launch->proc, launch->pid, &l->uid_mappings,
			&l->gid_mappings, launch->in->facts->euid == 0);
	if (r < 0)
		return r;
	snprintf(name, sizeof name, "%d/ns/user", launch->pid);
	launch->userns = openat(launch->proc, name, O_RDONLY | O_CLOEXEC);
	if (launch->userns < 0)
		return fail(errno,
			    "open the container's user namespace /proc/%s",
			    name);
	r = mount_sources_open(launch->plan, launch->proc, /* late= */ true,
			       launch->userns);
	if (r < 0)
		return r;
	return send_late_sources(launch);
}

/* For a joined user namespace, use its open descriptor. */
static int on_source(struct launch *launch, const struct message *m)
{
	int joined = launch->in->join->fds[OCI_NS_USER];
	uint16_t slot = m->slots[0];
	int r = mount_sources_open_in_turn(launch->plan, launch->proc,
					   launch->pid, slot,
					   joined >= 0 ? joined :
							 launch->userns);

	return r < 0 ? r : answer(launch, &slot, &launch->plan->slots[slot], 1);
}

static int on_rooted(struct launch *launch, int root)
{
	const uint16_t slot = SLOT_RULESET;
	autoclose int ruleset = -1;
	int r = launch->rooted(launch, root, &ruleset);

	if (r >= 0)
		r = answer(launch, &slot, &ruleset, ruleset >= 0);
	return r < 0 ? r : launch->after_rooted(launch);
}

static int on_listener(struct launch *launch, int listener)
{
	const struct oci_seccomp *profile = launch->spec->linux_.seccomp;
	struct arena *arena = launch->arena;
	const char *json;
	int r;

	if (!profile || !profile->listener_path) {
		r = launch->listen ? launch->listen(launch, listener) :
				     fail(0, "the container has no supervisor "
					     "for a seccomp listener");
		return r < 0 ? r : launch_go(launch);
	}
	r = oci_state_for_agent(arena, launch->record, launch->agent_status,
				launch->pid, profile->listener_metadata, &json);
	if (r < 0)
		return r;
	r = seccomp_agent_send(profile->listener_path, json, listener);
	if (r < 0)
		return fail_in(r, "linux.seccomp.listenerPath");
	return launch_go(launch);
}

/*
 * Wait for a message or the end of the child. End of file is not enough: a
 * child that dies between its fork and FORKED leaves a sibling that keeps the
 * link open.
 */
static int wait_for_word(const struct launch *launch, bool *ret_ended)
{
	struct pollfd p[] = {
		{ .fd = launch->link, .events = POLLIN },
		{ .fd = launch->pidfd, .events = POLLIN },
	};

	while (poll(p, 2, -1) < 0)
		if (errno != EINTR)
			return fail(errno,
				    "wait for a message of the container's "
				    "process");
	*ret_ended = p[1].revents & POLLIN;
	return 0;
}

static void take_control(struct launch *launch, struct msghdr *msg, int *ret_fd)
{
	struct ucred who;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c;
	     c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_type == SCM_RIGHTS)
			memcpy(ret_fd, CMSG_DATA(c), sizeof *ret_fd);
		if (c->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&who, CMSG_DATA(c), sizeof who);
			launch->speaker = who.pid;
		}
	}
}

/*
 * Receive one message; 0 at end of file. ret_fd is the descriptor sent with it,
 * or -1.
 */
static int receive(struct launch *launch, struct message *ret, int *ret_fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int)) +
			   CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = ret, .iov_len = sizeof *ret };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes,
	};
	bool ended = false;
	ssize_t n;
	int r;

	do {
		r = wait_for_word(launch, &ended);
		if (r < 0)
			return r;
		n = recvmsg(launch->link, &msg,
			    MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	} while (n < 0 && (errno == EINTR || (errno == EAGAIN && !ended)));
	if (n == 0 || (n < 0 && (errno == ECONNRESET || errno == EAGAIN)))
		return 0;
	if (n < 0)
		return fail(errno,
			    "receive a message of the container's process");
	if (n != (ssize_t)sizeof *ret)
		return fail(EPROTO,
			    "receive a message of the container's process");
	take_control(launch, &msg, ret_fd);
	return 1;
}

static int on_word(struct launch *launch, const struct message *m, int *fd)
{
	switch ((enum word)m->word) {
	case WORD_FORKED:
		return on_forked(launch, m);
	case WORD_UNPLACED:
		return on_unplaced(launch);
	case WORD_UNMAPPED:
		return on_unmapped(launch);
	case WORD_SOURCE:
		return on_source(launch, m);
	case WORD_MOUNTED:
		return stops_answer_mounted(launch);
	case WORD_CONSOLE:
		launch->console = take_fd(fd);
		return 0;
	case WORD_ROOTED:
		return on_rooted(launch, *fd);
	case WORD_LISTENER:
		return on_listener(launch, *fd);
	case WORD_FAILED:
		launch->failed_op = m->op;
		return child_error_failed(launch, m);
	default:
		return fail(EPROTO,
			    "internal error: the container's first process "
			    "sent message %u, which the runtime does not know",
			    m->word);
	}
}

int launch_until(struct launch *launch, enum word word)
{
	bool said_exec = false;

	for (;;) {
		autoclose int fd = -1;
		struct message m = { 0 };
		int r = receive(launch, &m, &fd);

		if (r < 0)
			return r;
		/*
		 * After EXEC, end of file means success, unless the child died
		 * before execve. We cannot tell if it has a reaper, or if its
		 * parent, which is not `start`, has already reaped it.
		 */
		if (r == 0 && said_exec &&
		    ((launch->in && launch->in->settings.has_reaper) ||
		     !proc_never_execed(launch->proc, launch->pid)))
			return 0;
		if (r == 0)
			return child_error_died(launch);
		log_debug("process %d says %s", launch->pid, word_name(m.word));
		if (m.word == WORD_EXEC) {
			said_exec = true;
			continue;
		}
		if (m.word == (uint32_t)word) {
			memcpy(launch->ns_inodes, m.ns_inodes,
			       sizeof launch->ns_inodes);
			return 0;
		}
		r = on_word(launch, &m, &fd);
		if (r < 0)
			return r;
	}
}

int launch_until_gate(struct launch *launch)
{
	autoclose int fd = -1;
	struct message m = { 0 };
	int r = receive(launch, &m, &fd);
	uint64_t start;
	bool ends;

	if (r < 0)
		return r;
	if (r > 0)
		return on_word(launch, &m, &fd);
	/* A dying process closes its files before it can be waited for. */
	r = proc_life(launch->proc, launch->pid, &start, &ends);
	if (r == -ENOENT || r == -ESRCH || (r >= 0 && ends))
		return child_error_died(launch);
	return r;
}
