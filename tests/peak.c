/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/peak.c - run a command, write to a file what it took: the memory at
 * most (KiB) and the time of the processors (ms).
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
	long ms;
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
	ms = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	     (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
	file = fopen(argv[1], "w");
	if (!file || fprintf(file, "%ld %ld\n", usage.ru_maxrss, ms) < 0 ||
	    fclose(file) != 0)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
