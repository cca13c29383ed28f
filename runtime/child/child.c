/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/child/child.c - walk the plan.
 *
 * On entry the child has a single thread, a copy of the runtime's memory, and
 * the namespaces that clone3 made. Nothing here or in the steps allocates,
 * formats or locks; a failure is reported to the parent as a step and an errno.
 */
#include "runtime/child/child.h"

#include <errno.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/proc.h"
#include "base/sys.h"
#include "network/network.h"
#include "runtime/child/mount.h"
#include "runtime/plan/protocol.h"

/* The rights of a new session keyring, plus search for its owner. */
#define KEYRING_RIGHTS 0x3f1b0000

void child_note(struct child *child, const char *text)
{
	size_t n = strlen(text);

	if (n >= sizeof child->note)
		n = sizeof child->note - 1;
	memcpy(child->note, text, n);
	child->note[n] = '\0';
}

void child_put(struct child *child, uint16_t slot, int fd)
{
	if (child->slots[slot] >= 0)
		close(child->slots[slot]);
	child->slots[slot] = fd;
}

static int send_message(int link, const struct message *m, const int *fds,
			size_t nfds)
{
	union {
		char bytes[CMSG_SPACE(MESSAGE_SLOTS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = (void *)m, .iov_len = sizeof *m };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	memset(&control, 0, sizeof control);
	if (nfds > 0) {
		struct cmsghdr *c;

		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nfds * sizeof(int));
	}
	do
		n = sendmsg(link, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof *m ? 0 : -1;
}

int child_say(struct child *child, uint32_t word, const int *fds, size_t nfds)
{
	struct message m = { .word = word };

	return send_message(child->link, &m, fds, nfds);
}

/* Store the descriptors of an answer in the slots that its message names. */
static int take_fds(struct child *child, struct msghdr *msg,
		    const struct message *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	const unsigned char *data;
	size_t n;

	if (!c)
		return m->nslots ? -1 : 0;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	if (n != m->nslots || n > MESSAGE_SLOTS)
		return -1;
	data = CMSG_DATA(c);
	for (size_t i = 0; i < n; i++) {
		int fd;

		memcpy(&fd, data + i * sizeof fd, sizeof fd);
		if (m->slots[i] >= child->plan->nslots)
			return -1;
		child_put(child, m->slots[i], fd);
	}
	return 0;
}

int child_wait_go(struct child *child)
{
	union {
		char bytes[CMSG_SPACE(MESSAGE_SLOTS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct message m = { 0 };
	struct iovec iov = { .iov_base = &m, .iov_len = sizeof m };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes,
	};
	ssize_t n;

	do
		n = recvmsg(child->link, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	/* The parent died or aborted, so nobody reads a report. */
	if (n != (ssize_t)sizeof m || m.word != WORD_GO ||
	    take_fds(child, &msg, &m) < 0) {
		errno = ECANCELED;
		return -1;
	}
	return 0;
}

/* The parent may have opened the source before the child began. */
int child_ask_source(struct child *child, const struct step *step)
{
	struct message m = { .word = WORD_SOURCE, .slots = { step->out } };

	if (child->slots[step->out] >= 0)
		return 0;
	if (send_message(child->link, &m, NULL, 0) < 0)
		return -1;
	return child_wait_go(child);
}

/* Even a process that is not dumpable may read its own namespace links. */
static void look_at_namespaces(const struct child *child, uint64_t *ret)
{
	static const char *const links[OCI_NAMESPACES] = {
		[OCI_NS_USER] = "self/ns/user",
		[OCI_NS_CGROUP] = "self/ns/cgroup",
		[OCI_NS_IPC] = "self/ns/ipc",
		[OCI_NS_UTS] = "self/ns/uts",
		[OCI_NS_NETWORK] = "self/ns/net",
		[OCI_NS_PID] = "self/ns/pid",
		[OCI_NS_MOUNT] = "self/ns/mnt",
		[OCI_NS_TIME] = "self/ns/time",
	};
	struct stat st;

	for (int i = 0; i < OCI_NAMESPACES; i++)
		if (fstatat(child->slots[SLOT_PROC], links[i], &st, 0) == 0)
			ret[i] = st.st_ino;
}

/* The parent may send several answers to one stop, each with descriptors. */
static int stop(struct child *child, const struct step *step)
{
	struct message m = { .word = (uint32_t)step->number };
	autoclose int root = -1;

	if (m.word == WORD_CREATED)
		look_at_namespaces(child, m.ns_inodes);
	if (m.word == WORD_ROOTED) {
		root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root < 0)
			return -1;
	}
	if (m.word && send_message(child->link, &m, &root, root >= 0) < 0)
		return -1;
	for (uint32_t i = 0; i <= step->flags; i++)
		if (child_wait_go(child) < 0)
			return -1;
	return 0;
}

/*
 * Only the next child of a process enters a new pid or time namespace. Make
 * that child a sibling, so that the runtime is its parent, send its pid, and
 * exit.
 */
static int go_on_as_sibling(struct child *child)
{
	struct kernel_clone_args args = { .flags = CLONE_PARENT };
	struct message m = { .word = WORD_FORKED };
	pid_t pid = sys_clone3(&args);

	if (pid < 0)
		return -1;
	if (pid == 0)
		return child_wait_go(child);
	m.pid = pid;
	if (send_message(child->link, &m, NULL, 0) < 0)
		_exit(1);
	_exit(0);
}

static int become_root(bool keep_groups)
{
	/*
	 * The kernel denies this if an unprivileged process wrote the gid map.
	 */
	if (!keep_groups && setgroups(0, NULL) < 0 && errno != EPERM)
		return -1;
	if (setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0)
		return -1;
	return 0;
}

static int write_text(int fd, const char *text)
{
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

static int join_cgroup(int fd)
{
	if (fd < 0) {
		errno = ENOENT;
		return -1;
	}
	return write_text(fd, "0");
}

static int set_time_offsets(struct child *child, const char *text)
{
	autoclose int fd = proc_open_at(child->slots[SLOT_PROC],
					"self/timens_offsets", O_WRONLY);

	return write_text(fd, text);
}

static int join_keyring(const char *name)
{
	long id = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, name);

	if (id < 0)
		return errno == ENOSYS ? 0 : -1;
	/*
	 * Without the search right, exec could not find the keyring by its
	 * name.
	 */
	return syscall(SYS_keyctl, KEYCTL_SETPERM, id, KEYRING_RIGHTS) < 0 ?
		       -1 :
		       0;
}

static bool has_early_network(const struct child *child,
			      const struct step *step)
{
	return step->in != SLOT_NONE && child->slots[step->in] >= 0;
}

/* The parent may have made the network namespace already. */
static int unshare_or_enter(struct child *child, const struct step *step)
{
	int flags = (int)step->flags;

	if (flags & CLONE_NEWNET && has_early_network(child, step)) {
		if (setns(child->slots[step->in], CLONE_NEWNET) < 0)
			return -1;
		flags &= ~CLONE_NEWNET;
	}
	return flags ? unshare(flags) : 0;
}

static int namespace_step(struct child *child, const struct step *step)
{
	switch ((enum step_op)step->op) {
	case STEP_SETNS:
		return setns(child->slots[step->in], (int)step->flags);
	case STEP_UNSHARE:
		return unshare_or_enter(child, step);
	case STEP_FORK:
		return go_on_as_sibling(child);
	case STEP_STOP:
		return stop(child, step);
	case STEP_BECOME_ROOT:
		return become_root(step->flags & KEEP_GROUPS);
	case STEP_DUMPABLE:
		return prctl(PR_SET_DUMPABLE, step->number, 0, 0, 0);
	case STEP_TIME_OFFSETS:
		return set_time_offsets(child, step->text);
	case STEP_JOIN_CGROUP:
		return join_cgroup(child->slots[step->in]);
	case STEP_SETSID:
		return setsid() < 0 ? -1 : 0;
	case STEP_LOOPBACK:
		return has_early_network(child, step) ? 0 :
							network_loopback_up();
	case STEP_HOSTNAME:
		return sethostname(step->text, strlen(step->text));
	case STEP_DOMAINNAME:
		return setdomainname(step->text, strlen(step->text));
	case STEP_KEYRING:
		return join_keyring(step->text);
	default:
		errno = ENOSYS;
		return -1;
	}
}

/*
 * The function for each step, and whether the step may create files. Files in
 * the rootfs get the mode that the step names, whatever the umask is.
 */
static const struct {
	int (*run)(struct child *child, const struct step *step);
	bool makes_files;
} steps[STEP_MAX] = {
	[STEP_SETNS] = { namespace_step, false },
	[STEP_UNSHARE] = { namespace_step, false },
	[STEP_FORK] = { namespace_step, false },
	[STEP_STOP] = { namespace_step, false },
	[STEP_BECOME_ROOT] = { namespace_step, false },
	[STEP_DUMPABLE] = { namespace_step, false },
	[STEP_TIME_OFFSETS] = { namespace_step, false },
	[STEP_JOIN_CGROUP] = { namespace_step, false },
	[STEP_SETSID] = { namespace_step, false },
	[STEP_LOOPBACK] = { namespace_step, false },
	[STEP_HOSTNAME] = { namespace_step, false },
	[STEP_DOMAINNAME] = { namespace_step, false },
	[STEP_KEYRING] = { namespace_step, false },
	[STEP_PROPAGATION] = { child_root_step, true },
	[STEP_ROOTFS] = { child_root_step, true },
	[STEP_ATTACH_ROOT] = { child_root_step, true },
	[STEP_ROOT_HERE] = { child_root_step, true },
	[STEP_MOUNT_POINT] = { child_mount_step, true },
	[STEP_FSMOUNT] = { child_mount_step, true },
	[STEP_FRESH_MOUNT] = { child_mount_step, true },
	[STEP_RECONFIGURE] = { child_mount_step, true },
	[STEP_CLONE_TREE] = { child_mount_step, true },
	[STEP_SOURCE] = { child_mount_step, true },
	[STEP_NEED_CGROUP] = { child_mount_step, true },
	[STEP_SETATTR] = { child_mount_step, true },
	[STEP_MOVE_MOUNT] = { child_mount_step, true },
	[STEP_COPY_UP] = { child_mount_step, true },
	[STEP_COPY_SYMLINK] = { child_mount_step, true },
	[STEP_MKNOD] = { child_mount_step, true },
	[STEP_SYMLINK] = { child_mount_step, true },
	[STEP_OWN_FILE] = { child_mount_step, true },
	[STEP_COVER] = { child_mount_step, true },
	[STEP_MASK] = { child_mount_step, true },
	[STEP_READONLY_PATH] = { child_mount_step, true },
	[STEP_OWN_MOUNT] = { child_mount_step, true },
	[STEP_CONSOLE] = { child_console_step, false },
	[STEP_PIVOT] = { child_root_step, true },
	[STEP_MOVE_ROOT] = { child_root_step, true },
	[STEP_CHROOT] = { child_root_step, true },
	[STEP_ENTER_ROOT] = { child_root_step, true },
	[STEP_SYSCTL] = { child_root_step, true },
	[STEP_MAKE_CWD] = { child_root_step, true },
	[STEP_WRITE_PROC] = { child_process_step, false },
	[STEP_AFFINITY] = { child_process_step, false },
	[STEP_SCHEDULER] = { child_process_step, false },
	[STEP_IO_PRIORITY] = { child_process_step, false },
	[STEP_MEMORY_POLICY] = { child_process_step, false },
	[STEP_PERSONALITY] = { child_process_step, false },
	[STEP_STDIO_OWNER] = { child_process_step, false },
	[STEP_STDIO_NULL] = { child_process_step, false },
	[STEP_HOME] = { child_process_step, false },
	[STEP_UMASK] = { child_process_step, false },
	[STEP_NO_HUGE_PAGES] = { child_process_step, false },
	[STEP_NO_NEW_PRIVS] = { child_process_step, false },
	[STEP_BOUNDING] = { child_process_step, false },
	[STEP_USER] = { child_process_step, false },
	[STEP_CAPS] = { child_process_step, false },
	[STEP_CWD] = { child_process_step, false },
	[STEP_FIND_PROGRAM] = { child_exec_step, false },
	[STEP_DEATH_SIGNAL] = { child_exec_step, false },
	[STEP_GATE] = { child_exec_step, false },
	[STEP_RLIMIT] = { child_exec_step, false },
	[STEP_PRESERVE_FDS] = { child_exec_step, false },
	[STEP_REAPER] = { child_exec_step, false },
	[STEP_LAST_WORD] = { child_exec_step, false },
	[STEP_LANDLOCK] = { child_exec_step, false },
	[STEP_SECCOMP] = { child_exec_step, false },
	[STEP_EXEC] = { child_exec_step, false },
};

/* Change the umask once for a series of steps that may create files. */
static void keep_modes(struct child *child, bool on)
{
	if (child->keeps_modes == on)
		return;
	child->keeps_modes = on;
	if (on)
		child->mask = umask(0);
	else
		(void)umask(child->mask);
}

/*
 * Keep the parent directory only for a series of steps that create nodes: a
 * mount or a move in between may redirect its path.
 */
static void keep_parent(struct child *child, const struct step *step)
{
	if (step->op != STEP_MKNOD && step->op != STEP_SYMLINK &&
	    step->op != STEP_OWN_FILE)
		closep(&child->parent);
}

static int do_step(struct child *child, const struct step *step)
{
	if (step->op >= STEP_MAX || !steps[step->op].run) {
		errno = ENOSYS;
		return -1;
	}
	keep_modes(child, steps[step->op].makes_files);
	keep_parent(child, step);
	return steps[step->op].run(child, step);
}

static bool is_denial(int error)
{
	return error == EPERM || error == EACCES || error == EBUSY;
}

static _Noreturn void give_up(struct child *child, size_t step)
{
	struct message m = {
		.word = WORD_FAILED,
		.step = (uint32_t)step,
		.op = child->plan->steps[step].op,
		.error = errno,
	};

	memcpy(m.text, child->note, sizeof child->note);
	(void)send_message(child->link, &m, NULL, 0);
	_exit(1);
}

_Noreturn void child_run(const struct plan *plan)
{
	struct child child = {
		.plan = plan,
		.slots = plan->slots,
		.link = plan->link,
		.parent = -1,
	};
	size_t i = 0;

	while (i < plan->nsteps) {
		const struct step *step = &plan->steps[i];

		errno = 0;
		child.note[0] = '\0';
		if (do_step(&child, step) == 0)
			i = step->next ? step->next : i + 1;
		else if (step->on_denied && is_denial(errno))
			i = step->on_denied;
		else if (step->skip_missing && errno == ENOENT)
			i = step->next ? step->next : i + 1;
		else
			give_up(&child, i);
	}
	errno = ENOEXEC;
	give_up(&child, plan->nsteps - 1);
}
