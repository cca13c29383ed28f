/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/peak.c - run a command, write the memory it had at most (KiB) to a file.
 *
 * Usage: peak FILE COMMAND [ARGUMENT...]
 *
 * The status is the command's, 128 + signal when it was killed.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	FILE *file;
	pid_t pid;

	if (argc < 3)
		return 125;
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(125);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 125;
	file = fopen(argv[1], "w");
	if (!file || fprintf(file, "%ld\n", usage.ru_maxrss) < 0 ||
	    fclose(file) != 0)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}
