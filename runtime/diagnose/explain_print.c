/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/explain_print.c - print an explanation as text and as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/landlock.h"
#include "oci/write.h"
#include "policy/toml.h"
#include "policy/toml_json.h"
#include "runtime/cli/quote.h"
#include "runtime/diagnose/explain.h"
#include "runtime/enforce/view.h"
#include "runtime/sandbox/unsandboxed.h"

static const struct {
	uint32_t right;
	const char *name;
	char letter;
} rights[] = {
	{ LANDLOCK_MAY_READ, "read", 'r' },
	{ LANDLOCK_MAY_WRITE, "write", 'w' },
	{ LANDLOCK_MAY_EXECUTE, "execute", 'x' },
};

static const char *verdict_of(const struct explanation *all)
{
	if (all->refusal)
		return "refused";
	if (all->bundle)
		return all->prepared.enforcement.kind == ENFORCE_NOTHING ?
			       "no policy" :
			       "enforced";
	return all->unsandboxed.why == UNSANDBOXED_NO ? "runs" : "unsandboxed";
}

/* Protections that are not enforced here. */
static uint32_t degraded(const struct explanation *all)
{
	return all->prepared.enforcement.missing | all->degraded |
	       (all->landlock ? all->landlock->missing : 0);
}

/* ---- text ---- */

/* Escape untrusted text for the terminal. */
static const char *shown(struct arena *arena, const char *text)
{
	const char *safe = quote_shown(arena, text);

	return safe ? safe : "?";
}

static void print_bundle(struct arena *arena, const struct explanation *all)
{
	if (all->id)
		printf("container: %s\n", shown(arena, all->id));
	printf("bundle: %s\n", shown(arena, all->bundle));
	if (all->refusal)
		printf("create would refuse it: %s\n",
		       shown(arena, all->refusal));
	else if (all->prepared.enforcement.kind == ENFORCE_NOTHING)
		printf("there is no policy: config.json alone applies\n");
	else
		printf(all->id ? "create has enforced a policy\n" :
				 "create would enforce a policy\n");
}

static void print_head(struct arena *arena, const struct explanation *all)
{
	const struct request *request = all->request;
	const char *command = quote_words(arena, &request->command);

	if (all->bundle)
		print_bundle(arena, all);
	printf("command: %s\n",
	       command && *command ? shown(arena, command) : "none");
	if (all->program)
		printf("program: %s%s%s\n", shown(arena, all->program),
		       all->interpreter ? ", loaded by " : "",
		       all->interpreter ? shown(arena, all->interpreter) : "");
	if (request->project)
		printf("project: %s\n", shown(arena, request->project));
	if (all->bundle)
		return;
	printf("project for deny keys:");
	for (size_t i = 0; i < all->projects.n; i++)
		printf("%s %s", i ? "," : "",
		       shown(arena, all->projects.items[i]));
	printf("\n");
	if (all->refusal)
		printf("run would refuse it: %s\n", shown(arena, all->refusal));
	else if (all->unsandboxed.why == UNSANDBOXED_NO)
		printf("run would use a sandbox\n");
	else
		printf("run would not use a sandbox: %s\n",
		       all->unsandboxed.why == UNSANDBOXED_ASKED ?
			       "--unsandboxed" :
			       "program.excluded");
	if (all->unsandboxed.excluded.refusal)
		printf("program.excluded is ignored because %s\n",
		       shown(arena, all->unsandboxed.excluded.refusal));
	if (request->policy.auto_allow_bash.set)
		printf("autoAllowBashIfSandboxed: %s\n",
		       request->policy.auto_allow_bash.value ? "true" :
							       "false");
	for (size_t i = 0; i < request->policy.ignored.n; i++)
		printf("no effect: %s\n",
		       shown(arena, request->policy.ignored.items[i]));
}

static void print_line(struct arena *arena, const struct explain_line *line)
{
	printf("\n%s", line->key);
	if (line->value)
		printf(" = %s", shown(arena, line->value));
	if (line->origin)
		printf("  (%s)", shown(arena, line->origin));
	printf("\n  %s%s%s\n", explain_state_name(line->state),
	       line->how ? ": " : "", line->how ? shown(arena, line->how) : "");
}

/*
 * True if `other`, at or above the entry's path, grants more, as rights add up.
 */
static bool adds(const struct files_entry *entry,
		 const struct files_entry *other)
{
	return files_is_at_or_below(entry->path, other->path) &&
	       (other->rights & ~entry->rights & ~LANDLOCK_MAY_IOCTL);
}

static uint32_t all_rights(const struct files_list *list,
			   const struct files_entry *entry)
{
	uint32_t all = entry->rights;

	for (size_t i = 0; i < list->n; i++)
		if (adds(entry, &list->items[i]))
			all |= list->items[i].rights;
	return all;
}

/*
 * Only a mount could enforce the entry, and a run without namespaces has none.
 */
static bool is_open(const struct files_entry *entry, bool no_namespaces)
{
	return no_namespaces && (entry->carved || entry->implied);
}

static void print_paths(struct arena *arena, const char *title,
			const struct files_list *list, bool no_namespaces)
{
	if (list->n)
		printf("\n%s:\n", title);
	for (size_t i = 0; i < list->n; i++) {
		const struct files_entry *entry = &list->items[i];
		uint32_t all = all_rights(list, entry);

		printf("  ");
		for (size_t k = 0; k < COUNT(rights); k++)
			putchar(all & rights[k].right ? rights[k].letter : '-');
		printf("  %s  (%s '%s'%s", shown(arena, entry->path),
		       entry->key, shown(arena, entry->item),
		       entry->loader ? ", its loader" : "");
		for (size_t k = 0; k < list->n; k++)
			if (adds(entry, &list->items[k]))
				printf("; %s '%s'", list->items[k].key,
				       shown(arena, list->items[k].item));
		printf("%s)\n", is_open(entry, no_namespaces) ?
					"; not enforced without namespaces" :
					"");
	}
}

/* Links to denied paths that the workload could otherwise replace. */
static void print_links(struct arena *arena, const struct files_carves *carves)
{
	bool any = false;

	for (size_t i = 0; i < carves->n; i++) {
		const struct files_carve *carve = &carves->items[i];

		if (!carve->link)
			continue;
		if (!any)
			printf("\nlinks that cannot be replaced:\n");
		any = true;
		printf("  %s  (%s '%s')\n", shown(arena, carve->path),
		       carve->denied->key, shown(arena, carve->denied->item));
	}
}

void explain_print(struct arena *arena, const struct explanation *all)
{
	print_head(arena, all);
	for (size_t i = 0; i < all->n; i++)
		print_line(arena, &all->lines[i]);
	/* Namespaces have a line of their own. */
	for (unsigned int i = 0; i < PROTECT_COUNT; i++)
		if (degraded(all) & 1U << i && i != PROTECT_NAMESPACES)
			printf("\n%s\n  degraded: not enforced on this host\n",
			       policy_protection_name(i));
	if (all->unresolved)
		printf("\npaths are unknown until the container exists: %s\n",
		       shown(arena, all->unresolved));
	if (!all->allowed)
		return;
	print_paths(arena, "allowed, with the paths as they are now (rwx)",
		    all->allowed, /* no_namespaces= */ false);
	print_paths(arena, "denied (rwx)", all->denied,
		    all->prepared.enforcement.kind ==
			    ENFORCE_SANDBOX_NO_NAMESPACES);
	if (all->carves)
		print_links(arena, all->carves);
}

/* ---- JSON ---- */

static void put_paths(struct writer *w, const char *key,
		      const struct files_list *list, bool no_namespaces)
{
	put_array(w, key);
	for (size_t i = 0; i < list->n; i++) {
		const struct files_entry *entry = &list->items[i];
		uint32_t all = all_rights(list, entry);

		put_object(w, NULL);
		put_string(w, "path", entry->path);
		if (is_open(entry, no_namespaces))
			put_bool(w, "enforced", false);
		put_array(w, "rights");
		for (size_t k = 0; k < COUNT(rights); k++)
			if (all & rights[k].right)
				put_string(w, NULL, rights[k].name);
		put_end(w);
		put_string(w, "key", entry->key);
		put_string(w, "item", entry->item);
		put_bool(w, "loader", entry->loader);
		put_end(w);
	}
	put_end(w);
}

static void put_links(struct writer *w, const struct files_carves *carves)
{
	put_array(w, "protectedLinks");
	for (size_t i = 0; i < carves->n; i++)
		if (carves->items[i].link)
			put_string(w, NULL, carves->items[i].path);
	put_end(w);
}

static void put_lines(struct writer *w, const struct explanation *all)
{
	put_array(w, "lines");
	for (size_t i = 0; i < all->n; i++) {
		const struct explain_line *line = &all->lines[i];

		put_object(w, NULL);
		put_string(w, "key", line->key);
		put_string(w, "state", explain_state_name(line->state));
		put_string(w, "value", line->value);
		put_string(w, "origin", line->origin);
		put_string(w, "how", line->how);
		put_end(w);
	}
	put_end(w);
}

int explain_print_json(struct arena *arena, const struct explanation *all)
{
	const struct request *request = all->request;
	const struct toml_value *tree;
	const char *text;
	struct writer w;
	int r = policy_show(arena, &request->policy, &text);

	if (r >= 0)
		r = toml_parse(arena, text, strlen(text), &tree);
	if (r < 0)
		return r;
	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	if (all->id)
		put_string(&w, "id", all->id);
	if (all->bundle)
		put_string(&w, "bundle", all->bundle);
	put_strings(&w, "command", &request->command);
	if (all->program)
		put_string(&w, "program", all->program);
	if (all->interpreter)
		put_string(&w, "interpreter", all->interpreter);
	put_string(&w, "verdict", verdict_of(all));
	put_string(&w, "reason", all->refusal);
	put_string(&w, "project", request->project);
	if (!all->bundle)
		put_strings(&w, "denyProjects", &all->projects);
	if (request->policy.auto_allow_bash.set)
		put_bool(&w, "autoAllowBashIfSandboxed",
			 request->policy.auto_allow_bash.value);
	if (request->policy.ignored.n)
		put_strings(&w, "noEffect", &request->policy.ignored);
	put_lines(&w, all);
	put_array(&w, "degraded");
	for (unsigned int i = 0; i < PROTECT_COUNT; i++)
		if (degraded(all) & 1U << i)
			put_string(&w, NULL, policy_protection_name(i));
	put_end(&w);
	if (all->unsandboxed.excluded.refusal)
		put_string(&w, "notExcluded",
			   all->unsandboxed.excluded.refusal);
	if (all->allowed) {
		put_paths(&w, "allowed", all->allowed,
			  /* no_namespaces= */ false);
		put_paths(&w, "denied", all->denied,
			  all->prepared.enforcement.kind ==
				  ENFORCE_SANDBOX_NO_NAMESPACES);
	}
	if (all->carves)
		put_links(&w, all->carves);
	toml_json_put(&w, "policy", tree);
	put_end(&w);
	return writer_print(&w);
}
