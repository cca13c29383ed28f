/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/cve/sockets.c - which sockets can be had: all families, types and the
 * protocols that matter, made in every way there is. Nothing is sent.
 *
 * Prints "FAMILY TYPE PROTOCOL" for each that opens, and the error of each way
 * around the call.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAMILIES 64
#define TYPES 11

static const int protocols[] = { 0, 1, 6, 17, 58, 132, 136, 255, 262 };

static const char *outcome(long r)
{
	return r < 0 ? strerrorname_np(errno) : "OK";
}

/* The kernel looks at 32 bits; a filter may have looked at all. */
static void try(int family, int type, int protocol)
{
	const unsigned long high[] = { 0, 1UL << 32 };

	for (int i = 0; i < 2; i++) {
		long fd = syscall(SYS_socket, high[i] | (unsigned int)family,
				  high[i] | (unsigned int)type,
				  high[i] | (unsigned int)protocol);

		if (fd < 0)
			continue;
		printf("%d %d %d%s\n", family, type, protocol,
		       i ? " high" : "");
		close((int)fd);
	}
}

int main(void)
{
	for (int family = 0; family < FAMILIES; family++)
		for (int type = 0; type < TYPES; type++)
			for (size_t i = 0;
			     i < sizeof protocols / sizeof *protocols; i++)
				try(family, type, protocols[i]);
	printf("io_uring_setup %s\n",
	       outcome(syscall(SYS_io_uring_setup, 1, NULL)));
	return 0;
}
