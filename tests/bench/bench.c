/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/bench/bench.c - time contenders against each other, in turns.
 *
 * Usage: bench ROUNDS ROUNDS-WITH-GAPS <PLAN
 *
 * Each round runs every contender once, the first of one round last in the
 * next, so that a slow moment of the machine meets all of them. With gaps of
 * 25 ms between them what a kernel defers cannot hide behind the run before.
 * JSON goes to stdout: times in microseconds, memory in KiB. What a contender
 * could not do is there with the reason.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/bench/bench.h"

#define WARM_UP 2

static int run_all(struct contender *c, enum kind kind)
{
	for (size_t i = 0; i < c->nsteps; i++) {
		struct usage usage = { 0 };

		if (c->steps[i].kind == kind &&
		    spawn_copies(c, &c->steps[i], 1, 1, &usage) < 0)
			return -1;
	}
	return 0;
}

static int run_step(const struct bench_case *bench, struct contender *c,
		    const struct step *step, struct usage *timed)
{
	struct usage aside = { 0 };

	switch (step->kind) {
	case STEP_DO:
		return spawn_copies(c, step, 1, 1, &aside);
	case STEP_TIME:
		return spawn_copies(c, step, 1, bench->parallel, timed);
	case STEP_AWAIT:
		return spawn_await(step);
	default:
		return 0;
	}
}

static void run_round(const struct bench_case *bench, struct contender *c,
		      bool counts)
{
	struct usage timed = { 0 };

	for (size_t i = 0; i < c->nsteps; i++)
		if (run_step(bench, c, &c->steps[i], &timed) < 0) {
			if (!c->unable)
				c->unable = (char *)"its process was not seen "
						    "to end";
			return;
		}
	spawn_collect();
	if (!counts)
		return;
	c->us[c->n++] = timed.us;
	if (timed.peak_kib > c->peak_kib)
		c->peak_kib = timed.peak_kib;
}

static void run_mode(struct bench_case *bench, size_t rounds, bool with_gaps,
		     bool *first)
{
	for (size_t i = 0; i < bench->ncontenders; i++)
		bench->contenders[i].n = 0;
	for (size_t round = 0; round < rounds + WARM_UP; round++)
		for (size_t i = 0; i < bench->ncontenders; i++) {
			struct contender *c =
				&bench->contenders[(i + round) %
						   bench->ncontenders];

			if (c->unable)
				continue;
			if (with_gaps)
				usleep(GAP_US);
			run_round(bench, c, round >= WARM_UP);
		}
	for (size_t i = 0; i < bench->ncontenders; i++)
		json_figures(bench, &bench->contenders[i], with_gaps, first);
}

static size_t at_most(size_t limit, size_t rounds)
{
	if (limit && rounds > limit)
		rounds = limit;
	return rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
}

static void run_case(struct bench_case *bench, size_t rounds, size_t gaps,
		     bool *first)
{
	fprintf(stderr, "bench: %s\n", bench->name);
	for (size_t i = 0; i < bench->ncontenders; i++)
		if (!bench->contenders[i].unable)
			(void)run_all(&bench->contenders[i], STEP_SETUP);
	if (bench->alive) {
		scale_run(bench, first);
	} else {
		run_mode(bench, at_most(bench->rounds, rounds), false, first);
		if (!bench->no_gaps)
			run_mode(bench, at_most(bench->rounds, gaps), true,
				 first);
	}
	for (size_t i = 0; i < bench->ncontenders; i++)
		(void)run_all(&bench->contenders[i], STEP_TEARDOWN);
	spawn_collect();
}

int main(int argc, char **argv)
{
	struct bench_plan *plan;
	bool first = true;

	if (argc != 3) {
		fprintf(stderr, "usage: bench ROUNDS ROUNDS-WITH-GAPS <PLAN\n");
		return 1;
	}
	/* Adopt processes of containers, instead of the machine's init. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) {
		perror("bench: subreaper");
		return 1;
	}
	plan = plan_read(stdin);
	printf("[");
	for (size_t i = 0; i < plan->ncases; i++)
		run_case(&plan->cases[i], (size_t)atol(argv[1]),
			 (size_t)atol(argv[2]), &first);
	printf("\n]\n");
	free(plan);
	return fflush(stdout) == 0 ? 0 : 1;
}
