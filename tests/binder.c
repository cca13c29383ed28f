/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/binder.c - bind Unix sockets to files, and move those around.
 *
 * Usage: binder ACTION...
 *   stream PATH, datagram PATH, seqpacket PATH   bind, and listen
 *   early PATH         bind, and do not listen yet
 *   orphan PATH        bind in a network namespace that nobody is in then
 *   chdir DIR, chroot DIR, unlink PATH, rename FROM TO, link FROM TO
 *   mount FROM TO      a bind mount
 *
 * Says "bound" after the last one, and stays.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int bind_at(int type, const char *path, int listens)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type, 0);

	strncpy(address.sun_path, path, sizeof address.sun_path - 1);
	if (fd < 0 ||
	    bind(fd, (const struct sockaddr *)&address, sizeof address) < 0)
		return -1;
	return listens ? listen(fd, 100) : 0;
}

static int bind_elsewhere(const char *path)
{
	int home = open("/proc/self/ns/net", O_RDONLY);

	if (home < 0 || unshare(CLONE_NEWNET) < 0 ||
	    bind_at(SOCK_STREAM, path, 1) < 0)
		return -1;
	return setns(home, CLONE_NEWNET);
}

static int one(const char *action, const char *path)
{
	if (strcmp(action, "stream") == 0)
		return bind_at(SOCK_STREAM, path, 1);
	if (strcmp(action, "datagram") == 0)
		return bind_at(SOCK_DGRAM, path, 0);
	if (strcmp(action, "seqpacket") == 0)
		return bind_at(SOCK_SEQPACKET, path, 1);
	if (strcmp(action, "early") == 0)
		return bind_at(SOCK_STREAM, path, 0);
	if (strcmp(action, "orphan") == 0)
		return bind_elsewhere(path);
	if (strcmp(action, "chdir") == 0)
		return chdir(path);
	if (strcmp(action, "chroot") == 0)
		return chroot(path);
	return strcmp(action, "unlink") == 0 ? unlink(path) : 1;
}

static int two(const char *action, const char *from, const char *to)
{
	if (strcmp(action, "rename") == 0)
		return rename(from, to);
	if (strcmp(action, "link") == 0)
		return link(from, to);
	return mount(from, to, NULL, MS_BIND, NULL);
}

int main(int argc, char **argv)
{
	umask(0);
	for (int i = 1; i + 1 < argc; i += 2) {
		int r = one(argv[i], argv[i + 1]);

		if (r > 0 && i + 2 < argc) {
			r = two(argv[i], argv[i + 1], argv[i + 2]);
			i++;
		}
		if (r != 0) {
			perror(argv[i]);
			return 1;
		}
	}
	puts("bound");
	fflush(stdout);
	pause();
	return 0;
}
