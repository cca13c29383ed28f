/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/census.c - fail every system call of every command, in every
 * way, and look at the machine afterwards.
 *
 * Usage: census --runtime PROGRAM --dir DIR --cgroup /PARENT [OPTION...]
 *   --name TEXT     how to call it in the report
 *   --prefix TEXT   how its one line of an error begins; without it any will do
 *   --every N       a sample: each N-th point only
 *   --persistent    from that point on, every call of that number fails
 *   --only COMMAND, --fault NAME, --call NAME: of these alone
 *   --hide-unified  cgroup v1 alone, for a runtime that needs it
 *   --totals FILE   one line for each command is added to it
 *
 * The status is 0 only if nothing is wrong.
 */
#include <errno.h>
#include <getopt.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fair.h"
#include "scene.h"
#include "trace.h"

#define PATIENCE_S 10
#define MOST_SCENES 16

struct fault {
	const char *name;
	int error;
};

static const struct fault faults[] = {
	{ "EIO", EIO },
	{ "ENOMEM", ENOMEM },
	{ "ENOSPC", ENOSPC },
	{ "EMFILE", EMFILE },
	{ "EINTR", EINTR },
	{ "EAGAIN", EAGAIN },
	{ "EPERM", EPERM },
	{ "ENOSYS", ENOSYS },
	{ "SIGKILL", KILLED },
	/* Meanwhile the supervisor is killed, or its guard. */
	{ "SUPERVISOR", KILLED_KEEPER(SUPERVISOR) },
	{ "GUARD", KILLED_KEEPER(GUARD) },
};
#define NFAULTS (sizeof faults / sizeof *faults)

enum tally {
	POINTS,	   /* calls that failed */
	WENT_ON,   /* the command worked all the same */
	BY_DELETE, /* what it left had to be deleted before the next one */
	ENDED,	   /* a fault of its supervisor or guard ended the container */
	LEAKS,
	HANGS,
	OPEN,	/* the program ran, and was held by less */
	SILENT, /* status 0, and it had not worked */
	UNCLEAR,
	STUCK, /* the same command without the fault fails */
	TALLIES,
};

static const char *const tally_names[] = {
	"points", "went on", "deleted", "ended",   "leaks",
	"hangs",  "open",    "silent",	"unclear", "stuck",
};

struct census {
	struct stage *stage;
	struct shot *shot;
	const char *name, *prefix, *only, *fault, *totals;
	int every;
	int call;   /* the only one, or -1 */
	bool stays; /* the error does */
	bool hide_unified;
	long counts[MOST_SCENES][NFAULTS][TALLIES];
	long exceptions[EXCEPTIONS];
	bool counted; /* this point, as one that ended the container */
	long missed;
	long again; /* points at which it failed more than once */
};

/* The point that is looked at. */
struct point {
	const struct scene *scene;
	size_t scene_index;
	size_t fault;
};

static void count(struct census *c, const struct point *p, enum tally what)
{
	c->counts[p->scene_index][p->fault][what]++;
}

/* Something is wrong here: say where, and what. */
static void wrong(struct census *c, const struct point *p, enum tally what,
		  const char *detail)
{
	const struct shot *shot = c->shot;
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE,
						      (int)shot->nr);
	char said[4096];
	size_t n = room_read(c->stage->room.err, said, sizeof said);

	while (n > 0 && said[n - 1] == '\n')
		said[--n] = '\0';
	count(c, p, what);
	printf("%s: %s: %s: %s of %s (task %d, call %d%s): %s; status %#x, "
	       "said \"%s\"\n",
	       tally_names[what], c->name, p->scene->name,
	       faults[p->fault].name, name ? name : "?", shot->at.task,
	       shot->at.number, c->stays ? " and later" : "", detail,
	       (unsigned)shot->status, said);
	free(name);
}

/* ---- after the fault ---- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* After warnings, if any. If exec fails, it is the only message. */
static bool is_one_line(const char *said, const char *prefix)
{
	const char *end = strchr(said, '\n');

	while (end && end[1] && begins(said, prefix) &&
	       begins(said + strlen(prefix), "warning: ")) {
		said = end + 1;
		end = strchr(said, '\n');
	}
	return end && !end[1] &&
	       (begins(said, prefix) || begins(said, "exec /probe: "));
}

/* A process of exec that is killed with the container says nothing, either. */
static bool may_be_silent(const struct census *c)
{
	return c->shot->late && WEXITSTATUS(c->shot->status) == 128 + SIGKILL;
}

/* One that was killed says nothing; one that failed, one line. */
static void judge_message(struct census *c, const struct point *p)
{
	int status = c->shot->status;
	const char *prefix = c->prefix;
	char said[4096];
	size_t n = room_read(c->stage->room.err, said, sizeof said);

	if (WIFSIGNALED(status)) {
		if (faults[p->fault].error != KILLED ||
		    WTERMSIG(status) != SIGKILL)
			wrong(c, p, UNCLEAR, "it crashed");
		return;
	}
	if (WEXITSTATUS(status) == 0)
		return;
	if (n == 0 && may_be_silent(c))
		return;
	if (n == 0)
		wrong(c, p, UNCLEAR, "no word");
	/* 127: the C library could not even begin, and says so itself. */
	else if (prefix && WEXITSTATUS(status) != 127 &&
		 !is_one_line(said, prefix))
		wrong(c, p, UNCLEAR, "not one line");
}

static void stuck(struct census *c, const struct point *p)
{
	char left[2048], text[2128];

	world_look(&c->stage->room, &c->stage->hierarchies, &c->stage->seen);
	world_added(&c->stage->empty, &c->stage->seen, left, sizeof left);
	snprintf(text, sizeof text,
		 "nor does it work without the fault: status %#x, there is %s",
		 (unsigned)c->stage->status, left);
	wrong(c, p, STUCK, text);
}

/*
 * A supervisor or guard that ends after create has succeeded may take the
 * container with it, but wholly.
 */
static bool ended(struct census *c, const struct point *p)
{
	bool all = false, agree;

	if (!c->shot->late)
		return false;
	agree = keepers_agree(&all);
	if (c->counted)
		return all;
	if (!agree)
		wrong(c, p, OPEN, "it lives without its supervisor or guard");
	if (all)
		count(c, p, ENDED);
	c->counted = !agree || all;
	return all;
}

static void judge_effect(struct census *c, const struct point *p)
{
	struct stage *stage = c->stage;
	bool by_delete = false;

	if (c->shot->status == 0 && p->scene->worked(stage)) {
		count(c, p, WENT_ON);
		return;
	}
	if (ended(c, p))
		return;
	if (c->shot->status == 0) {
		wrong(c, p, SILENT, "it did not");
		return;
	}
	if (!p->scene->again(stage, p->scene, &by_delete))
		stuck(c, p);
	else if (by_delete)
		count(c, p, BY_DELETE);
}

static void judge_left(struct census *c, const struct point *p)
{
	struct stage *s = c->stage;
	char left[2048];

	s->is_ready =
		p->scene->stays && !ended(c, p) &&
		world_settles(&s->room, &s->hierarchies, &s->ready, &s->seen);
	if (s->is_ready)
		return;
	if (p->scene->stays && !ended(c, p) &&
	    strstr(s->seen.text, "process")) {
		world_added(&s->ready, &s->seen, left, sizeof left);
		if (strstr(left, "process"))
			wrong(c, p, LEAKS, left);
	}
	world_look(&s->room, &s->hierarchies, &s->seen);
	if (s->seen.len != s->empty.len)
		(void)stage_runs(s, "delete --force ID");
	if (world_settles(&s->room, &s->hierarchies, &s->empty, &s->seen))
		return;
	world_added(&s->empty, &s->seen, left, sizeof left);
	wrong(c, p, LEAKS, left);
	world_scrub(&s->room, &s->hierarchies, &s->empty);
	if (!world_settles(&s->room, &s->hierarchies, &s->empty, &s->seen)) {
		world_added(&s->empty, &s->seen, left, sizeof left);
		fprintf(stderr, "faults: cannot clear away: %s\n", left);
		exit(125);
	}
}

/* There is a state, for delete: nothing else knows of the container. */
static bool is_known(struct stage *s)
{
	char left[2048];

	world_look(&s->room, &s->hierarchies, &s->seen);
	world_added(&s->empty, &s->seen, left, sizeof left);
	return strstr(left, "state ");
}

static void judge(struct census *c, const struct point *p)
{
	struct stage *s = c->stage;
	char line[1024];

	count(c, p, POINTS);
	c->counted = false;
	c->again += c->shot->hits > 1;
	if (c->shot->hung) {
		wrong(c, p, HANGS, "it has not ended");
		world_scrub(&s->room, &s->hierarchies, &s->empty);
		s->is_ready = false;
		return;
	}
	judge_message(c, p);
	if (c->shot->crashed && !WIFSIGNALED(c->shot->status))
		wrong(c, p, UNCLEAR, "one of its processes crashed");
	/* Before the next one makes, and deletes, the same cgroups. */
	if (c->shot->status != 0 && p->scene->from == NOTHING) {
		if (is_known(s))
			count(c, p, BY_DELETE);
		judge_left(c, p);
	}
	(void)ended(c, p);
	judge_effect(c, p);
	judge_left(c, p);
	if (stage_differs(s, line, sizeof line))
		wrong(c, p, OPEN, line);
}

/* ---- one after the other ---- */

static void shoot_scene(struct census *c, const struct scene *scene)
{
	struct room *room = &c->stage->room;
	char *argv[MOST_WORDS];
	struct target target = {
		.argv = argv,
		.in = room->null,
		.out = room->out,
		.err = room->err,
		.program = room->program,
	};

	scene_prepare(c->stage, scene);
	if (scene->with_init)
		target.init = c->stage->init;
	if (scene->from != NOTHING)
		memcpy(target.keepers, c->stage->keepers,
		       sizeof target.keepers);
	room_words(room, room->id, scene->line, argv);
	shoot(c->shot, &target, PATIENCE_S);
	room_free(argv);
}

/* List the calls, and what a correctly confined program writes. */
static size_t record(struct census *c, const struct point *p,
		     struct call *calls)
{
	struct stage *s = c->stage;
	const char *line;
	char text[1024];

	s->record_len = 0;
	s->record[0] = '\0';
	c->shot->at = (struct call){ .task = -1, .number = -1 };
	c->shot->stays = false;
	shoot_scene(c, p->scene);
	if (c->shot->status != 0 || !p->scene->worked(s)) {
		(void)room_read(s->room.err, text, sizeof text);
		fprintf(stderr, "faults: without a fault, %s: %s\n",
			p->scene->name, text);
		exit(125);
	}
	/* A line that differs is the next one of the record. */
	while ((line = stage_differs(s, text, sizeof text))) {
		s->record_len += (size_t)snprintf(s->record + s->record_len,
						  RECORD_SIZE - s->record_len,
						  "%s\n", line);
		if (strcmp(line, "end") == 0)
			break;
	}
	judge_left(c, p);
	memcpy(calls, c->shot->calls, c->shot->n * sizeof *calls);
	return c->shot->n;
}

static bool sampled(const struct census *c, const struct point *p, size_t i,
		    long nr)
{
	return (c->call < 0 || c->call == nr) &&
	       (i + p->fault * 5 + p->scene_index * 3) % (size_t)c->every == 0;
}

static bool has_keepers(const struct census *c, const struct point *p)
{
	return p->scene->from != NOTHING && c->stage->keepers[SUPERVISOR] > 0;
}

static void take_points(struct census *c, struct point *p,
			const struct call *calls, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum exception why =
			fair(&calls[i], faults[p->fault].error, c->stays);

		if (!sampled(c, p, i, calls[i].nr) ||
		    (faults[p->fault].error < 0 && !has_keepers(c, p)))
			continue;
		c->exceptions[why]++;
		if (why != FAIR)
			continue;
		c->shot->at = calls[i];
		c->shot->error = faults[p->fault].error;
		c->shot->nr = calls[i].nr;
		c->shot->stays = c->stays;
		shoot_scene(c, p->scene);
		if (c->shot->hits > 0) {
			judge(c, p);
		} else {
			c->missed++;
			judge_left(c, p);
		}
	}
}

static void take_scene(struct census *c, size_t index)
{
	static struct call calls[MOST_CALLS];
	struct point p = { .scene = &scenes[index], .scene_index = index };
	size_t n;

	if (c->only && strcmp(c->only, p.scene->name) != 0)
		return;
	c->stage->is_ready = false;
	n = record(c, &p, calls);
	printf("# %s: %s: %zu calls\n", c->name, p.scene->name, n);
	for (p.fault = 0; p.fault < NFAULTS; p.fault++)
		if (!c->fault || strcmp(c->fault, faults[p.fault].name) == 0)
			take_points(c, &p, calls, n);
	/* No further point needs the container that was kept. */
	if (c->stage->is_ready)
		(void)stage_runs(c->stage, "delete --force ID");
	(void)world_settles(&c->stage->room, &c->stage->hierarchies,
			    &c->stage->empty, &c->stage->seen);
}

/* ---- the report ---- */

static long total(const struct census *c, int scene, int fault, enum tally what)
{
	long sum = 0;

	for (size_t s = 0; s < nscenes; s++)
		for (size_t f = 0; f < NFAULTS; f++)
			if ((scene < 0 || (size_t)scene == s) &&
			    (fault < 0 || (size_t)fault == f))
				sum += c->counts[s][f][what];
	return sum;
}

static void print_row(const struct census *c, FILE *to, const char *name,
		      int scene, int fault)
{
	if (total(c, scene, fault, POINTS) == 0)
		return;
	fprintf(to, "%-10s %-15s", c->name, name);
	for (int t = 0; t < TALLIES; t++)
		fprintf(to, " %8ld", total(c, scene, fault, t));
	fputc('\n', to);
}

static void print_report(const struct census *c)
{
	printf("\n%-26s", "");
	for (int t = 0; t < TALLIES; t++)
		printf(" %8s", tally_names[t]);
	putchar('\n');
	for (size_t s = 0; s < nscenes; s++)
		print_row(c, stdout, scenes[s].name, (int)s, -1);
	for (size_t f = 0; f < NFAULTS; f++)
		print_row(c, stdout, faults[f].name, -1, (int)f);
	print_row(c, stdout, "all", -1, -1);
	for (int e = FAIR + 1; e < EXCEPTIONS; e++)
		printf("left out: %ld, %s\n", c->exceptions[e],
		       exception_text(e));
	printf("not reached in the second run: %ld\n", c->missed);
	if (c->stays)
		printf("failed more than once: %ld\n", c->again);
}

static void add_totals(const struct census *c)
{
	FILE *f = fopen(c->totals, "ae");

	if (!f)
		die(c->totals);
	print_row(c, f, "all", -1, -1);
	if (fclose(f) != 0)
		die(c->totals);
}

static void read_options(struct census *c, int argc, char **argv)
{
	static const struct option options[] = {
		{ "runtime", required_argument, NULL, 'r' },
		{ "dir", required_argument, NULL, 'd' },
		{ "cgroup", required_argument, NULL, 'c' },
		{ "name", required_argument, NULL, 'n' },
		{ "prefix", required_argument, NULL, 'p' },
		{ "every", required_argument, NULL, 'e' },
		{ "only", required_argument, NULL, 'o' },
		{ "fault", required_argument, NULL, 'f' },
		{ "call", required_argument, NULL, 'l' },
		{ "totals", required_argument, NULL, 't' },
		{ "persistent", no_argument, NULL, 's' },
		{ "hide-unified", no_argument, NULL, 'u' },
		{ 0 },
	};
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (o) {
		case 'r':
			c->stage->room.runtime = optarg;
			break;
		case 'd':
			c->stage->room.dir = optarg;
			break;
		case 'c':
			c->stage->room.cgroup = optarg;
			break;
		case 'n':
			c->name = optarg;
			break;
		case 'p':
			c->prefix = optarg;
			break;
		case 'e':
			c->every = (int)strtol(optarg, NULL, 10);
			break;
		case 'o':
			c->only = optarg;
			break;
		case 'f':
			c->fault = optarg;
			break;
		case 'l':
			c->call = seccomp_syscall_resolve_name(optarg);
			break;
		case 't':
			c->totals = optarg;
			break;
		case 's':
			c->stays = true;
			break;
		case 'u':
			c->hide_unified = true;
			break;
		default:
			exit(125);
		}
	}
	if (!c->stage->room.runtime || !c->stage->room.dir ||
	    !c->stage->room.cgroup || c->stage->room.cgroup[0] != '/' ||
	    c->every < 1) {
		fputs("usage: census --runtime PROGRAM --dir DIR "
		      "--cgroup /PARENT [OPTION...]\n",
		      stderr);
		exit(125);
	}
}

int main(int argc, char **argv)
{
	static struct stage stage;
	struct census c = {
		.stage = &stage, .name = "runtime", .every = 1, .call = -1
	};
	struct stage *s = &stage;
	double deadline;

	read_options(&c, argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* The parent's name is unique. */
	s->room.id = strrchr(s->room.cgroup, '/') + 1;
	room_enter(&s->room);
	if (c.hide_unified)
		room_hide_unified();
	hierarchies_find(&s->room, &s->hierarchies);
	s->room.number = 1000;
	/* Parents of cgroups, and the state's directory, are made once. */
	if (!stage_runs(s, scenes[0].line) ||
	    !stage_runs(s, "delete --force ID")) {
		char said[4096];

		(void)room_read(s->room.err, said, sizeof said);
		fprintf(stderr, "faults: %s: %s\n", c.name, said);
		return 125;
	}
	/* The kernel collects a keyring some time after its last process. */
	deadline = now() + PATIENCE_S;
	do {
		nap();
		world_look(&s->room, &s->hierarchies, &s->empty);
	} while (waitpid(-1, NULL, WNOHANG) >= 0 ||
		 (strstr(s->empty.text, "\nkey ") && now() < deadline));
	c.shot = shot_new();
	for (size_t i = 0; i < nscenes; i++)
		take_scene(&c, i);
	print_report(&c);
	if (c.totals)
		add_totals(&c);
	for (int t = LEAKS; t < TALLIES; t++)
		if (total(&c, -1, -1, t) > 0)
			return 1;
	return 0;
}
