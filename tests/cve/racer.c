/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/cve/racer.c - exchange two names for each other until killed: the sibling
 * container that shares a volume and wins a race now and then.
 *
 * Usage: racer PATH PATH
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	/* Not to outlive the test, whatever happens to it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		if (renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2],
			      RENAME_EXCHANGE) < 0) {
			perror("racer");
			return 1;
		}
}
