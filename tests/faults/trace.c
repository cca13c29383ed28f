/* SPDX-License-Identifier: Apache-2.0 */
/* tests/faults/trace.c - the injector: ptrace over a tree of processes. */
#include "trace.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fair.h"
#include "room.h"

#define MOST_TASKS 512
#define OPTIONS                                                             \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC)
/* If no process makes a call for so long, all of them wait. */
#define QUIET_MS 60

struct task {
	pid_t pid; /* or 0: it is gone */
	int calls;
	bool counts;
	bool failing;
	bool reporting; /* in the write of the byte that ends create */
	bool kept;	/* a keeper, and create has succeeded */
};

struct tracer {
	struct shot *shot;
	struct stat program;
	pid_t root;
	bool root_ended;
	bool over; /* the call has failed: follow no process any more */
	const pid_t *keepers;
	double deadline;
	struct task tasks[MOST_TASKS];
	int ntasks;
};

struct shot *shot_new(void)
{
	void *p = mmap(NULL, sizeof(struct shot), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static struct task *find(struct tracer *t, pid_t pid)
{
	struct task *task;

	for (int i = 0; i < t->ntasks; i++)
		if (t->tasks[i].pid == pid)
			return &t->tasks[i];
	if (t->ntasks == MOST_TASKS) {
		errno = EOVERFLOW;
		die("tasks");
	}
	task = &t->tasks[t->ntasks++];
	*task = (struct task){ .pid = pid, .counts = true };
	return task;
}

/* ---- the registers of a processor ---- */

#ifdef __x86_64__
static void skip_call(pid_t pid)
{
	if (ptrace(PTRACE_POKEUSER, pid,
		   offsetof(struct user_regs_struct, orig_rax), -1L) < 0)
		die("skip a call");
}

static void set_result(pid_t pid, long value)
{
	if (ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rax),
		   value) < 0)
		die("set a result");
}
#elif defined(__aarch64__)
static void skip_call(pid_t pid)
{
	int nr = -1;
	struct iovec iov = { .iov_base = &nr, .iov_len = sizeof nr };

	if (ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &iov) < 0)
		die("skip a call");
}

static void set_result(pid_t pid, long value)
{
	struct user_regs_struct regs;
	struct iovec iov = { .iov_base = &regs, .iov_len = sizeof regs };

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &iov) < 0)
		die("read registers");
	regs.regs[0] = (unsigned long long)value;
	if (ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &iov) < 0)
		die("set a result");
}
#else
#error "no registers known for this processor"
#endif

/* ---- stops ---- */

/* The guard is at work before the supervisor says that both are. */
static bool waits(long nr)
{
#ifdef SYS_poll
	if (nr == SYS_poll)
		return true;
#endif
	return nr == SYS_ppoll;
}

static void kill_keeper(const struct tracer *t, int which)
{
	if (t->keepers[which] > 1)
		(void)kill(t->keepers[which], SIGKILL);
}

static void fire(struct tracer *t, struct task *task, long nr)
{
	struct shot *shot = t->shot;

	shot->hits++;
	shot->nr = nr;
	shot->late = task->kept || shot->error < 0 ||
		     (waits(nr) && is_keeper(task->pid));
	if (shot->error < 0) {
		kill_keeper(t, KILLED_KEEPER(shot->error));
		return;
	}
	if (shot->error == KILLED) {
		t->over = !shot->late;
		(void)kill(task->pid, SIGKILL);
		return;
	}
	/* A close that fails has closed the file nevertheless. */
	if (nr != SYS_close)
		skip_call(task->pid);
	task->failing = true;
}

/* A disk that is full, or a call that is missing, is so for everybody. */
static bool fails_too(const struct shot *shot,
		      const struct __ptrace_syscall_info *info)
{
	/* But there is a way to say so. */
	if (info->entry.nr == SYS_write && info->entry.args[0] == STDERR_FILENO)
		return false;
	return shot->stays && shot->hits > 0 &&
	       (long)info->entry.nr == shot->nr;
}

/* A thread may have made another call instead of the one of the record. */
static bool may_fail(const struct shot *shot, const struct task *task,
		     const struct __ptrace_syscall_info *info)
{
	const struct call call = { .nr = (long)info->entry.nr,
				   .kept = task->kept };

	return fair(&call, shot->error, shot->stays) == FAIR;
}

/* ---- the byte by which the supervisor tells the command to exit ---- */

static bool same_file(pid_t a, long fd, pid_t b, const char *other)
{
	char path[64];
	struct stat x, y;

	snprintf(path, sizeof path, "/proc/%d/fd/%ld", a, fd);
	if (stat(path, &x) < 0 || !S_ISFIFO(x.st_mode))
		return false;
	snprintf(path, sizeof path, "/proc/%d/fd/%.20s", b, other);
	return stat(path, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* One byte into a pipe that the command has, too. */
static bool is_report(const struct tracer *t, const struct task *task,
		      const struct __ptrace_syscall_info *info)
{
	bool found = false;
	const struct dirent *e;
	char path[64];
	DIR *dir;

	if (info->entry.nr != SYS_write || info->entry.args[2] != 1 ||
	    task->pid == t->root)
		return false;
	snprintf(path, sizeof path, "/proc/%d/fd", t->root);
	dir = opendir(path);
	while (dir && !found && (e = readdir(dir)))
		found = same_file(task->pid, (long)info->entry.args[0], t->root,
				  e->d_name);
	if (dir)
		closedir(dir);
	return found;
}

static void note_keepers(struct tracer *t)
{
	for (int i = 0; i < t->ntasks; i++)
		if (t->tasks[i].pid)
			t->tasks[i].kept = is_keeper(t->tasks[i].pid);
}

static void at_result(struct tracer *t, struct task *task, long result)
{
	if (task->reporting && result == 1)
		note_keepers(t);
	task->reporting = false;
	if (!task->failing)
		return;
	set_result(task->pid, -t->shot->error);
	task->failing = false;
	/* Follow keepers to see what they do of it. */
	t->over = !t->shot->stays && !t->shot->late;
}

static void at_call(struct tracer *t, struct task *task)
{
	struct __ptrace_syscall_info info;
	struct shot *shot = t->shot;
	int index = (int)(task - t->tasks);

	if (t->over || !task->counts ||
	    ptrace(PTRACE_GET_SYSCALL_INFO, task->pid, sizeof info, &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT)
		at_result(t, task, (long)info.exit.rval);
	if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	task->calls++;
	task->reporting = is_report(t, task, &info);
	if (shot->at.number < 0 && shot->n < MOST_CALLS)
		shot->calls[shot->n++] = (struct call){
			.task = index,
			.number = task->calls,
			.nr = (long)info.entry.nr,
			.kept = task->kept,
		};
	if ((shot->at.task == index && shot->at.number == task->calls &&
	     may_fail(shot, task, &info)) ||
	    fails_too(shot, &info))
		fire(t, task, (long)info.entry.nr);
}

/* True for one that now runs what is not the runtime. */
static bool runs_program(const struct tracer *t, pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	return stat(path, &st) == 0 && st.st_dev == t->program.st_dev &&
	       st.st_ino == t->program.st_ino;
}

/* False when it is let go. */
static bool at_exec(struct tracer *t, struct task *task)
{
	if (runs_program(t, task->pid)) {
		(void)ptrace(PTRACE_DETACH, task->pid, 0, 0);
		task->pid = 0;
		return false;
	}
	/* Until then the root is ourselves. */
	task->counts = true;
	return true;
}

static void at_stop(struct tracer *t, struct task *task, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;
	unsigned long number = 0;

	if (sig == (SIGTRAP | 0x80))
		at_call(t, task);
	if (event == PTRACE_EVENT_EXEC && !at_exec(t, task))
		return;
	if ((event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
	     event == PTRACE_EVENT_CLONE) &&
	    ptrace(PTRACE_GETEVENTMSG, task->pid, 0, &number) == 0 &&
	    number != 0) {
		bool kept = task->kept;

		find(t, (pid_t)number)->kept = kept;
	}
	if (event == PTRACE_EVENT_STOP && sig != SIGTRAP)
		(void)kill(task->pid, SIGCONT);
	if (event || sig == (SIGTRAP | 0x80))
		sig = 0;
	if (t->over) {
		(void)ptrace(PTRACE_DETACH, task->pid, 0, sig);
		task->pid = 0;
	} else {
		(void)ptrace(PTRACE_SYSCALL, task->pid, 0, sig);
	}
}

static void arm(int ms)
{
	const struct itimerval timer = {
		.it_value = { .tv_sec = ms / 1000,
			      .tv_usec = ms % 1000 * 1000 },
	};

	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

static bool is_crash(int status)
{
	static const int signals[] = { SIGSEGV, SIGABRT, SIGBUS,
				       SIGILL,	SIGFPE,	 SIGSYS };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (WIFSIGNALED(status) && WTERMSIG(status) == signals[i])
			return true;
	return false;
}

/* True while there is something to wait for. */
static bool one_event(struct tracer *t)
{
	int status;
	pid_t pid = waitpid(-1, &status, __WALL);

	if (pid < 0) {
		t->shot->hung = errno == EINTR && !t->root_ended;
		return false;
	}
	/* One that tries for ever is never waited for. */
	if (now() > t->deadline) {
		t->shot->hung = true;
		return false;
	}
	if (WIFSTOPPED(status)) {
		at_stop(t, find(t, pid), status);
	} else {
		find(t, pid)->pid = 0;
		if (is_crash(status))
			t->shot->crashed = true;
		if (pid == t->root) {
			t->root_ended = true;
			t->shot->status = status;
		}
	}
	if (t->root_ended)
		arm(QUIET_MS);
	return !t->root_ended || !t->over;
}

/* ---- the beginning ---- */

static void run_target(const struct target *target)
{
	(void)raise(SIGSTOP);
	if (dup2(target->in, 0) < 0 || dup2(target->out, 1) < 0 ||
	    dup2(target->err, 2) < 0)
		_exit(125);
	execvp(target->argv[0], target->argv);
	_exit(125);
}

/* All threads of a process that lives already. */
static void seize(struct tracer *t, pid_t pid, bool kept)
{
	char path[64];
	const struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid <= 0 || ptrace(PTRACE_SEIZE, tid, 0, OPTIONS) < 0)
			continue;
		find(t, tid)->kept = kept;
		(void)ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	}
	if (dir)
		closedir(dir);
}

static void nothing(int sig)
{
	(void)sig;
}

static void trace(struct shot *shot, const struct target *target, int patience)
{
	struct tracer t = { .shot = shot, .keepers = target->keepers };
	const struct sigaction wake = { .sa_handler = nothing };

	if (stat(target->program, &t.program) < 0)
		die(target->program);
	(void)sigaction(SIGALRM, &wake, NULL);
	t.root = fork();
	if (t.root < 0)
		die("fork");
	if (t.root == 0)
		run_target(target);
	(void)waitpid(t.root, NULL, WUNTRACED);
	if (ptrace(PTRACE_SEIZE, t.root, 0, OPTIONS) < 0)
		die("seize the command");
	find(&t, t.root)->counts = false;
	if (target->init)
		seize(&t, target->init, false);
	for (int i = 0; i < KEEPERS; i++)
		if (target->keepers[i])
			seize(&t, target->keepers[i], true);
	(void)kill(t.root, SIGCONT);
	arm(patience * 1000);
	t.deadline = now() + patience;
	while (one_event(&t))
		;
}

void shoot(struct shot *shot, const struct target *target, int patience)
{
	pid_t pid;

	shot->hung = shot->crashed = shot->late = false;
	shot->hits = 0;
	shot->n = 0;
	shot->status = 0;
	pid = fork();
	if (pid < 0)
		die("fork");
	/* When the tracer ends, the remaining processes go on. */
	if (pid == 0) {
		trace(shot, target, patience);
		_exit(0);
	}
	(void)room_wait(pid, (patience + 5) * 1000);
}
