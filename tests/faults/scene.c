/* SPDX-License-Identifier: Apache-2.0 */
/* tests/faults/scene.c - the scenes, one line each, and what they need. */
#include "scene.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CREATE "create --bundle BUNDLE/hold --pid-file PIDFILE ID"
#define CGROUP "c1" /* below the parent, as the bundles have it */
#define WAIT_S 3.0
#define REST_NS 20000000

bool stage_runs(struct stage *stage, const char *line)
{
	stage->status = room_run(&stage->room, stage->room.id, line);
	return stage->status == 0;
}

/* ---- what the container's programs wrote ---- */

static int count_records(struct stage *stage)
{
	static char text[RECORD_SIZE];
	const char *at = text;
	int n = 0;

	(void)room_read(stage->room.out, text, sizeof text);
	while ((at = strstr(at, "\nend\n"))) {
		at++;
		n++;
	}
	return n;
}

bool stage_records(struct stage *stage, int n)
{
	double deadline = now() + WAIT_S;

	while (count_records(stage) < n) {
		if (now() > deadline)
			return false;
		nap();
	}
	return true;
}

/* "net:[4026531840]" is a number of the day; whose it is, is not. */
static void name_namespace(char *line, size_t size)
{
	char path[64], mine[64];
	char *colon = strstr(line, ":[");
	ssize_t n;

	if (!colon || colon - line > 8)
		return;
	snprintf(path, sizeof path, "/proc/self/ns/%.*s", (int)(colon - line),
		 line);
	n = readlink(path, mine, sizeof mine - 1);
	mine[n > 0 ? n : 0] = '\0';
	snprintf(colon, size - (size_t)(colon - line), " namespace: %s",
		 strcmp(line, mine) == 0 ? "the host's" : "its own");
}

/*
 * Our own limits may keep us from passing on a device that everybody gets: a
 * line less of these is a container that is held by more.
 */
static const char *skip_devices(const char *wanted, const char *line)
{
	while (strncmp(wanted, "c ", 2) == 0 || strncmp(wanted, "b ", 2) == 0) {
		size_t n = strcspn(wanted, "\n");

		if (strlen(line) == n && memcmp(line, wanted, n) == 0)
			break;
		wanted += n + (wanted[n] == '\n');
	}
	return wanted;
}

/* Is it what is wanted up to where somebody was killed, and the next record? */
static bool begins_again(const char *line, const char *wanted, size_t want,
			 const char *record)
{
	size_t n = strlen(line), first = strcspn(record, "\n");

	return n >= first && n - first <= want &&
	       memcmp(line, wanted, n - first) == 0 &&
	       memcmp(line + n - first, record, first) == 0;
}

const char *stage_differs(struct stage *stage, char *line, size_t size)
{
	static char text[RECORD_SIZE];
	const char *at = text, *wanted = stage->record;

	(void)room_read(stage->room.out, text, sizeof text);
	while (*at) {
		size_t n = strcspn(at, "\n"), want;

		snprintf(line, size, "%.*s", (int)n, at);
		name_namespace(line, size);
		wanted = skip_devices(wanted, line);
		want = strcspn(wanted, "\n");
		/* One that was killed while it wrote has not written all. */
		if (!at[n] && n < want && memcmp(line, wanted, n) == 0)
			break;
		if (begins_again(line, wanted, want, stage->record)) {
			wanted = stage->record;
			want = strcspn(wanted, "\n");
		} else if (strlen(line) != want ||
			   memcmp(line, wanted, want) != 0) {
			return line;
		}
		at += n + (at[n] == '\n');
		wanted += want + (wanted[want] == '\n');
		if (!*wanted)
			wanted = stage->record;
	}
	return NULL;
}

/* ---- looking ---- */

/* A process that is not ours to wait for: neither gone nor a zombie. */
static bool runs(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	(void)fclose(f);
	return state != 'Z' && state != 'X';
}

/* With a supervisor, init is its child, and ours only after its end. */
static bool init_lives(const struct stage *stage)
{
	int status;
	pid_t r;

	if (stage->init <= 0)
		return false;
	r = waitpid(stage->init, &status, WNOHANG);
	return r == 0 || (r < 0 && errno == ECHILD && runs(stage->init));
}

static bool init_ends(const struct stage *stage)
{
	double deadline = now() + WAIT_S;

	while (init_lives(stage)) {
		if (now() > deadline)
			return false;
		nap();
	}
	return true;
}

static bool keepers_end(struct stage *stage)
{
	bool ended;

	memset(stage->keepers, 0, sizeof stage->keepers);
	return keepers_agree(&ended) && ended;
}

/* Some hierarchy has a file of the container's with this in it. */
static bool cgroup_says(const struct stage *stage, const char *file,
			const char *text)
{
	const struct hierarchies *h = &stage->hierarchies;
	char path[1024], got[256];

	for (size_t i = 0; i < h->n; i++) {
		ssize_t n;
		int fd;

		snprintf(path, sizeof path, "%s/" CGROUP "/%s", h->paths[i],
			 file);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n = read(fd, got, sizeof got - 1);
		close(fd);
		got[n > 0 ? n : 0] = '\0';
		if (strstr(got, text))
			return true;
	}
	return false;
}

static bool is_frozen(const struct stage *stage)
{
	return cgroup_says(stage, "freezer.state", "FROZEN") ||
	       cgroup_says(stage, "cgroup.events", "frozen 1");
}

/* ---- did it work? ---- */

static bool created(struct stage *stage)
{
	return stage_runs(stage, "start ID") && stage_records(stage, 1);
}

static bool wrote(struct stage *stage)
{
	return stage_records(stage, 1);
}

static bool killed(struct stage *stage)
{
	return init_ends(stage);
}

/* One that was killed at it may be at it still. */
static bool paused(struct stage *stage)
{
	double deadline = now() + WAIT_S;

	while (!is_frozen(stage)) {
		if (now() > deadline)
			return false;
		nap();
	}
	return true;
}

static bool resumed(struct stage *stage)
{
	return !is_frozen(stage);
}

static bool updated(struct stage *stage)
{
	char text[16];

	snprintf(text, sizeof text, "%d\n", stage->room.number);
	return cgroup_says(stage, "pids.max", text);
}

static bool deleted(struct stage *stage)
{
	return world_settles(&stage->room, &stage->hierarchies, &stage->empty,
			     &stage->seen);
}

/* ---- once more ---- */

/* The ID is free at once, or after a delete. */
static bool make_again(struct stage *stage, const struct scene *scene,
		       bool *ret_by_delete)
{
	if (stage_runs(stage, scene->line))
		return true;
	*ret_by_delete = true;
	return stage_runs(stage, "delete --force ID") &&
	       stage_runs(stage, scene->line);
}

/* One that has ended, or runs already, is for delete. */
static bool start_again(struct stage *stage, const struct scene *scene,
			bool *ret_by_delete)
{
	double deadline = now() + WAIT_S;
	int records = count_records(stage);

	if (stage_runs(stage, scene->line))
		return stage_records(stage, records + 1);
	*ret_by_delete = true;
	while (count_records(stage) == 0 && init_lives(stage)) {
		if (now() > deadline)
			return false;
		nap();
	}
	return true;
}

static bool exec_again(struct stage *stage, const struct scene *scene,
		       bool *ret_by_delete)
{
	int records = count_records(stage);

	(void)ret_by_delete;
	return init_lives(stage) && stage_runs(stage, scene->line) &&
	       stage_records(stage, records + 1);
}

/* It may have worked although it says it did not. */
static bool do_again(struct stage *stage, const struct scene *scene,
		     bool *ret_by_delete)
{
	(void)ret_by_delete;
	return (stage_runs(stage, scene->line) || scene->from != NOTHING) &&
	       scene->worked(stage);
}

const struct scene scenes[] = {
	{ "create", CREATE, NOTHING, false, false, created, make_again },
	{ "start", "start ID", CREATED, false, true, wrote, start_again },
	{ "run", "run --bundle BUNDLE/once ID", NOTHING, false, false, wrote,
	  make_again },
	{ "exec", "exec ID /probe once", RUNNING, true, false, wrote,
	  exec_again },
	{ "kill", "kill ID KILL", RUNNING, false, false, killed, do_again },
	{ "pause", "pause ID", RUNNING, false, false, paused, do_again },
	{ "resume", "resume ID", PAUSED, false, false, resumed, do_again },
	{ "update", "update --pids-limit NUMBER ID", RUNNING, false, false,
	  updated, do_again },
	{ "delete", "delete ID", STOPPED, false, false, deleted, do_again },
	{ "delete --force", "delete --force ID", RUNNING, false, false, deleted,
	  do_again },
};
const size_t nscenes = sizeof scenes / sizeof *scenes;

/* ---- before it ---- */

static void must(struct stage *stage, const char *line)
{
	char said[4096];

	if (stage_runs(stage, line))
		return;
	(void)room_read(stage->room.err, said, sizeof said);
	fprintf(stderr, "faults: without a fault, %s: %s\n", line, said);
	exit(125);
}

static void read_pid(struct stage *stage)
{
	FILE *f = fopen(stage->room.pid_file, "re");

	if (!f || fscanf(f, "%d", &stage->init) != 1)
		die(stage->room.pid_file);
	(void)fclose(f);
}

/* A supervisor closes its last descriptors after create has ended. */
static void look_at_rest(struct stage *stage)
{
	const struct timespec pause = { .tv_nsec = REST_NS };
	double deadline = now() + WAIT_S;

	do {
		world_look(&stage->room, &stage->hierarchies, &stage->ready);
		if (!stage->keepers[SUPERVISOR])
			return;
		(void)nanosleep(&pause, NULL);
		world_look(&stage->room, &stage->hierarchies, &stage->seen);
	} while ((stage->ready.len != stage->seen.len ||
		  memcmp(stage->ready.text, stage->seen.text,
			 stage->seen.len) != 0) &&
		 now() < deadline);
}

void scene_prepare(struct stage *stage, const struct scene *scene)
{
	stage->room.number++;
	if (!stage->is_ready && scene->from != NOTHING) {
		/* Records of the point before are not this container's. */
		room_empty(stage->room.out);
		must(stage, CREATE);
		read_pid(stage);
		keepers_find(stage->keepers);
		if (scene->from != CREATED) {
			must(stage, "start ID");
			if (!stage_records(stage, 1))
				die("the program of the container");
		}
		if (scene->from == PAUSED)
			must(stage, "pause ID");
		if (scene->from == STOPPED) {
			must(stage, "kill ID KILL");
			if (!init_ends(stage) || !keepers_end(stage))
				die("the end of the container");
		}
		look_at_rest(stage);
	}
	room_empty(stage->room.out);
	room_empty(stage->room.err);
}
