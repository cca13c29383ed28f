/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/print.c - describe a plan and its steps, for errors and
 * --dump-plan.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/util.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/print_words.h"
#include "runtime/plan/protocol.h"

/* "%4zu  " and the end of the line */
#define NUMBER_SIZE 32

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

/* The part after "wait for the runtime ". */
static const char *wait_reason(uint32_t word)
{
	switch (word) {
	case 0:
	case WORD_UNPLACED:
		return "to create the cgroup";
	case WORD_UNMAPPED:
		return "to write the user and group mappings";
	case WORD_MOUNTED:
		return "to run the hooks";
	case WORD_ROOTED:
		return "to prepare the rules of the policy";
	case WORD_CREATED:
		return "to record the container";
	default:
		return word_name(word);
	}
}

static const char *propagation(struct arena *arena, uint32_t flags)
{
	const char *name = flags & MS_SHARED  ? "shared" :
			   flags & MS_SLAVE   ? "slave" :
			   flags & MS_PRIVATE ? "private" :
						"unbindable";

	return arena_printf(arena, "%s%s", flags & MS_REC ? "r" : "", name);
}

/* The part after the step's name; "" if the name is enough. */
static const char *details(struct arena *arena, const struct step *s)
{
	switch ((enum step_op)s->op) {
	case STEP_STOP:
		return wait_reason((uint32_t)s->number);
	case STEP_UNSHARE:
		return words_namespaces(arena, s->flags);
	case STEP_PROPAGATION:
		return propagation(arena, s->flags);
	case STEP_FSMOUNT:
	case STEP_FRESH_MOUNT:
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
	case STEP_STDIO_OWNER:
		return arena_printf(arena, "user %u:%u", s->user->uid,
				    s->user->gid);
	case STEP_USER:
		return arena_printf(arena, "%u:%u", s->user->uid, s->user->gid);
	case STEP_CAPS:
		return words_caps(arena, s->caps->permitted);
	case STEP_BOUNDING:
		return words_caps(arena, s->caps->bounding);
	case STEP_RLIMIT:
		return arena_printf(arena, "%s to %s (soft) and %s (hard)",
				    oci_rlimit_name(s->rlimit.type),
				    words_limit(arena,
						s->rlimit.value.rlim_cur),
				    words_limit(arena,
						s->rlimit.value.rlim_max));
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

/* ---- what errors do not need ---- */

/* Name only the sets that the step's text does not have. */
static void put_caps(struct text *out, const struct step *s)
{
	const struct step_caps *caps = s->caps;
	uint64_t shown = s->op == STEP_BOUNDING ? caps->bounding :
						  caps->permitted;
	const struct {
		const char *name;
		uint64_t caps;
	} sets[] = {
		{ "bounding", caps->bounding },
		{ "effective", caps->effective },
		{ "inheritable", caps->inheritable },
		{ "permitted", caps->permitted },
		{ "ambient", caps->ambient },
	};

	for (size_t i = 0; i < COUNT(sets); i++) {
		const char *names =
			sets[i].caps == shown ?
				"the same" :
				words_caps(out->arena, sets[i].caps);

		text_put(out, "%s%s: %s", i ? "; " : "  (", sets[i].name,
			 names ? names : "?");
	}
	text_put(out, "%s)",
		 caps->keep_admin ? "; CAP_SYS_ADMIN until exec" : "");
}

static void put_fs(struct text *out, const struct step_fs *fs)
{
	text_put(out, "  (source %s, attributes: ",
		 fs->source ? fs->source : fs->type);
	words_put_attributes(out, fs->attrs);
	text_put(out, "%s", fs->mode_of_point ? ", mode of the point" : "");
	for (size_t i = 0; i < fs->nparams; i++) {
		const struct oci_annotation *p = &fs->params[i];

		text_put(out, ", %s%s%s", p->key, p->value ? "=" : "",
			 p->value ? p->value : "");
	}
	if (is_set(fs->data))
		text_put(out, ", %s", fs->data);
	text_put(out, ")");
}

/* Names of variables only: values may be secrets. */
static void put_exec(struct text *out, const struct step_exec *exec)
{
	size_t nargs = 0, nvars = 0;

	while (exec->argv && exec->argv[nargs])
		nargs++;
	while (exec->envp && exec->envp[nvars])
		nvars++;
	text_put(out, "  (%zu arguments, %zu variables", nargs, nvars);
	for (size_t i = 0; i < nvars; i++)
		text_put(out, "%s%.*s", i ? " " : ": ",
			 (int)strcspn(exec->envp[i], "="), exec->envp[i]);
	text_put(out, ")");
}

static void put_groups(struct text *out, const struct oci_user *user)
{
	for (size_t i = 0; i < user->ngroups; i++)
		text_put(out, "%s%u", i ? "," : "  (groups ", user->groups[i]);
	text_put(out, "%s", user->ngroups ? ")" : "");
}

static void put_members(struct text *out, const struct step *s)
{
	switch ((enum step_op)s->op) {
	case STEP_FSMOUNT:
	case STEP_FRESH_MOUNT:
	case STEP_RECONFIGURE:
		put_fs(out, s->fs);
		break;
	case STEP_CAPS:
	case STEP_BOUNDING:
		put_caps(out, s);
		break;
	case STEP_USER:
		put_groups(out, s->user);
		break;
	case STEP_MKNOD:
		text_put(out, "  (owner %u:%u)", s->node.uid, s->node.gid);
		break;
	case STEP_COPY_SYMLINK:
		text_put(out, "  (from %s)", s->text2);
		break;
	case STEP_EXEC:
		put_exec(out, s->exec);
		break;
	default:
		break;
	}
}

static void put_slot(struct text *out, const char *name, uint16_t slot)
{
	if (!slot)
		return;
	text_put(out, ", %s ", name);
	words_put_slot(out, slot);
}

static void put_attributes(struct text *out, const char *name, uint64_t bits)
{
	if (!bits)
		return;
	text_put(out, ", %s ", name);
	words_put_attributes(out, bits);
}

/* Append slots, flags and the step that follows, in braces. */
static int put_rest(struct text *out, const struct step *s)
{
	struct text rest = { .arena = out->arena };
	const char *text;

	put_slot(&rest, "in", s->in);
	put_slot(&rest, "in", s->in2);
	put_slot(&rest, "out", s->out);
	words_put_flags(&rest, s);
	if (s->op == STEP_SETATTR) {
		put_attributes(&rest, "set", s->attr.attr_set);
		put_attributes(&rest, "clear", s->attr.attr_clr);
		if (s->attr.propagation) {
			text_put(&rest, ", ");
			words_put_propagation(&rest, s->attr.propagation);
		}
	}
	if (s->skip_missing)
		text_put(&rest, ", may be missing");
	if (s->on_denied)
		text_put(&rest, ", if denied step %u", s->on_denied);
	if (s->next)
		text_put(&rest, ", then step %u", s->next);
	text_put(&rest, "%s", "");
	if (text_close(&rest, &text) < 0)
		return -ENOMEM;
	if (*text)
		text_put(out, "  {%s}", text + strlen(", "));
	return 0;
}

const char *step_line(struct arena *arena, const struct step *step)
{
	struct text out = { .arena = arena };
	const char *what = step_describe(arena, step), *line;

	if (!what)
		return NULL;
	text_put(&out, "%s", what);
	put_members(&out, step);
	if (step->place)
		text_put(&out, "  [%s]", step->place);
	if (put_rest(&out, step) < 0)
		return NULL;
	if (text_close(&out, &line) < 0)
		return NULL;
	/* A text of the bundle cannot begin another line. */
	return text_escape(arena, line, /* exactly= */ true);
}

const char *plan_clone_line(struct arena *arena, const struct plan *plan)
{
	const char *names = words_namespaces(arena, plan->clone_flags);

	if (!names)
		return NULL;
	return arena_printf(arena, "clone with new namespaces: %s%s",
			    *names ? names : "none",
			    plan->into_cgroup ? "; into the cgroup" : "");
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
