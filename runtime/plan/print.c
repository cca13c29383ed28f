/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/print.c - describe a plan and its steps, for errors and
 * --dump-plan.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/arena.h"
#include "base/util.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/protocol.h"

/* "%4zu  " and the end of the line */
#define NUMBER_SIZE 32
#define LINE_SIZE 512

const char *word_name(uint32_t word)
{
	static const char *const names[] = {
		[WORD_FORKED] = "FORKED",
		[WORD_UNMAPPED] = "UNMAPPED",
		[WORD_UNPLACED] = "UNPLACED",
		[WORD_MOUNTED] = "MOUNTED",
		[WORD_CONSOLE] = "CONSOLE",
		[WORD_CREATED] = "CREATED",
		[WORD_GO] = "GO",
		[WORD_LISTENER] = "LISTENER",
		[WORD_EXEC] = "EXEC",
		[WORD_FAILED] = "FAILED",
		[WORD_ROOTED] = "ROOTED",
		[WORD_SOURCE] = "SOURCE",
	};

	return word < COUNT(names) && names[word] ? names[word] : "?";
}

/* The part after the step's name; "" if the name is enough. */
static const char *details(struct arena *arena, const struct step *s)
{
	switch ((enum step_op)s->op) {
	case STEP_STOP:
		return word_name((uint32_t)s->number);
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

static void put_number(char *text, size_t size, const char *name,
		       uint64_t number)
{
	size_t at = strlen(text);

	if (number)
		(void)snprintf(text + at, size - at, "%s%s %#" PRIx64,
			       at ? ", " : "", name, number);
}

/* Append the slots by number, and the step that follows. */
static void put_numbers(const struct step *s, char *text, size_t size)
{
	put_number(text, size, "in", s->in);
	put_number(text, size, "in2", s->in2);
	put_number(text, size, "out", s->out);
	put_number(text, size, "flags", s->flags);
	put_number(text, size, "number", (uint64_t)s->number);
	if (s->op == STEP_SETATTR) {
		put_number(text, size, "set", s->attr.attr_set);
		put_number(text, size, "clear", s->attr.attr_clr);
		put_number(text, size, "propagation", s->attr.propagation);
	}
	put_number(text, size, "may be missing", s->skip_missing);
	put_number(text, size, "if denied step", s->on_denied);
	put_number(text, size, "then step", s->next);
}

const char *step_line(struct arena *arena, const struct step *step)
{
	const char *what = step_describe(arena, step);
	char numbers[LINE_SIZE] = "";

	if (!what)
		return NULL;
	put_numbers(step, numbers, sizeof numbers);
	return arena_printf(arena, "%s%s%s%s%s%s%s", what,
			    step->place ? "  [" : "",
			    step->place ? step->place : "",
			    step->place ? "]" : "", *numbers ? "  {" : "",
			    numbers, *numbers ? "}" : "");
}

const char *plan_clone_line(struct arena *arena, const struct plan *plan)
{
	return arena_printf(arena, "clone %#" PRIx64 "%s", plan->clone_flags,
			    plan->into_cgroup ? " into the cgroup" : "");
}

int plan_print(struct arena *arena, const struct plan *plan,
	       const char **ret_text)
{
	const char **lines =
		arena_array(arena, plan->nsteps + 1, sizeof *lines);
	size_t size = 1, at = 0;
	char *text;

	if (!lines)
		return -ENOMEM;
	for (size_t i = 0; i <= plan->nsteps; i++) {
		lines[i] = i == 0 ? plan_clone_line(arena, plan) :
				    step_line(arena, &plan->steps[i - 1]);
		if (!lines[i])
			return -ENOMEM;
		size += strlen(lines[i]) + NUMBER_SIZE;
	}
	text = arena_alloc(arena, size);
	if (!text)
		return -ENOMEM;
	at += (size_t)snprintf(text, size, "      %s\n", lines[0]);
	for (size_t i = 0; i < plan->nsteps; i++)
		at += (size_t)snprintf(text + at, size - at, "%4zu  %s\n", i,
				       lines[i + 1]);
	*ret_text = text;
	return 0;
}
