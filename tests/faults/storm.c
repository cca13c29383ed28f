/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/storm.c - a hundred callers at once, which do anything to
 * containers of their own and to shared ones, and kill the runtime at it.
 *
 * Usage: storm --runtime PROGRAM --dir DIR --cgroup /PARENT [OPTION...]
 *   --seed N    what is random comes from it; it is printed
 *   --each N    commands of each caller
 *   --prefix T  how an error's one line begins
 *
 * Afterwards: of two creations of an ID that worked, something has deleted the
 * first; of two starts, likewise with a creation between; no program has run
 * more often than its container was created; no command has hung or failed
 * without a word; delete --force ends all of it, and every ID works again.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "room.h"
#include "world.h"

#define CALLERS 100
#define SHARED 10
#define IDS (CALLERS + SHARED)
#define PATIENCE_MS 60000
#define PAUSE_MS 8000
#define DEATH -1
/* A container may take so long to end after it was killed. */
#define DYING_S 2
/* What exec returns if its program was killed by SIGKILL, as from wait. */
#define PROGRAM_KILLED ((128 + SIGKILL) << 8)

enum op {
	CREATE,
	START,
	DELETE,
	FORCE,
	KILL,
	EXEC,
	OTHER,
};

static const struct {
	enum op op;
	const char *line;
} lines[] = {
	{ CREATE, "create --bundle BUNDLE/ID ID" },
	{ CREATE, "create --bundle BUNDLE/ID ID" },
	{ CREATE, "create --bundle BUNDLE/ID ID" },
	{ START, "start ID" },
	{ START, "start ID" },
	{ START, "start ID" },
	{ DELETE, "delete ID" },
	{ FORCE, "delete --force ID" },
	{ KILL, "kill ID KILL" },
	{ KILL, "kill ID TERM" },
	{ OTHER, "state ID" },
	{ OTHER, "list" },
	{ OTHER, "ps ID" },
	{ OTHER, "pause ID" },
	{ OTHER, "resume ID" },
	{ OTHER, "update --pids-limit 500 ID" },
	{ EXEC, "exec ID /probe quiet" },
};
#define NLINES (sizeof lines / sizeof *lines)

struct event {
	int id;
	size_t line;
	double begin, end;
	int status; /* as from wait, or DEATH: we killed it */
};

struct storm {
	struct room room;
	struct hierarchies hierarchies;
	struct world empty, seen;
	const char *prefix;
	unsigned long seed;
	int each;
	struct event *events;
	size_t *nevents; /* shared by all */
	long wrong;
};

static void wrong(struct storm *s, int id, const char *what, const char *detail)
{
	printf("wrong: ID %d: %s%s%s\n", id, what, *detail ? ": " : "", detail);
	s->wrong++;
}

static const char *name_of(int id, char text[16])
{
	snprintf(text, 16, "%c%d", id < CALLERS ? 'o' : 's', id);
	return text;
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

/* ---- one caller ---- */

/* Its status, DEATH when it was killed after so many ms, or exit on a hang. */
static int call(struct storm *s, int id, const char *line, int err, int kill_ms)
{
	char *argv[MOST_WORDS], name[16];
	struct pollfd p = { .events = POLLIN };
	int status = 0;
	pid_t pid;

	room_words(&s->room, name_of(id, name), line, argv);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		if (dup2(s->room.null, 0) < 0 || dup2(s->room.out, 1) < 0 ||
		    dup2(err, 2) < 0)
			_exit(125);
		execvp(argv[0], argv);
		_exit(125);
	}
	room_free(argv);
	p.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (p.fd < 0)
		die("pidfd");
	/* Another one has paused it meanwhile? Then it waits, and rightly so. */
	if (kill_ms < 0 && poll(&p, 1, PAUSE_MS) == 0)
		(void)call(s, id, "resume ID", s->room.err, PAUSE_MS);
	if (poll(&p, 1, kill_ms >= 0 ? kill_ms : PATIENCE_MS) == 0) {
		if (kill_ms < 0) {
			printf("wrong: ID %d: %s hangs\n", id, line);
			_exit(1);
		}
		(void)kill(pid, SIGKILL);
	}
	(void)waitpid(pid, &status, 0);
	close(p.fd);
	return WIFSIGNALED(status) && kill_ms >= 0 ? DEATH : status;
}

static void one_call(struct storm *s, int caller, uint64_t *random, int err)
{
	size_t line = next(random) % NLINES;
	int id = next(random) % 2 ? caller :
				    CALLERS + (int)(next(random) % SHARED);
	int kill_ms = next(random) % 4 ? -1 : (int)(next(random) % 12);
	size_t at = __atomic_fetch_add(s->nevents, 1, __ATOMIC_SEQ_CST);
	struct event *e = &s->events[at];
	char said[4096];
	size_t n;

	assert(e);
	room_empty(err);
	e->id = id;
	e->line = line;
	e->begin = now();
	e->status = call(s, id, lines[line].line, err, kill_ms);
	e->end = now();
	n = room_read(err, said, sizeof said);
	if (e->status == 0 || e->status == DEATH)
		return;
	/* Its program was killed with the container: check_killed() looks. */
	if (n == 0 && lines[line].op == EXEC && e->status == PROGRAM_KILLED)
		return;
	/* One line, and it is the runtime's. */
	if (n == 0 || strncmp(said, s->prefix, strlen(s->prefix)) != 0 ||
	    memchr(said, '\n', n) != said + n - 1) {
		printf("wrong: ID %d: %s: status %#x, said \"%s\"\n", id,
		       lines[line].line, (unsigned)e->status, said);
		_exit(1);
	}
}

static _Noreturn void caller_run(struct storm *s, int caller)
{
	uint64_t random = s->seed * 1000003 + (uint64_t)caller * 7919 + 1;
	int err = memfd_create("err", MFD_CLOEXEC);

	if (err < 0 || fcntl(err, F_SETFL, O_APPEND) < 0)
		die("err");
	for (int i = 0; i < s->each; i++)
		one_call(s, caller, &random, err);
	_exit(0);
}

static void run_callers(struct storm *s)
{
	pid_t pids[CALLERS], pid;
	int left = CALLERS, status;

	for (int i = 0; i < CALLERS; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (pids[i] == 0)
			caller_run(s, i);
	}
	/* The containers' processes end here, too. */
	while (left > 0) {
		pid = waitpid(-1, &status, 0);
		if (pid < 0)
			die("wait");
		for (int i = 0; i < CALLERS; i++)
			if (pid == pids[i]) {
				left--;
				if (status != 0)
					wrong(s, i, "caller stopped", "");
			}
	}
}

/* ---- afterwards ---- */

static bool meets(const struct event *e, double begin, double end)
{
	return e->begin <= end && e->end >= begin;
}

/* Something that makes room for the second of two that worked. */
static bool excused(const struct storm *s, const struct event *a,
		    const struct event *b, enum op what)
{
	for (size_t i = 0; i < *s->nevents; i++) {
		const struct event *e = &s->events[i];
		enum op op = lines[e->line].op;
		bool fits = what == CREATE ? op == DELETE || op == FORCE :
					     op == CREATE;

		if (e->id == a->id && fits &&
		    (e->status == 0 || e->status == DEATH) &&
		    meets(e, a->begin, b->end))
			return true;
	}
	return false;
}

static int by_end(const void *a, const void *b)
{
	double x = ((const struct event *)a)->end;
	double y = ((const struct event *)b)->end;

	return (x > y) - (x < y);
}

static void check_once(struct storm *s, int id, enum op what)
{
	const struct event *last = NULL;

	for (size_t i = 0; i < *s->nevents; i++) {
		const struct event *e = &s->events[i];

		if (e->id != id || lines[e->line].op != what || e->status != 0)
			continue;
		if (last && !excused(s, last, e, what))
			wrong(s, id,
			      what == CREATE ? "created twice" :
					       "started twice",
			      "");
		last = e;
	}
}

/* A program of exec is killed only if another command ends its container. */
static void check_killed(struct storm *s, const struct event *killed)
{
	if (lines[killed->line].op != EXEC || killed->status != PROGRAM_KILLED)
		return;
	for (size_t i = 0; i < *s->nevents; i++) {
		const struct event *e = &s->events[i];
		enum op op = lines[e->line].op;

		if (e->id == killed->id &&
		    (op == DELETE || op == FORCE || op == KILL) &&
		    meets(e, killed->begin - DYING_S, killed->end))
			return;
	}
	wrong(s, killed->id, "the program of exec was killed", "");
}

/* A create that was killed may have made one; one that failed has not. */
static void check_programs(struct storm *s, const char *ran, int id)
{
	char line[32], name[16];
	const char *at = ran;
	long runs = 0, made = 0;

	snprintf(line, sizeof line, "ran %s\n", name_of(id, name));
	while ((at = strstr(at, line))) {
		runs++;
		at++;
	}
	for (size_t i = 0; i < *s->nevents; i++)
		made += s->events[i].id == id &&
			lines[s->events[i].line].op == CREATE &&
			(s->events[i].status == 0 ||
			 s->events[i].status == DEATH);
	if (runs > made)
		wrong(s, id, "its program ran more often than it was created",
		      "");
}

static void must(struct storm *s, int id, const char *line)
{
	char said[4096];
	int status;

	room_empty(s->room.err);
	status = call(s, id, line, s->room.err, -1);
	if (status == 0)
		return;
	(void)room_read(s->room.err, said, sizeof said);
	wrong(s, id, line, said);
}

static void check_left(struct storm *s)
{
	char left[2048];

	for (int id = 0; id < IDS; id++)
		must(s, id, "delete --force ID");
	if (!world_settles(&s->room, &s->hierarchies, &s->empty, &s->seen)) {
		world_added(&s->empty, &s->seen, left, sizeof left);
		wrong(s, -1, "left behind", left);
	}
	for (int id = 0; id < IDS; id++) {
		must(s, id, "create --bundle BUNDLE/ID ID");
		must(s, id, "start ID");
		must(s, id, "delete --force ID");
	}
	if (!world_settles(&s->room, &s->hierarchies, &s->empty, &s->seen)) {
		world_added(&s->empty, &s->seen, left, sizeof left);
		wrong(s, -1, "left behind", left);
	}
}

static void report(const struct storm *s)
{
	size_t worked = 0, killed = 0, n = *s->nevents;

	for (size_t i = 0; i < n; i++) {
		worked += s->events[i].status == 0;
		killed += s->events[i].status == DEATH;
	}
	printf("storm: seed %lu, %d callers, %d IDs, %zu commands: %zu worked, "
	       "%zu were refused, %zu were killed; %ld wrong\n",
	       s->seed, CALLERS, IDS, n, worked, n - worked - killed, killed,
	       s->wrong);
}

/* ---- before ---- */

/* The bundle `mark` for each ID: "c1" in it becomes that. */
static void make_bundle(const struct storm *s, const char *text, int id)
{
	char path[512], name[16];
	const char *at;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", s->room.dir, name_of(id, name));
	if (mkdir(path, 0755) < 0)
		die(path);
	snprintf(path, sizeof path, "%s/%s/config.json", s->room.dir, name);
	f = fopen(path, "we");
	if (!f)
		die(path);
	while ((at = strstr(text, "c1\""))) {
		fprintf(f, "%.*s%s\"", (int)(at - text), text, name);
		text = at + 3;
	}
	if (fputs(text, f) < 0 || fclose(f) != 0)
		die(path);
}

static void make_bundles(const struct storm *s)
{
	static char text[65536];
	char path[512];
	int fd;

	snprintf(path, sizeof path, "%s/mark/config.json", s->room.dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(path);
	(void)room_read(fd, text, sizeof text);
	close(fd);
	for (int id = 0; id < IDS; id++)
		make_bundle(s, text, id);
}

static void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!p || p == MAP_FAILED)
		die("mmap");
	return p;
}

static void read_options(struct storm *s, int argc, char **argv)
{
	static const struct option options[] = {
		{ "runtime", required_argument, NULL, 'r' },
		{ "dir", required_argument, NULL, 'd' },
		{ "cgroup", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' },
		{ "each", required_argument, NULL, 'e' },
		{ "prefix", required_argument, NULL, 'p' },
		{ 0 },
	};
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (o == 'r')
			s->room.runtime = optarg;
		else if (o == 'd')
			s->room.dir = optarg;
		else if (o == 'c')
			s->room.cgroup = optarg;
		else if (o == 's')
			s->seed = strtoul(optarg, NULL, 10);
		else if (o == 'e')
			s->each = (int)strtol(optarg, NULL, 10);
		else if (o == 'p')
			s->prefix = optarg;
		else
			exit(125);
	}
	if (!s->room.runtime || !s->room.dir || !s->room.cgroup) {
		fputs("usage: storm --runtime PROGRAM --dir DIR "
		      "--cgroup /PARENT [OPTION...]\n",
		      stderr);
		exit(125);
	}
}

int main(int argc, char **argv)
{
	static struct storm s = { .prefix = "", .each = 6 };
	size_t size;
	char *ran;

	s.seed = (unsigned long)time(NULL);
	read_options(&s, argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("storm: seed %lu\n", s.seed);
	room_enter(&s.room);
	hierarchies_find(&s.room, &s.hierarchies);
	make_bundles(&s);
	s.events = shared((size_t)s.each * CALLERS * sizeof *s.events);
	s.nevents = shared(sizeof *s.nevents);
	must(&s, 0, "create --bundle BUNDLE/ID ID");
	must(&s, 0, "delete --force ID");
	do
		nap();
	while (waitpid(-1, NULL, WNOHANG) >= 0);
	world_look(&s.room, &s.hierarchies, &s.empty);
	room_empty(s.room.out);

	run_callers(&s);
	size = (size_t)lseek(s.room.out, 0, SEEK_END) + 1;
	ran = malloc(size);
	if (!ran)
		die("malloc");
	(void)room_read(s.room.out, ran, size);
	qsort(s.events, *s.nevents, sizeof *s.events, by_end);
	for (int id = 0; id < IDS; id++) {
		check_once(&s, id, CREATE);
		check_once(&s, id, START);
		check_programs(&s, ran, id);
	}
	for (size_t i = 0; i < *s.nevents; i++)
		check_killed(&s, &s.events[i]);
	free(ran);
	check_left(&s);
	report(&s);
	return s.wrong > 0;
}
