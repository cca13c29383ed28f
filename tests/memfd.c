/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/memfd.c - execute a program from memory alone.
 *
 * Usage: memfd PROGRAM [ARGUMENT...]
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv, char **envp)
{
	int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	int memory = memfd_create("program", MFD_CLOEXEC);

	if (file < 0 || memory < 0) {
		perror("memfd");
		return 1;
	}
	while (sendfile(memory, file, NULL, 1 << 20) > 0)
		;
	syscall(SYS_execveat, memory, "", argv + 1, envp, AT_EMPTY_PATH);
	perror("execveat");
	return 1;
}
