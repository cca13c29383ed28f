/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/attacks.c - ways around a policy, one word each: what was done, or the
 * error that it got.
 *
 * Usage: attacks DIRECTORY SECRET PROCESS
 * DIRECTORY has a file `open`, which may be read and no more, and `twin` and
 * `spare` beside it. SECRET is a path that is not allowed at all, PROCESS is
 * a process outside, of the same user, started by
 *
 *        attacks victim SECRET READY sandlock-canary
 *
 * and another process listens: attacks listen READY.
 * Each attack is made by a process of its own, so that one that is killed ends
 * no other.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/if_packet.h>
#include <linux/seccomp.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attacks.h"

struct target target;

long call(long nr, long a, long b, long c, long d)
{
	return syscall(nr, a, b, c, d, 0, 0);
}

/* ---- files ---- */

static long reopen_writable(void)
{
	char path[64];
	int fd = open(FILE_OPEN, O_RDONLY);

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return fd < 0 ? -1 : open(path, O_RDWR);
}

static long change_mode(void)
{
	return chmod(FILE_OPEN, 0640);
}

static long change_mode_by_fd(void)
{
	return fchmod(open(FILE_OPEN, O_RDONLY), 0640);
}

static long change_mode_2(void)
{
	return call(452, AT_FDCWD, (long)FILE_OPEN, 0640, 0);
}

static long change_owner(void)
{
	return chown(FILE_OPEN, getuid(), getgid());
}

static long change_owner_by_path_fd(void)
{
	return fchownat(open(FILE_OPEN, O_PATH), "", getuid(), getgid(),
			AT_EMPTY_PATH);
}

static long set_attribute(void)
{
	return setxattr(FILE_OPEN, "user.attack", "x", 1, 0);
}

static long set_times(void)
{
	return utimensat(AT_FDCWD, FILE_OPEN, NULL, 0);
}

static long set_flags(void)
{
	int flags = 0, fd = open(FILE_OPEN, O_RDONLY);

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
		return -1;
	flags |= FS_NOATIME_FL;
	return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

static long set_project(void)
{
	struct fsxattr attr = { 0 };
	int fd = open(FILE_OPEN, O_RDONLY);

	if (ioctl(fd, FS_IOC_FSGETXATTR, &attr) < 0)
		return -1;
	attr.fsx_xflags |= FS_XFLAG_NOATIME;
	return ioctl(fd, FS_IOC_FSSETXATTR, &attr);
}

static long set_file_attributes(void)
{
	uint64_t attr[3] = { 0 };

	if (syscall(468, AT_FDCWD, FILE_OPEN, attr, sizeof attr, 0) < 0)
		return -1;
	attr[0] |= FS_XFLAG_NOATIME;
	return syscall(469, AT_FDCWD, FILE_OPEN, attr, sizeof attr, 0);
}

static long set_attribute_at(void)
{
	struct {
		uint64_t value;
		uint32_t size, flags;
	} args = { (uintptr_t) "x", 1, 0 };

	return syscall(463, AT_FDCWD, FILE_OPEN, 0, "user.attack", &args,
		       sizeof args);
}

/* The test has set it. */
static long remove_attribute(void)
{
	if (removexattr(FILE_OPEN, "user.kept") < 0)
		return -1;
	return setxattr(FILE_OPEN, "user.kept", "x", 1, 0);
}

static long remove_attribute_at(void)
{
	if (call(466, AT_FDCWD, (long)FILE_OPEN, 0, (long)"user.kept") < 0)
		return -1;
	return setxattr(FILE_OPEN, "user.kept", "x", 1, 0);
}

static long cut(void)
{
	return truncate(FILE_OPEN, 1);
}

static long make_file(void)
{
	return open("made", O_CREAT | O_WRONLY, 0600);
}

static long make_nameless(void)
{
	return open(".", O_TMPFILE | O_WRONLY, 0600);
}

static long rename_it(void)
{
	return rename(FILE_OPEN, "renamed") == 0 ?
		       rename("renamed", FILE_OPEN) :
		       -1;
}

static long link_it(void)
{
	return link(FILE_OPEN, "linked") == 0 ? unlink("linked") : -1;
}

static long link_by_descriptor(void)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d",
		 open(FILE_OPEN, O_PATH));
	return linkat(AT_FDCWD, path, AT_FDCWD, "linked", AT_SYMLINK_FOLLOW) ==
			       0 ?
		       unlink("linked") :
		       -1;
}

static long exchange(void)
{
	if (renameat2(AT_FDCWD, FILE_OPEN, AT_FDCWD, "twin", RENAME_EXCHANGE) <
	    0)
		return -1;
	return renameat2(AT_FDCWD, FILE_OPEN, AT_FDCWD, "twin",
			 RENAME_EXCHANGE);
}

static long whiteout(void)
{
	if (renameat2(AT_FDCWD, "twin", AT_FDCWD, "moved", RENAME_WHITEOUT) < 0)
		return -1;
	return rename("moved", "twin");
}

static long remove_it(void)
{
	return unlink("spare");
}

static long make_link(void)
{
	return symlink("/etc/passwd", "link") == 0 ? unlink("link") : -1;
}

static long make_device(void)
{
	return mknod("device", S_IFCHR | 0600, makedev(1, 3)) == 0 ?
		       unlink("device") :
		       -1;
}

static long handle(void)
{
	struct {
		struct file_handle h;
		char bytes[128];
	} f = { .h.handle_bytes = 128 };
	int id;

	return name_to_handle_at(AT_FDCWD, FILE_OPEN, &f.h, &id, 0);
}

/* ---- namespaces and mounts ---- */

static long mount_tmpfs(void)
{
	return mount("none", ".", "tmpfs", 0, NULL) == 0 ? umount(".") : -1;
}

static long clone_tree(void)
{
	return call(428, AT_FDCWD, (long)".", 1, 0);
}

static long open_fs(void)
{
	return call(430, (long)"tmpfs", 0, 0, 0);
}

static long change_root(void)
{
	return chroot(".");
}

static long new_user(void)
{
	return unshare(CLONE_NEWUSER);
}

static long new_mounts(void)
{
	return unshare(CLONE_NEWNS);
}

static long clone_user(void)
{
	long pid = call(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return pid;
}

static long clone3_user(void)
{
	struct {
		uint64_t flags, rest[10];
	} args = { .flags = CLONE_NEWUSER };
	long pid = call(SYS_clone3, (long)&args, sizeof args, 0, 0);

	if (pid == 0)
		_exit(0);
	return pid;
}

static long join_own(void)
{
	return setns(open("/proc/self/ns/uts", O_RDONLY), 0);
}

/* ---- network ---- */

static long tcp(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static long udp6(void)
{
	return socket(AF_INET6, SOCK_DGRAM, 0);
}

static long multipath(void)
{
	return socket(AF_INET, SOCK_STREAM, 262);
}

static long raw(void)
{
	return socket(AF_INET, SOCK_RAW, 1);
}

static long packets(void)
{
	return socket(AF_PACKET, SOCK_RAW, 0);
}

static long vsock(void)
{
	return socket(AF_VSOCK, SOCK_STREAM, 0);
}

static long audit(void)
{
	return socket(AF_NETLINK, SOCK_RAW, 9);
}

/* Where somebody listens outside: an abstract address has no end but its size. */
static const struct sockaddr_un outside = { AF_UNIX, "\0sandlock-attack" };
#define OUTSIDE_SIZE (sizeof outside.sun_family + 16)

static long abstract(void)
{
	return connect(socket(AF_UNIX, SOCK_STREAM, 0),
		       (const struct sockaddr *)&outside, OUTSIDE_SIZE);
}

/* ---- processes and the kernel ---- */

static long trace_parent(void)
{
	return ptrace(PTRACE_SEIZE, getppid(), 0, 0);
}

static long read_parent(void)
{
	char byte;
	struct iovec own = { &byte, 1 }, other = { (void *)trace_parent, 1 };

	return syscall(SYS_process_vm_readv, getppid(), &own, 1L, &other, 1L,
		       0L);
}

static long take_descriptor(void)
{
	return call(SYS_pidfd_getfd, call(SYS_pidfd_open, getppid(), 0, 0, 0),
		    1, 0, 0);
}

static long key(void)
{
	return call(SYS_keyctl, 0, -3, 1, 0);
}

static long bpf(void)
{
	struct {
		uint32_t type, key, value, entries;
		char rest[64];
	} map = { 2, 4, 4, 1, "" };

	return call(SYS_bpf, 0, (long)&map, sizeof map, 0);
}

static long faults(void)
{
	return call(SYS_userfaultfd, 1, 0, 0, 0);
}

static long ring(void)
{
	char params[256] = "";

	return call(SYS_io_uring_setup, 1, (long)params, 0, 0);
}

static long shared_memory(void)
{
	long id = call(SYS_shmget, IPC_PRIVATE, 4096, 0600 | IPC_CREAT, 0);

	return id < 0 ? -1 : shmctl((int)id, IPC_RMID, NULL);
}

static long listener(void)
{
	struct {
		unsigned short len;
		struct {
			uint16_t code;
			uint8_t jt, jf;
			uint32_t k;
		} * filter;
	} program = { 1, (void *)&(uint64_t){ 0x7fff000000000006 } };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return call(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_NEW_LISTENER, (long)&program, 0);
}

static long personality_exec(void)
{
	return personality(READ_IMPLIES_EXEC);
}

static long type_ahead(void)
{
	return ioctl(open("/dev/ptmx", O_RDWR | O_NOCTTY), TIOCSTI | 1UL << 32,
		     "x") < 0 &&
			       errno == EPERM ?
		       -1 :
		       0;
}

/* Where the kernel knows no other ABI it is as good as refused. */
static long other_abi(void)
{
#ifdef __x86_64__
	long pid;

	__asm__ volatile("int $0x80" : "=a"(pid) : "a"(20) : "memory");
	if (pid > 0)
		return pid;
#endif
	errno = ENOSYS;
	return -1;
}

static const struct attack attacks[] = {
	ATTACK(reopen_writable),
	ATTACK(change_mode),
	ATTACK(change_mode_by_fd),
	ATTACK(change_mode_2),
	ATTACK(change_owner),
	ATTACK(change_owner_by_path_fd),
	ATTACK(set_attribute),
	ATTACK(set_times),
	ATTACK(set_flags),
	ATTACK(set_project),
	ATTACK(set_file_attributes),
	ATTACK(set_attribute_at),
	ATTACK(remove_attribute),
	ATTACK(remove_attribute_at),
	ATTACK(cut),
	ATTACK(make_file),
	ATTACK(make_nameless),
	ATTACK(rename_it),
	ATTACK(link_it),
	ATTACK(link_by_descriptor),
	ATTACK(exchange),
	ATTACK(whiteout),
	ATTACK(remove_it),
	ATTACK(make_link),
	ATTACK(make_device),
	ATTACK(handle),
	ATTACK(mount_tmpfs),
	ATTACK(clone_tree),
	ATTACK(open_fs),
	ATTACK(change_root),
	ATTACK(new_user),
	ATTACK(new_mounts),
	ATTACK(clone_user),
	ATTACK(clone3_user),
	ATTACK(join_own),
	ATTACK(tcp),
	ATTACK(udp6),
	ATTACK(multipath),
	ATTACK(raw),
	ATTACK(packets),
	ATTACK(vsock),
	ATTACK(audit),
	ATTACK(abstract),
	ATTACK(trace_parent),
	ATTACK(read_parent),
	ATTACK(take_descriptor),
	ATTACK(key),
	ATTACK(bpf),
	ATTACK(faults),
	ATTACK(ring),
	ATTACK(shared_memory),
	ATTACK(listener),
	ATTACK(personality_exec),
	ATTACK(type_ahead),
	ATTACK(other_abi),
};

static void try(const struct attack *attack)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		errno = 0;
		if (attack->act() >= 0)
			printf("%s done\n", attack->name);
		else
			printf("%s %s\n", attack->name, strerrorname_np(errno));
		fflush(stdout);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
		printf("%s killed\n", attack->name);
}

/* It has the secret as a descriptor, as memory and beside it, until TERM. */
static int be_victim(const char *secret, const char *ready)
{
	char folder[4096];
	int fd = open(secret, O_RDONLY), signal;
	sigset_t set;

	snprintf(folder, sizeof folder, "%.*s",
		 (int)(strrchr(secret, '/') - secret), secret);
	if (fd < 0 || chdir(folder) < 0 ||
	    mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		return 2;
	setsid();
	mq_open(QUEUE, O_CREAT | O_RDWR, 0600, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (creat(ready, 0600) < 0)
		return 2;
	sigwait(&set, &signal);
	mq_unlink(QUEUE);
	return 0;
}

static int listen_outside(const char *ready)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (bind(fd, (const struct sockaddr *)&outside, OUTSIDE_SIZE) < 0 ||
	    listen(fd, 8) < 0 || creat(ready, 0600) < 0)
		return 2;
	for (;;)
		close(accept(fd, NULL, NULL));
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "listen") == 0)
		return listen_outside(argv[2]);
	if (argc == 5 && strcmp(argv[1], "victim") == 0)
		return be_victim(argv[2], argv[3]);
	if (argc != 4 || chdir(argv[1]) < 0)
		return 2;
	target.secret = argv[2];
	target.other = atoi(argv[3]);
	for (size_t i = 0; i < COUNT(attacks); i++)
		try(&attacks[i]);
	for (size_t i = 0; i < outside_nattacks; i++)
		try(&outside_attacks[i]);
	return 0;
}
