/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/plan.c - read the plan, strictly. */
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"

static const struct {
	const char *word;
	enum kind kind;
} steps[] = {
	{ "setup", STEP_SETUP },   { "do", STEP_DO },
	{ "time", STEP_TIME },	   { "await", STEP_AWAIT },
	{ "create", STEP_CREATE }, { "teardown", STEP_TEARDOWN },
	{ "pid", STEP_PID },	   { "probe", STEP_PROBE },
	{ "remove", STEP_REMOVE },
};

static void bad(const char *what, const char *word)
{
	fprintf(stderr, "bench: plan: %s: %s\n", what, word);
	exit(1);
}

static unsigned int number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text ? text : "", &end, 10);

	if (!text || !*text || *end || value > 1000000)
		bad("no number", text ? text : "nothing");
	return (unsigned int)value;
}

static void add_step(struct contender *c, enum kind kind, char **rest)
{
	struct step *step = &c->steps[c->nsteps];
	size_t n = 0;
	char *word;

	if (c->nsteps == MAX_STEPS)
		bad("too many steps of", c->name);
	c->nsteps++;
	step->kind = kind;
	if (kind == STEP_PROBE)
		step->name = strtok_r(NULL, " \n", rest);
	while ((word = strtok_r(NULL, " \n", rest))) {
		if (n == MAX_WORDS)
			bad("too many words after", step->words[0]);
		step->words[n++] = word;
	}
	if (n == 0)
		bad("nothing to run by", c->name);
}

static void contender_line(struct contender *c, const char *word, char **rest)
{
	if (strcmp(word, "unable") == 0) {
		c->unable = strtok_r(NULL, "\n", rest);
		return;
	}
	if (strcmp(word, "user") == 0) {
		c->user = number(strtok_r(NULL, " \n", rest));
		return;
	}
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
		if (strcmp(word, steps[i].word) == 0) {
			add_step(c, steps[i].kind, rest);
			return;
		}
	bad("unknown subcommand", word);
}

/* A word of the case itself; false when it is about a contender. */
static bool case_line(struct bench_case *bench, const char *word, char **rest)
{
	if (strcmp(word, "rounds") == 0)
		bench->rounds = number(strtok_r(NULL, " \n", rest));
	else if (strcmp(word, "back-to-back") == 0)
		bench->no_gaps = true;
	else if (strcmp(word, "parallel") == 0)
		bench->parallel = number(strtok_r(NULL, " \n", rest));
	else if (strcmp(word, "alive") == 0)
		bench->alive = number(strtok_r(NULL, " \n", rest));
	else if (strcmp(word, "by") == 0) {
		if (bench->ncontenders == MAX_CONTENDERS)
			bad("too many contenders in", bench->name);
		bench->contenders[bench->ncontenders++].name =
			strtok_r(NULL, " \n", rest);
	} else
		return false;
	return true;
}

static void plan_line(struct bench_plan *plan, char *line)
{
	char *rest = NULL, *word = strtok_r(line, " \n", &rest);
	struct bench_case *bench;

	if (!word || word[0] == '#')
		return;
	if (strcmp(word, "case") == 0) {
		if (plan->ncases == MAX_CASES)
			bad("too many cases", line);
		plan->cases[plan->ncases].parallel = 1;
		plan->cases[plan->ncases++].name = strtok_r(NULL, "\n", &rest);
		return;
	}
	if (plan->ncases == 0)
		bad("no case before", word);
	bench = &plan->cases[plan->ncases - 1];
	if (case_line(bench, word, &rest))
		return;
	if (bench->ncontenders == 0)
		bad("no contender before", word);
	contender_line(&bench->contenders[bench->ncontenders - 1], word, &rest);
}

struct bench_plan *plan_read(FILE *file)
{
	struct bench_plan *plan = calloc(1, sizeof *plan);
	char *line = NULL;
	size_t size = 0;

	if (!plan)
		bad("no memory", "");
	/* Every line stays: the words point into it. */
	while (getline(&line, &size, file) >= 0) {
		plan_line(plan, line);
		line = NULL;
		size = 0;
	}
	free(line);
	return plan;
}
