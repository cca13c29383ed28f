/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/trace.c - trace a sandbox: handle stops, and examine failed
 * calls.
 */
#include "runtime/denials/trace.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/host.h"
#include "runtime/enforce/view.h"
#include "runtime/sandbox/request.h"

#define OPTIONS                                                               \
	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |     \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | \
	 PTRACE_O_EXITKILL)
#define SYSCALL_STOP (SIGTRAP | 0x80)
#define FROM_FILTER 1 /* si_code of SIGSYS: SYS_SECCOMP */
#define PAGE 4096
#define NAMESPACES                                                     \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWTIME)

struct trace_pending {
	pid_t tid;
	const struct trace_call *call;
	uint64_t args[6];
};

/* The C library's ptrace has an enum as its first parameter. */
static long ptrace_call(int request, pid_t tid, uintptr_t addr, uintptr_t data)
{
	return syscall(SYS_ptrace, request, tid, addr, data);
}

/* ---- calls in progress ---- */

static struct trace_pending *find(struct trace *trace, pid_t tid)
{
	for (size_t i = 0; i < trace->npending; i++)
		if (trace->pending[i].tid == tid)
			return &trace->pending[i];
	return NULL;
}

static void forget(struct trace *trace, pid_t tid)
{
	struct trace_pending *pending = find(trace, tid);

	if (pending)
		*pending = trace->pending[--trace->npending];
}

static int note(struct trace *trace, const struct trace_pending *pending)
{
	if (trace->npending == trace->size) {
		size_t size = trace->size ? 2 * trace->size : 16;
		struct trace_pending *grown =
			arena_grow(trace->arena, trace->pending,
				   trace->npending, size, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		trace->pending = grown;
		trace->size = size;
	}
	trace->pending[trace->npending++] = *pending;
	return 0;
}

/* ---- memory and names of a process ---- */

static ssize_t read_memory(pid_t tid, uint64_t from, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)from, size };

	return process_vm_readv(tid, &local, 1, &remote, 1, 0);
}

/* Read one page at a time: the next one may not be mapped. */
static bool read_text(pid_t tid, uint64_t from, char ret[PATH_MAX])
{
	size_t at = 0;

	while (at < PATH_MAX) {
		size_t size = PAGE - (from + at) % PAGE;
		ssize_t n;

		if (size > PATH_MAX - at)
			size = PATH_MAX - at;
		n = read_memory(tid, from + at, ret + at, size);
		if (n <= 0)
			return false;
		if (memchr(ret + at, '\0', (size_t)n))
			return true;
		at += (size_t)n;
	}
	return false;
}

/* Get the path in the sandbox: the kernel stops at the root of its mounts. */
static bool read_link(const struct trace *trace, pid_t tid, int fd,
		      char ret[PATH_MAX])
{
	char name[64];
	ssize_t n;

	if (fd == AT_FDCWD)
		snprintf(name, sizeof name, "%d/cwd", tid);
	else
		snprintf(name, sizeof name, "%d/fd/%d", tid, fd);
	n = readlinkat(trace->proc, name, ret, PATH_MAX - 1);
	if (n <= 0 || ret[0] != '/')
		return false;
	ret[n] = '\0';
	return true;
}

static bool full_path(const struct trace *trace, pid_t tid,
		      const struct trace_target *target, char ret[PATH_MAX])
{
	char path[PATH_MAX], dir[PATH_MAX];

	if (!read_text(tid, target->path, path))
		return false;
	if (path[0] == '/') {
		strcpy(ret, path);
		return true;
	}
	if (!read_link(trace, tid, target->dir, dir))
		return false;
	return (size_t)snprintf(ret, PATH_MAX, "%s%s%s",
				streq(dir, "/") ? "" : dir, *path ? "/" : "",
				path) < PATH_MAX;
}

/* ---- a call that failed ---- */

/* "TCP" or "TCPv6"; Landlock does not restrict others. */
static bool is_tcp(pid_t tid, int fd)
{
	char link[64], name[32] = "";

	snprintf(link, sizeof link, "/proc/%d/fd/%d", tid, fd);
	return getxattr(link, "system.sockprotoname", name, sizeof name - 1) >
		       0 &&
	       strncmp(name, "TCP", strlen("TCP")) == 0;
}

static int attribute_socket(const struct trace *trace, pid_t tid,
			    const char *name, const struct trace_target *target,
			    int error)
{
	struct sockaddr_storage address = { 0 };
	size_t size = target->size < sizeof address ? target->size :
						      sizeof address;

	if (read_memory(tid, target->path, &address, size) != (ssize_t)size)
		return 0;
	if (error == EACCES && is_tcp(tid, target->dir))
		return attribute_port(&trace->attribution, name, &address,
				      size);
	return attribute_address(&trace->attribution, name, &address, size,
				 error);
}

static int attribute_target(const struct trace *trace, pid_t tid,
			    const struct trace_call *call,
			    const struct trace_target *target, int error)
{
	char path[PATH_MAX];
	struct attribute_path wanted = {
		.path = path,
		.rights = target->rights,
		.error = error,
		.makes = target->makes,
		.link = target->link,
		.name = target->name,
		.access = target->access,
		.owner = target->owner,
		.chown = target->chown,
		.uid = target->uid,
		.gid = target->gid,
	};

	if (target->address)
		return attribute_socket(trace, tid, trace_call_name(call),
					target, error);
	if (!full_path(trace, tid, target, path))
		return 0;
	if (target->rights == LANDLOCK_MAY_EXECUTE && !target->makes)
		return attribute_program(&trace->attribution, path, error);
	return attribute_file(&trace->attribution, &wanted);
}

/* Filter early: most failures are for names that do not exist. */
static bool is_interesting(int error)
{
	return error == EACCES || error == EPERM || error == EROFS ||
	       error == ENOENT || error == EBUSY || error == ENETUNREACH ||
	       error == EHOSTUNREACH || error == ECONNREFUSED;
}

static void attribute_failed(const struct trace *trace,
			     const struct trace_pending *pending, int error)
{
	struct trace_target targets[TRACE_TARGETS];
	uint64_t flags = 0, at = trace_flags_at(pending->call, pending->args);
	int n;

	if (!is_interesting(error) ||
	    (at && read_memory(pending->tid, at, &flags, sizeof flags) !=
			   sizeof flags))
		return;
	n = trace_decode(pending->call, pending->args, flags, targets);
	for (int i = 0; i < n; i++)
		/* If out of memory, the list stays incomplete. */
		(void)attribute_target(trace, pending->tid, pending->call,
				       &targets[i], error);
}

/* ---- stops ---- */

static void resume(struct trace *trace, pid_t tid, int sig)
{
	(void)ptrace_call(find(trace, tid) ? PTRACE_SYSCALL : PTRACE_CONT, tid,
			  0, (uintptr_t)sig);
}

static void on_call(struct trace *trace, pid_t tid)
{
	struct __ptrace_syscall_info info;
	struct trace_pending pending = { .tid = tid };

	forget(trace, tid);
	if (ptrace_call(PTRACE_GET_SYSCALL_INFO, tid, sizeof info,
			(uintptr_t)&info) > 0 &&
	    info.op == PTRACE_SYSCALL_INFO_SECCOMP) {
		if (trace->map.arch != info.arch)
			trace_map_make(info.arch, &trace->map);
		pending.call = trace_find(&trace->map, info.seccomp.nr);
		for (int i = 0; i < 6; i++)
			pending.args[i] = info.seccomp.args[i];
		if (pending.call)
			(void)note(trace, &pending);
	}
	resume(trace, tid, 0);
}

static void on_return(struct trace *trace, pid_t tid)
{
	const struct trace_pending *pending = find(trace, tid);
	struct __ptrace_syscall_info info;

	if (pending &&
	    ptrace_call(PTRACE_GET_SYSCALL_INFO, tid, sizeof info,
			(uintptr_t)&info) > 0 &&
	    info.op == PTRACE_SYSCALL_INFO_EXIT && info.exit.is_error)
		attribute_failed(trace, pending, (int)-info.exit.rval);
	forget(trace, tid);
	resume(trace, tid, 0);
}

/* Get the arguments of the call; return the register of its result. */
static uint64_t *answer_of(struct user_regs_struct *regs, uint64_t args[6])
{
#if defined(__x86_64__)
	const uint64_t given[] = { regs->rdi, regs->rsi, regs->rdx,
				   regs->r10, regs->r8,	 regs->r9 };

	memcpy(args, given, sizeof given);
	return (uint64_t *)&regs->rax;
#elif defined(__aarch64__)
	memcpy(args, regs->regs, 6 * sizeof *args);
	return (uint64_t *)&regs->regs[0];
#else
	(void)regs;
	(void)args;
	return NULL;
#endif
}

/* clone3 also makes threads and processes: report it only for namespaces. */
static bool is_denial(pid_t tid, uint64_t number, const uint64_t args[6])
{
	uint64_t flags = 0;

	if (number != SYS_clone3)
		return true;
	return read_memory(tid, args[0], &flags, sizeof flags) ==
		       sizeof flags &&
	       flags & NAMESPACES;
}

/*
 * A call of the blocklist, which was not made. If we cannot set its result, the
 * process gets the signal, which kills it.
 */
static bool on_refused(const struct trace *trace, pid_t tid)
{
	struct user_regs_struct regs;
	struct iovec io = { &regs, sizeof regs };
	uint64_t args[6], number, *answer;
	siginfo_t info;

	if (ptrace_call(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)&info) < 0 ||
	    info.si_code != FROM_FILTER ||
	    ptrace_call(PTRACE_GETREGSET, tid, NT_PRSTATUS, (uintptr_t)&io) < 0)
		return false;
	answer = answer_of(&regs, args);
	if (!answer)
		return false;
	number = (uint64_t)info.si_syscall;
	*answer = (uint64_t)(confine_is_optional(info.si_arch, number) ?
				     -ENOSYS :
				     -EPERM);
	if (ptrace_call(PTRACE_SETREGSET, tid, NT_PRSTATUS, (uintptr_t)&io) < 0)
		return false;
	if (is_denial(tid, number, args))
		(void)attribute_call(&trace->attribution, info.si_arch, number,
				     args);
	return true;
}

/* A thread other than the first takes over its id. */
static void on_exec(struct trace *trace, pid_t tid)
{
	unsigned long former;

	if (ptrace_call(PTRACE_GETEVENTMSG, tid, 0, (uintptr_t)&former) == 0)
		forget(trace, (pid_t)former);
	forget(trace, tid);
	trace->executed = true;
	resume(trace, tid, 0);
}

static bool is_stop(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN ||
	       sig == SIGTTOU;
}

static void on_event(struct trace *trace, pid_t tid, int event, int sig)
{
	switch (event) {
	case PTRACE_EVENT_SECCOMP:
		on_call(trace, tid);
		return;
	case PTRACE_EVENT_EXEC:
		on_exec(trace, tid);
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_VFORK:
		if (tid == trace->child && trace->is_reaper)
			(void)ptrace_call(PTRACE_DETACH, tid, 0, 0);
		else
			resume(trace, tid, 0);
		return;
	case PTRACE_EVENT_STOP:
		if (is_stop(sig))
			(void)ptrace_call(PTRACE_LISTEN, tid, 0, 0);
		else
			resume(trace, tid, 0);
		return;
	default:
		resume(trace, tid, 0);
	}
}

void trace_traced(void *user, const siginfo_t *info)
{
	struct trace *trace = user;
	int event = info->si_status >> 8, sig = info->si_status & 0xff;
	pid_t tid = info->si_pid;

	if (info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED) {
		/* The filter killed it, and a tracer gets no stop for that. */
		if (info->si_code != CLD_EXITED && info->si_status == SIGSYS &&
		    !trace->signalled)
			(void)attribute_abi(&trace->attribution);
		forget(trace, tid);
		trace->over = true;
	} else if (event) {
		on_event(trace, tid, event, sig);
	} else if (sig == SYSCALL_STOP) {
		on_return(trace, tid);
	} else if (sig == SIGSYS && on_refused(trace, tid)) {
		resume(trace, tid, 0);
	} else {
		trace->signalled |= sig == SIGSYS;
		resume(trace, tid, sig);
	}
}

/* ---- from CREATED to the program ---- */

void trace_attribution(const struct prepared *c, const struct request *request,
		       int root, struct denials *denials,
		       struct attribution *ret)
{
	const struct enforcement *enforcement = &c->enforcement;

	*ret = (struct attribution){
		.policy = &enforcement->policy,
		.view = enforcement->view,
		.denials = denials,
		.root = root,
		.prefix = enforcement->view->prefix,
		.no_namespaces = enforcement->kind ==
				 ENFORCE_SANDBOX_NO_NAMESPACES,
		.judges_sockets =
			landlock_judges_sockets(&enforcement->landlock_host),
		.net = &enforcement->process.landlock,
		.cwd = request->cwd,
		.home = request->home,
		.project = request->project,
	};
	denials->cwd = request->cwd;
}

int trace_open(struct trace *trace, const struct prepared *c,
	       const struct request *request, struct denials *denials)
{
	const struct policy *policy = &c->enforcement.policy;
	const char *top = policy->chroot ? policy->chroot : "/";

	trace->arena = c->arena;
	trace->proc = c->proc;
	trace->root = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (trace->root < 0)
		return fail(errno, "open the root of the sandbox, %s", top);
	trace_attribution(c, request, trace->root, denials,
			  &trace->attribution);
	return 0;
}

int trace_attach(struct trace *trace, const struct creation *c)
{
	trace->child = c->launch.pid;
	trace->is_reaper = c->prepared->settings.has_reaper;
	if (ptrace_call(PTRACE_SEIZE, trace->child, 0, OPTIONS) < 0)
		return fail(errno, "--why: trace the command with ptrace");
	return 0;
}

int trace_follow(struct trace *trace)
{
	while (!trace->executed && !trace->over) {
		const int wanted = WEXITED | WSTOPPED | __WALL;
		siginfo_t info = { 0 };

		if (waitid(P_ALL, 0, &info, wanted | WNOWAIT) < 0) {
			if (errno == EINTR)
				continue;
			return fail(errno, "--why: wait for the command");
		}
		/* launch_until reports the end of the child. */
		if (info.si_pid == trace->child && info.si_code != CLD_TRAPPED)
			return 0;
		if (waitid(P_PID, (id_t)info.si_pid, &info, wanted) < 0)
			return fail(errno, "--why: wait for the command");
		trace_traced(trace, &info);
	}
	return 0;
}

int trace_candidates(struct arena *arena, const struct oci_process *process,
		     struct strings *ret)
{
	const char *name = process->args.items[0];
	const char *dir = oci_env_get(&process->env, "PATH");
	int r = 0;

	*ret = (struct strings){ 0 };
	if (name[0] == '/')
		return strings_add(arena, ret, name);
	if (strchr(name, '/'))
		return strings_add(arena, ret,
				   arena_printf(arena, "%s/%s", process->cwd,
						name));
	for (dir = dir ? dir : OCI_DEFAULT_PATH; r >= 0; dir++) {
		size_t len = strcspn(dir, ":");

		if (dir[0] == '/')
			r = strings_add(arena, ret,
					arena_printf(arena, "%.*s/%s", (int)len,
						     dir, name));
		dir += len;
		if (!*dir)
			break;
	}
	return r;
}

void trace_not_begun(const struct trace *trace, const struct creation *c)
{
	const struct oci_process *process = c->prepared->spec.process;
	struct strings candidates;

	if ((c->launch.failed_op != STEP_FIND_PROGRAM &&
	     c->launch.failed_op != STEP_EXEC) ||
	    trace->attribution.denials->n ||
	    trace_candidates(trace->arena, process, &candidates) < 0)
		return;
	for (size_t i = 0; i < candidates.n; i++) {
		(void)attribute_program(&trace->attribution,
					candidates.items[i], ENOENT);
		if (trace->attribution.denials->n)
			return;
	}
}

void trace_close(struct trace *trace)
{
	audit_close(&trace->audit);
	closep(&trace->root);
}
