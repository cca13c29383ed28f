/* SPDX-License-Identifier: Apache-2.0 */
/* hooks/hooks.c - run the hooks of one point in their order. */
#include "hooks/hooks.h"

#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "hooks/copy.h"
#include "hooks/program.h"

struct copies {
	struct copy out, err;
};

static void copies_close(struct copies *copies)
{
	copy_close(&copies->out);
	copy_close(&copies->err);
}

static int copies_open(const struct oci_hooks *hooks, struct copies *copies)
{
	int r = 0;

	if (hooks->out_file)
		r = copy_open(hooks->out_file, &copies->out);
	if (r < 0)
		return fail_in(r, "annotations.run.oci.hooks.stdout");
	if (hooks->err_file)
		r = copy_open(hooks->err_file, &copies->err);
	return r < 0 ? fail_in(r, "annotations.run.oci.hooks.stderr") : 0;
}

static char *const *environment(const struct oci_hook *hook,
				const struct hooks_place *place)
{
	/* An empty list also inherits, as in crun and runc. */
	if (hook->has_env && hook->env.n > 0)
		return (char *const *)hook->env.items;
	return place && place->env ? place->env : environ;
}

static int run_one(const struct oci_hook *hook, const struct hooks_place *place,
		   const char *state_json, struct copies *copies)
{
	const char *path_alone[] = { hook->path, NULL };
	struct program program = {
		.path = hook->path,
		.argv = (char *const *)(hook->args.n > 0 ? hook->args.items :
							   path_alone),
		.envp = environment(hook, place),
		.input = state_json,
		.timeout = hook->timeout,
		.out = &copies->out,
		.err = &copies->err,
		.place = place,
	};
	struct program_end end;
	int r = program_run(&program, &end);

	return r < 0 ? r : program_check(&program, &end);
}

int hooks_run(const struct oci_hooks *hooks, enum hook_point when,
	      const struct hooks_place *place, const char *state_json)
{
	const struct oci_hook_list *list = &hooks->at[when];
	AUTO(copies_close) struct copies copies = { COPY_NONE, COPY_NONE };

	if (list->n > 0) {
		int r = copies_open(hooks, &copies);

		if (r < 0 && when != HOOK_POSTSTOP)
			return r;
		if (r < 0)
			log_notice("%s", err_text());
		err_clear();
	}
	for (size_t i = 0; i < list->n; i++) {
		int r = run_one(&list->items[i], place, state_json, &copies);

		if (r >= 0)
			continue;
		(void)fail_in(r, "error running %s hook #%zu",
			      oci_hook_point_name(when), i);
		if (when != HOOK_POSTSTOP)
			return r;
		log_notice("%s", err_text());
		err_clear();
	}
	return 0;
}
