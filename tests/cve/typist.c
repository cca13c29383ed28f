/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/cve/typist.c - a hostile program that got a user's terminal as its
 * standard input: take it over, type into it, and say what came of it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void try(const char *what, unsigned long request, const void *argument)
{
	long r = syscall(SYS_ioctl, 0, request, argument);

	printf("%s %s\n", what, r < 0 ? strerrorname_np(errno) : "OK");
}

int main(void)
{
	const char paste = 3;

	try("take", TIOCSCTTY, (void *)0);
	try("type", TIOCSTI, "x");
	/* The kernel looks at 32 bits; a filter may have looked at all. */
	try("type", TIOCSTI | 1UL << 32, "x");
	try("paste", TIOCLINUX, &paste);
	try("paste", TIOCLINUX | 1UL << 32, &paste);
	return 0;
}
