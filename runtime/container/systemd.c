/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/systemd.c - run sandlock-systemd and read its output. */
#include "runtime/container/systemd.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/systemd.h"
#include "hooks/program.h"

#define TIMEOUT 90
#define MAX_WORDS 5

/* words end with NULL; ret is the output, without the final newline. */
static int ask(struct arena *arena, bool user, const char *const *words,
	       const struct strings *properties, const char **ret)
{
	struct program_end end;
	struct program program = { .envp = environ, .timeout = TIMEOUT };
	const char **argv;
	size_t n = 0;
	int r;

	argv = arena_array(arena, 2 + MAX_WORDS + properties->n + 1,
			   sizeof *argv);
	if (!argv)
		return -ENOMEM;
	r = program_find_helper(
		arena, "sandlock-systemd", "cgroups of systemd",
		"create containers with --cgroup-manager cgroupfs",
		&program.path);
	if (r < 0)
		return r;
	argv[n++] = program.path;
	if (user)
		argv[n++] = "--user";
	while (*words)
		argv[n++] = *words++;
	for (size_t i = 0; i < properties->n; i++)
		argv[n++] = properties->items[i];
	program.argv = (char *const *)argv;
	r = program_run(&program, &end);
	if (r < 0)
		return r;
	if (end.status != 0 && end.err.len > 0)
		return fail(0, "%s", end.err.text);
	r = program_check(&program, &end);
	if (r < 0)
		return r;
	*ret = arena_strdup(arena, end.out.text);
	return *ret ? 0 : -ENOMEM;
}

int systemd_root(struct arena *arena, bool user, const char **ret)
{
	static const char *const words[] = { "root", NULL };
	static const struct strings none = { 0 };
	int r = ask(arena, user, words, &none, ret);

	if (r < 0)
		return r;
	if (streq(*ret, "/"))
		*ret = "";
	return 0;
}

int systemd_start(struct arena *arena, const struct systemd_unit *unit,
		  bool user, pid_t pid, const struct strings *properties,
		  const char *cgroup)
{
	const char *number = unit->slice ? arena_printf(arena, "%d", pid) : "0";
	const char *const words[] = { "start", unit->name, number, NULL };
	const char *made;
	int r;

	if (!number)
		return -ENOMEM;
	r = ask(arena, user, words, properties, &made);
	if (r >= 0 && !streq(made, cgroup))
		r = fail(0,
			 "systemd created %s with the cgroup %s instead of %s",
			 unit->name, made, cgroup);
	return r;
}

int systemd_set(struct arena *arena, const struct oci_record *record,
		const struct strings *properties)
{
	const char *const words[] = { "set", record->systemd_scope, NULL };
	const char *answer;

	if (properties->n == 0)
		return 0;
	return ask(arena, record->systemd_user, words, properties, &answer);
}

int systemd_attach(struct arena *arena, const struct oci_record *record,
		   const char *sub, pid_t pid)
{
	static const struct strings none = { 0 };
	const char *const words[] = { "attach", record->systemd_scope, sub,
				      arena_printf(arena, "%d", pid), NULL };
	const char *answer;

	if (!words[3])
		return -ENOMEM;
	return ask(arena, record->systemd_user, words, &none, &answer);
}

int systemd_stop(struct arena *arena, const struct oci_record *record)
{
	static const struct strings none = { 0 };
	const char *const words[] = { "stop", record->systemd_scope,
				      systemd_description(arena, record),
				      NULL };
	const char *answer;

	if (!words[2])
		return -ENOMEM;
	return ask(arena, record->systemd_user, words, &none, &answer);
}

const char *systemd_description(struct arena *arena,
				const struct oci_record *record)
{
	return arena_printf(arena, "sandlock-oci container %s of %s",
			    record->id, record->created);
}
