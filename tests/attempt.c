/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/attempt.c - make one system call that a policy may deny.
 *
 * Usage: attempt CALL [WORD...]
 *
 * The status is 0 if the call succeeded; otherwise 1, and the error is printed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int opens(const char *path, int flags)
{
	return open(path, flags | O_CLOEXEC, 0644);
}

static int executes(char *const words[])
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		execv(words[0], words);
		_exit(errno);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -1;
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static int internet(const char *call, const char *address, int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, address, &to.sin_addr);
	if (fd < 0)
		return -1;
	if (strcmp(call, "bind") == 0)
		return bind(fd, (void *)&to, sizeof to);
	/* Nobody listens: that a server could refuse is all that counts. */
	if (connect(fd, (void *)&to, sizeof to) < 0 && errno != ECONNREFUSED)
		return -1;
	return 0;
}

static int connects(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
	return fd < 0 ? -1 : connect(fd, (void *)&to, sizeof to);
}

static int of_files(const char *call, char *const w[])
{
	if (strcmp(call, "read") == 0)
		return opens(w[0], O_RDONLY);
	if (strcmp(call, "write") == 0)
		return opens(w[0], O_WRONLY);
	if (strcmp(call, "both") == 0)
		return opens(w[0], O_RDWR);
	if (strcmp(call, "create") == 0)
		return opens(w[0], O_WRONLY | O_CREAT);
	if (strcmp(call, "truncate") == 0)
		return truncate(w[0], 0);
	if (strcmp(call, "mkdir") == 0)
		return mkdir(w[0], 0755);
	if (strcmp(call, "rmdir") == 0)
		return rmdir(w[0]);
	if (strcmp(call, "unlink") == 0)
		return unlink(w[0]);
	if (strcmp(call, "rename") == 0)
		return rename(w[0], w[1]);
	if (strcmp(call, "symlink") == 0)
		return symlink("nowhere", w[0]);
	if (strcmp(call, "chmod") == 0)
		return chmod(w[0], 0700);
	if (strcmp(call, "chdir") == 0)
		return chdir(w[0]);
	if (strcmp(call, "list") == 0)
		return opens(w[0], O_RDONLY | O_DIRECTORY);
	if (strcmp(call, "execute") == 0)
		return executes(w);
	errno = EINVAL;
	return -1;
}

static int of_kernel(const char *call, char *const w[])
{
	if (strcmp(call, "connect") == 0 || strcmp(call, "bind") == 0)
		return internet(call, w[0], atoi(w[1]));
	if (strcmp(call, "unix") == 0)
		return connects(w[0]);
	if (strcmp(call, "socket") == 0)
		return socket(atoi(w[0]), atoi(w[1]), 0);
	if (strcmp(call, "unshare") == 0)
		return unshare(CLONE_NEWUSER);
	if (strcmp(call, "personality") == 0)
		return personality(ADDR_NO_RANDOMIZE);
	if (strcmp(call, "shmget") == 0)
		return shmget(IPC_PRIVATE, 4096, 0600);
	if (strcmp(call, "keyctl") == 0)
		return (int)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING,
				    NULL);
	if (strcmp(call, "ptrace") == 0)
		return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	if (strcmp(call, "suid") == 0)
		return chmod(w[0], 04755);
	if (strcmp(call, "listen") == 0) {
		struct sockaddr_un any = { .sun_family = AF_UNIX };
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		return bind(fd, (void *)&any, sizeof any.sun_family) < 0 ?
			       -1 :
			       listen(fd, 1);
	}
	return of_files(call, w);
}

int main(int argc, char **argv)
{
	if (argc < 2 || of_kernel(argv[1], argv + 2) < 0) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
