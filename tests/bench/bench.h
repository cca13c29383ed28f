/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/bench/bench.h - what is measured, as tests/bench/run writes it down.
 *
 * A plan has a line for each thing; words are separated by blanks, and a % in
 * one is the number of the command, from 1 on.
 *
 *   case NAME          begins a case
 *   rounds N           no more rounds than these
 *   back-to-back       no second measurement with gaps
 *   parallel N         the timed command N times at once
 *   alive N            a case of N containers at once: create, probe, remove
 *   by NAME            a contender; what follows is about it
 *   unable REASON      it takes no part
 *   user UID           its commands are run by this user
 *   setup COMMAND      once, before the first round
 *   do COMMAND         in every round, not timed
 *   time COMMAND       in every round; the sum of these is what counts
 *   await FILE         until the process that the file names has ended
 *   teardown COMMAND   once, after the last round
 *   create COMMAND     the n-th container
 *   pid FILE           where its process is written
 *   probe NAME COMMAND timed when all are alive
 *   remove COMMAND     the n-th container
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define MAX_WORDS 64
#define MAX_STEPS 16
#define MAX_CONTENDERS 8
#define MAX_CASES 64
#define MAX_ROUNDS 1000
#define GAP_US 25000

enum kind {
	STEP_SETUP,
	STEP_DO,
	STEP_TIME,
	STEP_AWAIT,
	STEP_TEARDOWN,
	STEP_CREATE,
	STEP_PID,
	STEP_PROBE,
	STEP_REMOVE,
};

struct step {
	enum kind kind;
	const char *name; /* of a probe */
	char *words[MAX_WORDS + 1];
};

struct contender {
	const char *name;
	char *unable; /* why it has no figures, or NULL */
	uid_t user;
	struct step steps[MAX_STEPS];
	size_t nsteps;
	double us[MAX_ROUNDS];
	size_t n;
	long peak_kib; /* of one timed process */
};

struct bench_case {
	const char *name;
	size_t rounds; /* 0: as many as the caller says */
	unsigned int parallel;
	unsigned int alive; /* 0: not such a case */
	bool no_gaps;
	struct contender contenders[MAX_CONTENDERS];
	size_t ncontenders;
};

struct bench_plan {
	struct bench_case cases[MAX_CASES];
	size_t ncases;
};

struct usage {
	double us;
	long peak_kib;
};

/* plan.c: read all lines; a mistake ends the program. */
struct bench_plan *plan_read(FILE *file);

/* spawn.c: run copies of a command at once, numbered from number on. */
int spawn_copies(struct contender *c, const struct step *step,
		 unsigned int number, unsigned int copies, struct usage *ret);
/* spawn.c: the file's process, or -1. */
pid_t spawn_pid(const struct step *step, unsigned int number);
/* spawn.c: wait for that orphan's end; -1 if it is not our child. */
int spawn_await(const struct step *step);
/* spawn.c: collect orphans that have ended. */
void spawn_collect(void);
double now_us(void);

/* scale.c: a case with `alive`, as a member of the JSON list. */
void scale_run(struct bench_case *bench, bool *first);

/* json.c */
void json_text(const char *text);
void json_figures(const struct bench_case *bench, struct contender *c,
		  bool with_gaps, bool *first);
double median(double *values, size_t n);
