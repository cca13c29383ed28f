/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/print.c - a plan and its steps in words, for errors and --dump-plan. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/sysmacros.h>

#include "base/arena.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/protocol.h"

static const char *stop_name(int64_t word)
{
	switch (word) {
	case WORD_UNMAPPED:
		return "UNMAPPED";
	case WORD_MOUNTED:
		return "MOUNTED";
	case WORD_ROOTED:
		return "ROOTED";
	case WORD_CREATED:
		return "CREATED";
	default:
		return "?";
	}
}

/* The part after the step's name; "" when the name says it all. */
static const char *details(struct arena *arena, const struct step *s)
{
	switch ((enum step_op)s->op) {
	case STEP_STOP:
		return stop_name(s->number);
	case STEP_SETNS:
	case STEP_UNSHARE:
	case STEP_PROPAGATION:
		return arena_printf(arena, "%s%#x", s->text ? s->text : "",
				    s->flags);
	case STEP_FSMOUNT:
		return arena_printf(arena, "%s%s%s", s->fs->type,
				    s->text ? " on " : "",
				    s->text ? s->text : "");
	case STEP_SYSCTL:
	case STEP_WRITE_PROC:
		return arena_printf(arena, "/proc/%s%s = %s",
				    s->op == STEP_SYSCTL ? "sys/" : "", s->text,
				    s->text2);
	case STEP_SYMLINK:
		return arena_printf(arena, "%s -> %s", s->text, s->text2);
	case STEP_MKNOD:
		return arena_printf(arena, "%s (%u:%u, mode %#o)", s->text,
				    s->node.major, s->node.minor,
				    s->node.mode & 07777);
	case STEP_USER:
	case STEP_STDIO_OWNER:
		return arena_printf(arena, "%u:%u", s->user->uid, s->user->gid);
	case STEP_CAPS:
	case STEP_BOUNDING:
		return arena_printf(arena, "%#" PRIx64, s->caps->bounding);
	case STEP_RLIMIT:
		return arena_printf(arena, "%d to %" PRIu64 ":%" PRIu64,
				    s->rlimit.type,
				    (uint64_t)s->rlimit.value.rlim_cur,
				    (uint64_t)s->rlimit.value.rlim_max);
	case STEP_SECCOMP:
		return arena_printf(arena, "(%zu instructions)", s->filter.len);
	case STEP_FIND_PROGRAM:
	case STEP_LAST_WORD:
	case STEP_EXEC:
		return s->exec->name;
	case STEP_CWD:
		return arena_printf(arena, "(\"%s\")", s->text);
	case STEP_UMASK:
		return arena_printf(arena, "%#" PRIo64, s->number);
	default:
		return s->text ? s->text : "";
	}
}

const char *step_describe(struct arena *arena, const struct step *step)
{
	const char *more = details(arena, step);

	if (!more)
		return step_name((enum step_op)step->op);
	return arena_printf(arena, "%s%s%s", step_name((enum step_op)step->op),
			    *more ? " " : "", more);
}

static size_t line(struct arena *arena, const struct step *s, size_t i,
		   char *buffer, size_t size)
{
	const char *what = step_describe(arena, s);
	int n = snprintf(buffer, size, "%4zu  %s%s%s%s\n", i, what ? what : "?",
			 s->place ? "  [" : "", s->place ? s->place : "",
			 s->place ? "]" : "");

	return n < 0 ? 0 : (size_t)n;
}

int plan_print(struct arena *arena, const struct plan *plan,
	       const char **ret_text)
{
	size_t size = 1, at = 0;
	char *text;

	for (size_t i = 0; i < plan->nsteps; i++)
		size += line(arena, &plan->steps[i], i, NULL, 0);
	text = arena_alloc(arena, size);
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < plan->nsteps; i++)
		at += line(arena, &plan->steps[i], i, text + at, size - at);
	*ret_text = text;
	return 0;
}
