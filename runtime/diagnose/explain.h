/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/explain.h - explain what `run` would do with a request on
 * this host, by the functions that `run` itself uses.
 */
#pragma once

#include <stddef.h>

#include "runtime/container/create.h"
#include "runtime/diagnose/check.h"
#include "runtime/enforce/files.h"
#include "runtime/sandbox/request.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/unsandboxed.h"

enum explain_state {
	EXPLAIN_ENFORCED,
	EXPLAIN_DEGRADED,   /* not enforced here; the policy allows that */
	EXPLAIN_DISABLED,   /* disabled by the policy */
	EXPLAIN_REFUSED,    /* not available here: run refuses */
	EXPLAIN_UNENFORCED, /* not in this build: run refuses */
};

struct denials;

struct explain_line {
	const char *key; /* "filesystem.read", "namespaces" */
	enum explain_state state;
	const char *value;  /* as in a profile; NULL: none */
	const char *origin; /* where it was set; NULL: always so */
	const char *how;    /* the mechanism, or why not */
};

struct explanation {
	const char *bundle;	  /* of a bundle or container; else NULL */
	const char *id;		  /* of a container, or NULL */
	struct prepared prepared; /* as far as it went */
	const struct request *request;
	struct strings projects; /* what @project means in deny keys */
	const char *refusal;	 /* NULL: it would run */
	/* What the lists of files mean now; NULL: unknown. */
	const struct files_list *allowed, *denied;
	const struct files_carves *carves;
	const char *unresolved; /* why it is unknown; or NULL */
	const char *path; /* the one that the caller asks about, or NULL */
	const struct denials *path_denials; /* NULL: files are not restricted */
	bool planned;			    /* the enforcement is complete */
	/* What would be executed, and its interpreter or loader; or NULL. */
	const char *program, *interpreter;
	struct unsandboxed unsandboxed;
	struct explain_line *lines;
	size_t n;
	/* Intermediate results. */
	const struct host *host;
	struct decision decision;
	struct check check;		/* only its cgroups */
	struct landlock_plan *landlock; /* NULL: not used */
	struct enforce_bound bound;	/* sockets that would be covered */
	uint32_t degraded;		/* missing for covered paths */
};

int explain_make(struct arena *arena, const struct session *session,
		 const struct request *request, struct explanation *ret);
const char *explain_state_name(enum explain_state state);

/* ---- explain_bundle.c: what `create` does with a bundle ---- */

/*
 * Explain a bundle, or with an ID the container as it was created, and judge the
 * path unless it is NULL. ret->prepared must be forgotten afterwards, also after
 * an error.
 */
int explain_bundle(const struct session *session, const char *bundle,
		   const char *id, const char *path, struct explanation *ret);

/* ---- explain_path.c: is one path allowed? ---- */

/* Fill in path_denials; root: of the bundle or container. */
int explain_path(struct arena *arena, struct explanation *all, int root);
int explain_print_path(struct arena *arena, const struct explanation *all);
int explain_print_path_json(struct arena *arena, const struct explanation *all);

/* ---- explain.c: parts for both ---- */

#define EXPLAIN_LINES (KEY_COUNT + 8)

struct explain_line *explain_next(struct explanation *all, const char *key);
/* Set all->refusal for an error of the policy; others are returned. */
int explain_note(struct arena *arena, struct explanation *all, int r);
int explain_calls(struct arena *arena, struct explanation *all);
int explain_environment(struct arena *arena, struct explanation *all);
/* Name the profiles that the policy can only tighten. */
int explain_floors(struct arena *arena, struct explanation *all);
/* Explain all keys that are set, and those with a default. */
int explain_keys(struct arena *arena, struct explanation *all);
/* Return the names of the namespaces that a specification lists. */
const char *explain_namespace_names(struct arena *arena,
				    const struct oci_spec *spec);
/* Fill in state and how of a key of a bundle. */
int explain_bundle_key(struct arena *arena, const struct explanation *all,
		       enum policy_key key, struct explain_line *line);

void explain_print(struct arena *arena, const struct explanation *all);
int explain_print_json(struct arena *arena, const struct explanation *all);

/* ---- explain_command.c: can the command itself be executed? ---- */

/* Set program and interpreter, or the refusal. */
int explain_command(struct arena *arena, struct explanation *all);

/* ---- explain_how.c: one sentence for each key ---- */

/* Fill in state and how. */
int explain_key(struct arena *arena, const struct explanation *all,
		enum policy_key key, struct explain_line *line);
