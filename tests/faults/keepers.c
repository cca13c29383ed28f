/* SPDX-License-Identifier: Apache-2.0 */
/* tests/faults/keepers.c - find the supervisor and the guard by their names. */
#include "keepers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "room.h"

#define WAIT_S 5.0

static const char *const names[KEEPERS] = {
	[SUPERVISOR] = "sandlock-superv",
	[GUARD] = "sandlock-guard",
};

/* Which of them it is; KEEPERS if none, -1 if it has ended. */
static int kind_of(pid_t pid)
{
	char path[64], name[32] = "", state = 'Z';
	int kind = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%*d (%31[^)]) %c", name, &state) != 2)
		state = 'Z';
	(void)fclose(f);
	if (state == 'Z' || state == 'X')
		return -1;
	while (kind < KEEPERS && strcmp(name, names[kind]) != 0)
		kind++;
	return kind;
}

bool is_keeper(pid_t pid)
{
	int kind = kind_of(pid);

	return kind >= 0 && kind < KEEPERS;
}

/* The last one of each kind, and of all others but ourselves. */
static void look(pid_t ret[KEEPERS + 1])
{
	const struct dirent *e;
	DIR *dir = opendir("/proc");

	memset(ret, 0, (KEEPERS + 1) * sizeof *ret);
	while (dir && (e = readdir(dir))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		int kind = pid > 1 ? kind_of(pid) : -1;

		if (kind >= 0)
			ret[kind] = pid;
	}
	if (dir)
		closedir(dir);
}

void keepers_find(pid_t ret[KEEPERS])
{
	pid_t all[KEEPERS + 1];

	look(all);
	memcpy(ret, all, KEEPERS * sizeof *ret);
}

bool keepers_agree(bool *ret_ended)
{
	double deadline = now() + WAIT_S;

	for (;;) {
		pid_t all[KEEPERS + 1];
		int living = 0;

		look(all);
		for (int i = 0; i <= KEEPERS; i++)
			living += all[i] > 0;
		*ret_ended = living == 0;
		if (living == 0 || living == KEEPERS + 1)
			return true;
		if (now() > deadline)
			return false;
		nap();
	}
}
