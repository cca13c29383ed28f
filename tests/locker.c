/* SPDX-License-Identifier: Apache-2.0 */
/* tests/locker.c - locker FILE SIGN: lock FILE, make SIGN, and wait for ever. */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;

	if (fd < 0 || flock(fd, LOCK_EX) < 0 || creat(argv[2], 0600) < 0)
		return 1;
	for (;;)
		pause();
}
