/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/explain_macos.c - explain what macOS would enforce of a
 * request.
 */
#include "runtime/diagnose/explain_macos.h"

#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "confine/seatbelt.h"
#include "oci/write.h"
#include "policy/keys.h"
#include "runtime/cli/quote.h"
#include "runtime/sandbox/request.h"

struct line {
	const char *key;
	const char *value; /* NULL for a protection */
	const char *origin;
	const char *state;
	const char *how;
};

struct lines {
	struct line items[KEY_COUNT + PROTECT_COUNT];
	size_t n;
	const char *refusal; /* NULL: it would run */
};

int explain_macos_profile(struct arena *arena, const struct request *request,
			  const char **ret)
{
	struct seatbelt_facts facts;
	int r = seatbelt_find_facts(arena, request->home, request->project,
				    request->source, &request->env, &facts);

	return r < 0 ? r : seatbelt_make(arena, &request->policy, &facts, ret);
}

static int add_key(struct arena *arena, const struct policy *policy,
		   enum policy_key key, struct lines *lines)
{
	static const char *const states[] = {
		[SEATBELT_RULES] = "enforced by Seatbelt",
		[SEATBELT_PROGRAM] = "applied by sandlock",
		[SEATBELT_CGROUPS] = "accepted",
		[SEATBELT_REFUSED] = "accepted",
		[SEATBELT_TRIVIAL] = "always so",
	};
	const struct seatbelt_key *row = seatbelt_key(key);
	const char *refusal = seatbelt_refuses(arena, policy, key);
	struct text value = { .arena = arena };
	struct line line = {
		.key = policy_key_name(key),
		.origin = policy->origin[key],
		.state = refusal ? "refused" : states[row->means],
		.how = refusal ? refusal : row->how,
	};
	int r;

	if (seatbelt_loses(policy, key))
		line.state = "degraded";
	else if (!refusal && (row->means == SEATBELT_REFUSED ||
			      row->means == SEATBELT_CGROUPS))
		line.how = "it asks for nothing";
	policy_show_key(&value, policy, key);
	r = text_close(&value, &line.value);
	if (r < 0)
		return r;
	lines->items[lines->n++] = line;
	return 0;
}

static int collect(struct arena *arena, const struct request *request,
		   struct lines *ret)
{
	const struct policy *policy = &request->policy;
	const char *text;
	int r = 0;

	for (enum policy_key key = 0; r == 0 && key < KEY_COUNT; key++)
		if (policy->set[key])
			r = add_key(arena, policy, key, ret);
	if (r < 0)
		return r;
	for (enum policy_protection i = 0; i < PROTECT_COUNT; i++) {
		const struct seatbelt_protection *row = seatbelt_protection(i);

		ret->items[ret->n++] = (struct line){
			.key = policy_protection_name(i),
			.state = row->held ? "enforced" : "not enforced",
			.how = row->how,
		};
	}
	r = explain_macos_profile(arena, request, &text);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		ret->refusal = arena_strdup(arena, err_text());
		err_clear();
	}
	return r < 0 && !ret->refusal ? -ENOMEM : 0;
}

static const char *shown(struct arena *arena, const char *text)
{
	const char *safe = quote_shown(arena, text);

	return safe ? safe : "?";
}

static void print_text(struct arena *arena, const struct request *request,
		       const struct lines *lines)
{
	const char *command = quote_words(arena, &request->command);

	printf("platform: macos\ncommand: %s\n",
	       command && *command ? shown(arena, command) : "none");
	printf("project: %s\n", shown(arena, request->project));
	if (lines->refusal)
		printf("run would refuse it: %s\n",
		       shown(arena, lines->refusal));
	else
		printf("run would use a sandbox\n");
	for (size_t i = 0; i < lines->n; i++) {
		const struct line *line = &lines->items[i];

		printf("\n%s", line->key);
		if (line->value)
			printf(" = %s", shown(arena, line->value));
		if (line->origin)
			printf("  (%s)", shown(arena, line->origin));
		printf("\n  %s: %s\n", line->state, shown(arena, line->how));
	}
}

static int print_json(struct arena *arena, const struct request *request,
		      const struct lines *lines)
{
	struct writer w;

	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "platform", "macos");
	put_strings(&w, "command", &request->command);
	put_string(&w, "verdict", lines->refusal ? "refused" : "runs");
	put_string(&w, "reason", lines->refusal);
	put_string(&w, "project", request->project);
	put_array(&w, "lines");
	for (size_t i = 0; i < lines->n; i++) {
		const struct line *line = &lines->items[i];

		put_object(&w, NULL);
		put_string(&w, "key", line->key);
		put_string(&w, "state", line->state);
		put_string(&w, "value", line->value);
		put_string(&w, "origin", line->origin);
		put_string(&w, "how", line->how);
		put_end(&w);
	}
	put_end(&w);
	put_end(&w);
	return writer_print(&w);
}

int explain_macos(struct arena *arena, const struct request *request)
{
	struct lines *lines = arena_alloc(arena, sizeof *lines);
	int r = lines ? collect(arena, request, lines) : -ENOMEM;

	if (r < 0)
		return r;
	if (!request->json)
		print_text(arena, request, lines);
	else if ((r = print_json(arena, request, lines)) < 0)
		return r;
	return lines->refusal != NULL;
}
