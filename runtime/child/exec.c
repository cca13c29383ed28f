/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/child/exec.c - the last steps: find the program, wait at the gate,
 * install the filter, exec.
 *
 * On entry the child has the container's user, directory and capabilities.
 * After STEP_LANDLOCK it only calls execve and reports a failure, so that the
 * filter may deny everything else.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/elf.h"
#include "base/sys.h"
#include "confine/landlock.h"
#include "runtime/child/child.h"
#include "runtime/plan/protocol.h"

#define MAX_INTERPRETERS 5
#define HEADER ELF_INTERPRETER
#define HELPER_STACK 16384
#define MAX_FAILURES 1000
#define KERNEL_SIGSET 8 /* bytes of the kernel's sigset_t */

/*
 * execve checks the effective user and capabilities, access(2) the real user.
 * If the kernel lacks faccessat2, or an outer filter denies it, use access(2).
 */
static int may_execute(const char *path)
{
	if (sys_faccessat2(AT_FDCWD, path, X_OK, AT_EACCESS) == 0)
		return 0;
	if (errno != ENOSYS && errno != EPERM)
		return -1;
	return access(path, X_OK);
}

/* Fail with the errno of execve; engines expect this text for a directory. */
static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EACCES;
		return -1;
	}
	return may_execute(path);
}

/* Write dir + "/" + name; an empty dir is the current directory. */
static int join(char *ret, const char *dir, size_t len, const char *name)
{
	size_t n = strlen(name);

	if (len + n + 2 > PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(ret, dir, len);
	if (len)
		ret[len++] = '/';
	memcpy(ret + len, name, n + 1);
	return 0;
}

static int search_path(const struct step_exec *exec)
{
	const char *dir = exec->path ? exec->path : OCI_DEFAULT_PATH;
	bool denied = false;

	for (;;) {
		size_t len = strcspn(dir, ":");

		if (join(exec->found, dir, len, exec->name) == 0 &&
		    check_executable(exec->found) == 0)
			return 0;
		if (errno == EACCES)
			denied = true;
		if (!dir[len])
			break;
		dir += len + 1;
	}
	errno = denied ? EACCES : ENOENT;
	return -1;
}

static int find_program(const struct step_exec *exec)
{
	if (!strchr(exec->name, '/'))
		return search_path(exec);
	if (join(exec->found, "", 0, exec->name) < 0)
		return -1;
	return check_executable(exec->found);
}

/*
 * Look at the file that execve will open, but do not follow magic links of
 * /proc: they may lead to the runtime's own binary on the host. Fail with EXDEV
 * if the file is that binary.
 */
static int look_at_foreign(const struct step_exec *exec, const char *path,
			   struct stat *ret)
{
	autoclose int fd = sys_openat2(AT_FDCWD, path, O_PATH, 0,
				       KERNEL_RESOLVE_NO_MAGICLINKS);

	if (fd < 0) {
		if (errno == ELOOP)
			errno = EXDEV;
		return -1;
	}
	if (fstat(fd, ret) < 0)
		return -1;
	errno = EXDEV;
	return ret->st_dev == exec->own_dev && ret->st_ino == exec->own_ino ?
		       -1 :
		       0;
}

/*
 * Neither the program nor an interpreter may be the runtime's own binary: a
 * process inside could open it for writing later. If a file cannot be read
 * here, execve reports that, and the runtime checks /proc/PID/exe afterwards.
 */
static int refuse_own_binary(const struct step_exec *exec)
{
	char path[HEADER] = "";
	const char *next = exec->found;

	for (int depth = 0; depth < MAX_INTERPRETERS && *next; depth++) {
		_Alignas(8) char header[HEADER];
		autoclose int fd = -1;
		struct stat st;
		ssize_t n;

		if (look_at_foreign(exec, next, &st) < 0)
			return errno == EXDEV ? -1 : 0;
		/* Opening a device could have side effects. */
		if (!S_ISREG(st.st_mode))
			return 0;
		fd = open(next, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			return 0;
		n = pread(fd, header, sizeof header, 0);
		if (n <= 0)
			return 0;
		elf_script_interpreter(header, (size_t)n, path);
		if (!path[0])
			elf_interpreter(fd, header, (size_t)n, path);
		next = path;
	}
	return 0;
}

/*
 * Close the runtime's descriptors before waiting, because callers wait for
 * that. Keep 0-2, the preserved descriptors and those in the list.
 */
static int keep_only(struct child *child, int *const *list, size_t n,
		     unsigned int preserved)
{
	int next = 3 + (int)preserved;

	/*
	 * Move all of them up first: one may have the number another one needs.
	 */
	for (size_t i = 0; i < n; i++) {
		if (*list[i] < next + (int)n)
			*list[i] =
				fcntl(*list[i], F_DUPFD_CLOEXEC, next + (int)n);
		if (*list[i] < 0)
			return -1;
	}
	for (size_t i = 0; i < n; i++, next++) {
		if (dup3(*list[i], next, O_CLOEXEC) < 0)
			return -1;
		*list[i] = next;
	}
	if (sys_close_range((unsigned int)next, ~0U, 0) < 0)
		return -1;
	child->link = -1;
	return 0;
}

/* `state` connects and closes again; `start` connects and sends GO. */
static int wait_at_gate(struct child *child, const struct step *step)
{
	autoclose int gate = child->slots[step->in];
	autoclose int signals = child_signals_open();
	int *ruleset = &child->slots[SLOT_RULESET];
	int *const list[] = { &gate, &signals, ruleset };
	int failures = 0;

	if (signals < 0 || keep_only(child, list, *ruleset < 0 ? 2 : 3,
				     (unsigned int)step->number) < 0)
		return -1;
	for (;;) {
		child_signals_wait(signals, gate);
		child->link = accept4(gate, NULL, NULL, SOCK_CLOEXEC);
		/*
		 * No process would read a report, so give up only if the error
		 * persists.
		 */
		if (child->link < 0 && ++failures < MAX_FAILURES)
			continue;
		if (child->link < 0)
			return -1;
		child_signals_wait(signals, child->link);
		if (child_wait_go(child) == 0)
			return 0;
		close(child->link);
	}
}

static int preserve(const struct step *step)
{
	for (int fd = 3; fd < 3 + (int)step->number; fd++)
		if (fcntl(fd, F_SETFD, 0) < 0)
			return -1;
	return 0;
}

/*
 * The caller may ignore or block any signal, and the runtime does for some.
 * execve resets handlers, and the child changes nothing else, so what the
 * parent ignores is all that must be reset.
 */
static int default_signals(const struct child *child)
{
	/*
	 * Use raw calls: the C library hides two signals and would skip them.
	 */
	static const unsigned long to_default[4];
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		if (child->plan->ignored & 1ULL << (sig - 1) &&
		    syscall(SYS_rt_sigaction, sig, to_default, NULL,
			    KERNEL_SIGSET) < 0 &&
		    sig != SIGKILL && sig != SIGSTOP)
			return -1;
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL);
}

static int last_word(struct child *child, const struct step *step)
{
	if (refuse_own_binary(step->exec) < 0 || default_signals(child) < 0)
		return -1;
	return child_say(child, WORD_EXEC, NULL, 0);
}

static int install(const struct step *step, uint32_t more_flags)
{
	struct sock_fprog program = {
		.len = (unsigned short)step->filter.len,
		.filter = (struct sock_filter *)step->filter.code,
	};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    step->filter.flags | more_flags, &program);
}

/*
 * The filter may deny sendmsg, or redirect it to the same agent that waits for
 * the listener. So a second thread without the filter sends the listener, while
 * this thread makes no system call until the second one has exited.
 */
struct helper {
	struct child *child;
	int listener; /* -1 until installed, -2 when that failed */
	int passed;
	pid_t tid; /* the kernel writes 0 when the thread exits */
	_Alignas(16) char stack[HELPER_STACK];
};

/* Acquire: also see everything written before the value was stored. */
static inline int look(const int *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static int pass_listener(void *arg)
{
	struct helper *helper = arg;
	int fd;

	while ((fd = look(&helper->listener)) == -1)
		(void)sched_yield();
	if (fd >= 0 && child_say(helper->child, WORD_LISTENER, &fd, 1) == 0 &&
	    child_wait_go(helper->child) == 0)
		helper->passed = 1;
	syscall(SYS_exit, 0);
	return 0;
}

static int install_with_listener(struct child *child, const struct step *step)
{
	struct helper helper = { .child = child, .listener = -1, .tid = 1 };
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		    CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
	int fd, error;

	if (clone(pass_listener, helper.stack + HELPER_STACK, flags, &helper,
		  NULL, NULL, &helper.tid) < 0)
		return -1;
	fd = install(step, SECCOMP_FILTER_FLAG_NEW_LISTENER);
	error = errno;
	__atomic_store_n(&helper.listener, fd >= 0 ? fd : -2, __ATOMIC_RELEASE);
	while (look(&helper.tid))
		relax();
	errno = fd < 0 ? error : ECONNABORTED;
	return fd >= 0 && helper.passed ? 0 : -1;
}

int child_exec_step(struct child *child, const struct step *step)
{
	switch ((enum step_op)step->op) {
	case STEP_FIND_PROGRAM:
		return find_program(step->exec);
	case STEP_DEATH_SIGNAL:
		return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	case STEP_GATE:
		return wait_at_gate(child, step);
	case STEP_RLIMIT:
		return setrlimit(step->rlimit.type, &step->rlimit.value);
	case STEP_PRESERVE_FDS:
		return preserve(step);
	case STEP_REAPER:
		return child_reaper_step(step);
	case STEP_LAST_WORD:
		return last_word(child, step);
	case STEP_LANDLOCK:
		return landlock_restrict(child->slots[step->in], step->flags);
	case STEP_SECCOMP:
		return step->filter.notifies ?
			       install_with_listener(child, step) :
			       install(step, 0);
	case STEP_EXEC:
		return execve(step->exec->found, step->exec->argv,
			      step->exec->envp);
	default:
		errno = ENOSYS;
		return -1;
	}
}
