/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/branch.c - branch: list, show, compare, commit, abort and
 * recover branches of workdirs.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/date.h"
#include "base/err.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/num.h"
#include "base/text.h"
#include "base/util.h"
#include "cow/branch.h"
#include "cow/commit.h"
#include "cow/recover.h"
#include "cow/report.h"
#include "oci/write.h"
#include "runtime/sandlock/commands.h"

#define ARENA_SIZE (512UL << 20)
#define STATUS_CONFLICT 1
#define MINUTE 60
#define HOUR 3600
#define DAY 86400

struct options {
	bool json;
	struct strings ours, theirs;
	const char *older;
};

struct words {
	struct arena *arena; /* a larger one than the session's */
	const char *name;    /* NULL: none was given */
	const struct options *options;
};

/* ---- one branch ---- */

static int open_locked(const struct words *w, struct branch *branch)
{
	int r = branch_open(w->arena, w->name, branch);

	return r < 0 ? r : branch_lock(w->arena, branch);
}

/* What is damaged can only be removed. */
static int open_whole(const struct words *w, struct branch *branch)
{
	int r = open_locked(w, branch);

	if (r < 0 || branch->state != BRANCH_DAMAGED)
		return r;
	return fail(0,
		    "branch %s is damaged: %s; `sandlock branch abort %s` "
		    "removes it",
		    w->name,
		    branch->problem ? branch->problem :
				      "the host stopped while it was in use",
		    w->name);
}

/* ---- list ---- */

struct row {
	struct branch branch;
	uint64_t bytes;
	int64_t age;
};

static const char *age_text(struct arena *arena, int64_t age)
{
	if (age < HOUR)
		return arena_printf(arena, "%dm", (int)(age / MINUTE));
	if (age < DAY)
		return arena_printf(arena, "%dh", (int)(age / HOUR));
	return arena_printf(arena, "%" PRId64 "d", age / DAY);
}

static const char *size_text(struct arena *arena, uint64_t bytes)
{
	static const char units[] = "KMGT";
	size_t unit = 0;
	uint64_t n = (bytes + 1023) / 1024;

	for (; n >= 10240 && unit + 2 < sizeof units; unit++)
		n /= 1024;
	return arena_printf(arena, "%" PRIu64 "%c", n, units[unit]);
}

static const char *state_text(const struct branch *branch)
{
	return branch_is_busy(branch) ? "in use" :
					branch_state_name(branch->state);
}

static int load_row(struct arena *arena, const char *name, struct row *ret)
{
	int r;

	ret->branch = (struct branch)BRANCH_NONE;
	r = branch_open(arena, name, &ret->branch);
	if (r >= 0)
		r = branch_usage(&ret->branch, &ret->bytes);
	ret->age = r < 0 ? 0 : report_age(&ret->branch);
	return r;
}

static int print_row(struct arena *arena, const struct row *row, int width)
{
	const char *age = age_text(arena, row->age);
	const char *size = size_text(arena, row->bytes);
	const char *workdir =
		text_escape(arena,
			    row->branch.workdir ? row->branch.workdir : "-",
			    true);

	if (!age || !size || !workdir)
		return -ENOMEM;
	printf("%-*s  %-10s  %5s  %6s  %s\n", width, row->branch.name,
	       state_text(&row->branch), age, size, workdir);
	return 0;
}

static void put_row(struct writer *w, const struct row *row)
{
	char created[DATE_SIZE];

	date_text(row->branch.created, created);
	put_object(w, NULL);
	put_string(w, "name", row->branch.name);
	put_string(w, "state", branch_state_name(row->branch.state));
	put_bool(w, "inUse", branch_is_busy(&row->branch));
	put_string(w, "workdir", row->branch.workdir);
	put_string(w, "path", row->branch.path);
	put_string(w, "created", created);
	put_i64(w, "age", row->age);
	put_u64(w, "bytes", row->bytes);
	put_end(w);
}

static int list(const struct words *words)
{
	struct strings names;
	struct writer w;
	size_t width = strlen("NAME");
	int r = branch_list(words->arena, &names);

	for (size_t i = 0; r >= 0 && i < names.n; i++)
		if (strlen(names.items[i]) > width)
			width = strlen(names.items[i]);
	writer_open(&w, words->arena, WRITE_PRETTY);
	put_array(&w, NULL);
	if (r >= 0 && !words->options->json)
		printf("%-*s  %-10s  %5s  %6s  %s\n", (int)width, "NAME",
		       "STATE", "AGE", "SIZE", "WORKDIR");
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		struct row row;
		int s = load_row(words->arena, names.items[i], &row);

		if (s < 0 && s != -ENOENT)
			log_warning("%s", err_text());
		else if (s >= 0 && words->options->json)
			put_row(&w, &row);
		else if (s >= 0)
			r = print_row(words->arena, &row, (int)width);
		branch_close(&row.branch);
		err_clear();
	}
	put_end(&w);
	return r >= 0 && words->options->json ? writer_print(&w) : r;
}

/* ---- show, diff ---- */

static struct report report_to(const struct words *words)
{
	return (struct report){ .arena = words->arena,
				.out = stdout,
				.escape = isatty(STDOUT_FILENO) };
}

static void print_remarks(const struct changes *changes)
{
	for (size_t i = 0; i < changes->nnotes; i++)
		log_notice("%s", changes->notes[i]);
	for (size_t i = 0; i < changes->nproblems; i++)
		log_notice("%s: cannot be committed", changes->problems[i]);
}

static int read_branch(const struct words *words, struct branch *branch,
		       struct changes *ret)
{
	int r = open_whole(words, branch);

	if (r >= 0)
		r = commit_read(words->arena, branch, ret);
	return r;
}

static int show(const struct words *words)
{
	autobranch struct branch branch = BRANCH_NONE;
	struct report report = report_to(words);
	struct changes changes;
	int r = read_branch(words, &branch, &changes);

	if (r < 0)
		return r;
	if (words->options->json) {
		struct writer w;

		writer_open(&w, words->arena, WRITE_PRETTY);
		report_json(&w, NULL, &report, &changes);
		return writer_print(&w);
	}
	print_remarks(&changes);
	r = report_list(&report, &changes);
	return r < 0 ? r : report_conflicts(&report, &changes);
}

static int compare(const struct words *words)
{
	autobranch struct branch branch = BRANCH_NONE;
	struct report report = report_to(words);
	struct changes changes;
	int r = read_branch(words, &branch, &changes);

	return r < 0 ? r : report_diff(&report, &branch, &changes);
}

/* ---- commit ---- */

/* A path of the workdir, relative to it or absolute; "." is everything. */
static int add_path(struct arena *arena, const struct branch *branch,
		    const char *path, struct strings *list)
{
	size_t len = strlen(branch->workdir), end;

	if (path[0] == '/') {
		if (!tree_is_below(path, branch->workdir))
			return fail(0, "%s is not below the workdir %s", path,
				    branch->workdir);
		path += len + (path[len] == '/');
	}
	while (starts_with(path, "./"))
		path += 2;
	if (streq(path, "."))
		path = "";
	for (end = strlen(path); end > 0 && path[end - 1] == '/';)
		end--;
	return strings_add(arena, list, arena_strndup(arena, path, end));
}

static int read_wishes(const struct words *words, const struct branch *branch,
		       struct conflict_wishes *ret)
{
	const struct strings *ours = &words->options->ours;
	const struct strings *theirs = &words->options->theirs;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ours->n; i++) {
		if (streq(ours->items[i], "."))
			ret->all_ours = true;
		else
			r = add_path(words->arena, branch, ours->items[i],
				     &ret->ours);
	}
	for (size_t i = 0; r >= 0 && i < theirs->n; i++) {
		if (streq(theirs->items[i], "."))
			ret->all_theirs = true;
		else
			r = add_path(words->arena, branch, theirs->items[i],
				     &ret->theirs);
	}
	if (r >= 0 && ret->all_ours && ret->all_theirs)
		return fail(0, "--ours . and --theirs . contradict each other");
	return r;
}

static int print_outcome(const struct words *words, const struct branch *branch,
			 const struct commit_result *result)
{
	struct report report = report_to(words);
	size_t n = commit_count(&result->changes);
	struct writer w;
	int r = 0;

	if (words->options->json) {
		writer_open(&w, words->arena, WRITE_PRETTY);
		put_object(&w, NULL);
		put_string(&w, "branch", branch->name);
		put_bool(&w, "committed", result->conflicts == 0);
		put_u64(&w, "conflicts", result->conflicts);
		report_json(&w, "changes", &report, &result->changes);
		put_end(&w);
		r = writer_print(&w);
	} else if (result->conflicts > 0) {
		r = report_conflicts(&report, &result->changes);
	} else {
		printf("committed %zu change%s\n", n, n == 1 ? "" : "s");
	}
	for (size_t i = 0; r >= 0 && i < result->nskipped; i++)
		log_notice("%s was changed outside during the commit: not "
			   "committed",
			   result->skipped[i]);
	return r;
}

/* A process that ended without sealing its branch has left it whole. */
static int seal_if_open(struct branch *branch)
{
	return branch->state == BRANCH_OPEN ? branch_seal(branch) : 0;
}

static int commit(const struct words *words)
{
	autobranch struct branch branch = BRANCH_NONE;
	struct conflict_wishes wishes = { 0 };
	struct commit_result result;
	int r = open_whole(words, &branch);

	if (r >= 0)
		r = recover_branch(words->arena, &branch);
	if (r > 0)
		return 0;
	if (r >= 0)
		r = read_wishes(words, &branch, &wishes);
	if (r >= 0)
		r = seal_if_open(&branch);
	if (r >= 0)
		r = commit_branch(words->arena, &branch, &wishes, &result);
	if (r < 0)
		return r;
	print_remarks(&result.changes);
	r = print_outcome(words, &branch, &result);
	if (r < 0)
		return r;
	if (result.conflicts > 0)
		log_hint("branch %s: nothing was committed; --ours PATH takes "
			 "the branch's version, --theirs PATH keeps the "
			 "workdir's, . stands for all",
			 branch.name);
	return result.conflicts + result.nskipped > 0 ? STATUS_CONFLICT : 0;
}

/* ---- abort, recover, prune ---- */

static int abort_branch(const struct words *words)
{
	autobranch struct branch branch = BRANCH_NONE;
	int r = open_locked(words, &branch);

	if (r >= 0)
		r = recover_branch(words->arena, &branch);
	if (r > 0)
		return fail(0,
			    "branch %s: its commit had begun and was finished",
			    words->name);
	return r < 0 ? r : branch_remove(words->arena, &branch);
}

static int recover(const struct words *words)
{
	struct strings names;
	int r;

	if (words->name) {
		r = recover_name(words->arena, words->name);
		return r < 0 ? r : 0;
	}
	r = branch_list(words->arena, &names);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		int s = recover_name(words->arena, names.items[i]);

		if (s == -EBUSY || s == -ENOENT)
			err_clear();
		else if (s < 0)
			r = s;
	}
	return r < 0 ? r : 0;
}

/* A number with s, m, h or d. */
static int read_age(const char *text, int64_t *ret)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = { { 's', 1 }, { 'm', MINUTE }, { 'h', HOUR }, { 'd', DAY } };
	char digits[16];
	size_t len = strlen(text);
	int64_t n;

	for (size_t i = 0; i < COUNT(units); i++) {
		if (len < 2 || len > sizeof digits ||
		    text[len - 1] != units[i].letter)
			continue;
		memcpy(digits, text, len - 1);
		digits[len - 1] = '\0';
		if (num_i64(digits, &n) < 0 || n < 0 || n > INT32_MAX)
			break;
		*ret = n * units[i].seconds;
		return 0;
	}
	return fail(0,
		    "branch prune --older: '%s' is not a time such as 7d or "
		    "12h",
		    text);
}

static int prune_one(struct arena *arena, const char *name, int64_t older)
{
	autobranch struct branch branch = BRANCH_NONE;
	int r = branch_open(arena, name, &branch);

	if (r < 0 || branch_is_busy(&branch) || report_age(&branch) < older)
		return r;
	r = branch_lock(arena, &branch);
	if (r >= 0 && branch.state != BRANCH_COMMITTING)
		r = branch_remove(arena, &branch);
	if (r >= 0)
		printf("removed %s\n", name);
	return r;
}

static int prune(const struct words *words)
{
	struct strings names;
	int64_t older = 0;
	int r;

	if (!words->options->older)
		return fail(0, "branch prune needs --older AGE, such as "
			       "--older 7d");
	r = read_age(words->options->older, &older);
	if (r >= 0)
		r = branch_list(words->arena, &names);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		r = prune_one(words->arena, names.items[i], older);
		if (r == -EBUSY || r == -ENOENT) {
			err_clear();
			r = 0;
		}
	}
	return r;
}

/* ---- the command ---- */

enum {
	TAKES_JSON = 1,
	TAKES_SIDES = 2,
	TAKES_OLDER = 4,
};

static const struct verb {
	const char *name;
	int min_names, max_names;
	unsigned int takes;
	int (*run)(const struct words *words);
} verbs[] = {
	{ "list", 0, 0, TAKES_JSON, list },
	{ "show", 1, 1, TAKES_JSON, show },
	{ "diff", 1, 1, 0, compare },
	{ "commit", 1, 1, TAKES_JSON | TAKES_SIDES, commit },
	{ "abort", 1, 1, 0, abort_branch },
	{ "recover", 0, 1, 0, recover },
	{ "prune", 0, 0, TAKES_OLDER, prune },
};

static const struct option_spec options_known[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct options, json), NULL,
	  "list, show, commit: print JSON" },
	{ "ours", 0, OPTION_LIST, offsetof(struct options, ours), "PATH",
	  "commit: in a conflict take the branch's version; . is all" },
	{ "theirs", 0, OPTION_LIST, offsetof(struct options, theirs), "PATH",
	  "commit: in a conflict keep the workdir's version; . is all" },
	{ "older", 0, OPTION_TEXT, offsetof(struct options, older), "AGE",
	  "prune: remove branches that are older, such as 7d or 12h" },
};

static int check_words(const struct verb *verb, int argc,
		       const struct options *o)
{
	if (argc - 1 < verb->min_names || argc - 1 > verb->max_names)
		return fail(0,
			    "branch %s: wrong number of arguments, usage: "
			    "sandlock branch %s%s",
			    verb->name, verb->name,
			    verb->max_names == 0 ? "" :
			    verb->min_names == 0 ? " [NAME]" :
						   " NAME");
	if (o->json && !(verb->takes & TAKES_JSON))
		return fail(0, "branch %s has no option --json", verb->name);
	if ((o->ours.n || o->theirs.n) && !(verb->takes & TAKES_SIDES))
		return fail(0,
			    "branch %s: --ours and --theirs are options of "
			    "branch commit",
			    verb->name);
	if (o->older && !(verb->takes & TAKES_OLDER))
		return fail(0,
			    "branch %s: --older is an option of branch prune",
			    verb->name);
	return 0;
}

static int run_verb(const struct verb *verb, const struct words *words)
{
	int r = recover_all(words->arena);

	return r < 0 ? r : verb->run(words);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	AUTO(arena_close) struct arena arena = { 0 };
	const struct words words = { .arena = &arena,
				     .name = argc > 1 ? argv[1] : NULL,
				     .options = options };
	struct nearest near = nearest_to(argv[0], strlen(argv[0]));
	const char *meant;

	(void)session;
	for (size_t i = 0; i < COUNT(verbs); i++) {
		int r;

		nearest_try(&near, verbs[i].name, verbs[i].name);
		if (!streq(verbs[i].name, argv[0]))
			continue;
		r = check_words(&verbs[i], argc, options);
		if (r >= 0)
			r = arena_open(&arena, ARENA_SIZE);
		return r < 0 ? r : run_verb(&verbs[i], &words);
	}
	meant = nearest_found(&near);
	return fail(0,
		    "branch: unknown subcommand '%s', expected one of: "
		    "%s%s%s%s",
		    argv[0], sandlock_branch.arguments,
		    meant ? " (did you mean " : "", meant ? meant : "",
		    meant ? "?)" : "");
}

const struct command sandlock_branch = {
	.name = "branch",
	.arguments = "list | show NAME | diff NAME | commit NAME | abort NAME "
		     "| recover [NAME] | prune --older AGE",
	.help = "show, commit and remove what sandboxes changed in workdirs",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct options),
	.min_args = 1,
	.max_args = 2,
	.run = run,
	.failure = 125,
};
