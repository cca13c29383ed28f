/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/print_policy.c - what a policy adds to a plan, one line for each
 * rule; the parent enforces it beside the steps.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/util.h"
#include "policy/keys.h"
#include "runtime/enforce/enforce.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/print_words.h"

struct lines {
	struct arena *arena;
	struct strings *list;
	int error;
};

/* A text of the policy cannot begin another line. */
static void add(struct lines *lines, const char *text)
{
	const char *safe =
		text ? text_escape(lines->arena, text, /* exactly= */ true) :
		       NULL;

	if (lines->error >= 0)
		lines->error =
			safe ? strings_add(lines->arena, lines->list, safe) :
			       -ENOMEM;
}

static const char *rights_of(enum policy_key key)
{
	switch (key) {
	case KEY_READ:
		return "allow reading";
	case KEY_WRITE:
		return "allow reading and writing";
	case KEY_WRITE_ONLY:
		return "allow writing";
	case KEY_EXECUTE:
		return "allow executing";
	case KEY_DENY:
		return "deny";
	case KEY_DENY_READ:
		return "deny reading";
	case KEY_DENY_WRITE:
		return "deny writing";
	default:
		return "deny executing";
	}
}

static void add_files(struct lines *lines, const struct policy *policy)
{
	for (enum policy_key key = KEY_READ; key <= KEY_DENY_EXECUTE; key++) {
		const struct strings *list = policy_value(policy, key);

		for (size_t i = 0; policy->set[key] && i < list->n; i++)
			add(lines,
			    arena_printf(lines->arena, "%s %s", rights_of(key),
					 list->items[i]));
		if (policy->set[key] && list->n == 0 && key < KEY_DENY)
			add(lines, arena_printf(lines->arena, "%s nothing",
						rights_of(key)));
	}
}

static void add_paths(struct lines *lines, const char *what,
		      const struct strings *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		add(lines,
		    arena_printf(lines->arena, "%s %s", what, paths->items[i]));
}

static void add_limit(struct lines *lines, const char *what,
		      const struct oci_u64 *limit, const char *unit)
{
	if (limit->set)
		add(lines,
		    arena_printf(lines->arena, "limit %s to %" PRIu64 "%s",
				 what, limit->value, unit));
}

static void add_limits(struct lines *lines, const struct enforcement *e)
{
	const struct confinement *process = &e->process;

	add_limit(lines, "the memory", &process->limits.memory, " bytes");
	add_limit(lines, "the tasks", &process->limits.tasks, "");
	add_limit(lines, "the CPU time", &process->limits.cpu,
		  " percent of one core");
	add_limit(lines, "the open files", &process->open_files, "");
	add_limit(lines, "core dumps", &process->core_size, " bytes");
	for (size_t i = 0; i < process->limits.cores.n; i++)
		add(lines, arena_printf(lines->arena, "run on CPU %u",
					process->limits.cores.items[i]));
}

static void add_network(struct lines *lines, const struct enforcement *e)
{
	static const char *const modes[] = {
		[POLICY_MODE_DENY] = "no network",
		[POLICY_MODE_LOOPBACK] = "only the loopback network",
		[POLICY_MODE_OPEN] = "the bundle's network",
	};

	if (!policy_has_section(&e->policy, SECTION_NETWORK))
		return;
	add(lines, arena_printf(lines->arena, "%s%s", modes[e->policy.mode],
				e->own_network ? ", in a new namespace" : ""));
	for (size_t i = 0; e->net.binds && i < e->net.nbind; i++)
		add(lines,
		    arena_printf(lines->arena,
				 "allow binding TCP ports %u to %u",
				 e->net.bind[i].first, e->net.bind[i].last));
	if (e->masks_sockets)
		add(lines, "cover Unix sockets of processes outside");
	add_paths(lines, "allow the Unix socket", &e->policy.unix_);
}

int plan_policy_lines(struct arena *arena,
		      const struct enforcement *enforcement,
		      struct strings *ret)
{
	struct strings list = { 0 };
	struct lines lines = { .arena = arena, .list = &list };
	const struct policy_floor *floor;
	uint64_t dropped = enforcement->process.dropped_caps;
	enum policy_key supervisor =
		policy_supervisor_key(&enforcement->policy);

	if (enforcement->kind == ENFORCE_NOTHING) {
		*ret = list;
		return 0;
	}
	add_files(&lines, &enforcement->policy);
	for (floor = enforcement->policy.floor; floor;
	     floor = floor->policy.floor)
		add(&lines, arena_printf(arena, "obey the enforced profile %s",
					 floor->name));
	add_paths(&lines, "mount read-only", &enforcement->closed);
	add_paths(&lines, "keep writable", &enforcement->writable);
	add_limits(&lines, enforcement);
	add_network(&lines, enforcement);
	if (supervisor != KEY_COUNT)
		add(&lines,
		    arena_printf(arena, "have a supervisor because of %s",
				 policy_key_name(supervisor)));
	if (dropped) {
		const char *names = words_caps(arena, dropped);

		add(&lines,
		    names ? arena_printf(arena, "drop %s", names) : NULL);
	}
	*ret = list;
	return lines.error;
}
