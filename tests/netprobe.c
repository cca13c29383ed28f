/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/netprobe.c - one way to use the network, and what came of it.
 *
 * Usage: netprobe bind PORT | listen | connect PORT | fastopen PORT | mptcp PORT | udp PORT | unix PATH | packets PATH | serve PATH | send PATH | hear PATH | abstract NAME | kill PID | up INTERFACE
 *
 * PORT is one of 127.0.0.1. Says "ok", or why not.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define READY "READY=1"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef MSG_FASTOPEN
#define MSG_FASTOPEN 0x20000000
#endif

static struct sockaddr_in port_of(const char *text)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(text)),
	};

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return addr;
}

static int try_internet(const char *how, const char *port)
{
	struct sockaddr_in addr = port_of(port);
	const struct sockaddr *to = (const struct sockaddr *)&addr;
	int udp = strcmp(how, "udp") == 0;
	int fd = socket(AF_INET, udp ? SOCK_DGRAM : SOCK_STREAM,
			strcmp(how, "mptcp") == 0 ? IPPROTO_MPTCP : 0);

	if (fd < 0)
		return -1;
	if (strcmp(how, "listen") == 0)
		return listen(fd, 1);
	if (strcmp(how, "connect") == 0)
		return connect(fd, to, sizeof addr);
	if (strcmp(how, "fastopen") == 0)
		return sendto(fd, "x", 1, MSG_FASTOPEN, to, sizeof addr) < 0 ?
			       -1 :
			       0;
	if (bind(fd, to, sizeof addr) < 0)
		return -1;
	return udp ? 0 : listen(fd, 1);
}

static void hear(int fd)
{
	char text[64] = "";

	if (recv(fd, text, sizeof text - 1, 0) > 0) {
		puts(text);
		fflush(stdout);
	}
}

static int try_unix(const char *how, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int abstract = strcmp(how, "abstract") == 0;
	int datagrams = strcmp(how, "send") == 0 || strcmp(how, "hear") == 0;
	socklen_t len = sizeof addr;
	int type = strcmp(how, "packets") == 0 ? SOCK_SEQPACKET : SOCK_STREAM;
	int fd = socket(AF_UNIX, datagrams ? SOCK_DGRAM : type, 0);

	if (fd < 0)
		return -1;
	strncpy(addr.sun_path + abstract, path,
		sizeof addr.sun_path - 1 - (size_t)abstract);
	if (abstract)
		len = (socklen_t)(sizeof addr.sun_family + 1 + strlen(path));
	if (strcmp(how, "send") == 0)
		return sendto(fd, READY, strlen(READY), 0,
			      (struct sockaddr *)&addr, len) < 0 ?
			       -1 :
			       0;
	if (strcmp(how, "serve") != 0 && strcmp(how, "hear") != 0)
		return connect(fd, (struct sockaddr *)&addr, len);
	if (path[0] == '@') {
		addr.sun_path[0] = '\0';
		len = (socklen_t)(sizeof addr.sun_family + strlen(path));
	}
	if (bind(fd, (struct sockaddr *)&addr, len) < 0 ||
	    (!datagrams && listen(fd, 8) < 0))
		return -1;
	puts("serving");
	fflush(stdout);
	for (;;)
		if (datagrams)
			hear(fd);
		else
			close(accept(fd, NULL, NULL));
}

/* Any socket will do. */
static int try_up(const char *interface)
{
	struct ifreq request = { .ifr_flags = IFF_UP };

	strncpy(request.ifr_name, interface, sizeof request.ifr_name - 1);
	return ioctl(socket(AF_UNIX, SOCK_STREAM, 0), SIOCSIFFLAGS, &request);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const char *what = argc > 2 ? argv[2] : "0";
	int r;

	if (strcmp(how, "kill") == 0)
		r = kill(atoi(what), 0);
	else if (strcmp(how, "up") == 0)
		r = try_up(what);
	else if (strcmp(how, "unix") == 0 || strcmp(how, "serve") == 0 ||
		 strcmp(how, "packets") == 0 || strcmp(how, "abstract") == 0 ||
		 strcmp(how, "send") == 0 || strcmp(how, "hear") == 0)
		r = try_unix(how, what);
	else
		r = try_internet(how, what);
	printf("%s\n", r < 0 ? strerror(errno) : "ok");
	return 0;
}
