/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/escape.c - go to the top of the mount namespace, as root with
 * CAP_SYS_ADMIN may, and say which of the named paths are there; "uncover"
 * takes the root away before.
 *
 * Usage: escape join|uncover PATH...
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int mounts = open("/proc/self/ns/mnt", O_RDONLY);

	if (argc < 2 || mounts < 0)
		return 2;
	if (strcmp(argv[1], "uncover") == 0 && umount2("/", MNT_DETACH) < 0)
		perror("umount");
	/* To join a namespace is to go to the top of what is on its root. */
	if (setns(mounts, CLONE_NEWNS) < 0)
		perror("setns");
	for (int i = 2; i < argc; i++)
		printf("%s %s\n", argv[i],
		       access(argv[i], F_OK) == 0 ? "yes" : "no");
	return 0;
}
