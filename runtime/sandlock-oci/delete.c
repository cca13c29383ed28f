/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/delete.c - delete: remove a container and all its
 * resources.
 */
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stddef.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "runtime/container/delete.h"
#include "runtime/container/lock_holder.h"
#include "runtime/container/state_dir.h"
#include "runtime/sandlock-oci/commands.h"

struct delete_options {
	bool force, regex;
};

/* We have the lock, so a record that is not kept is from a dead create. */
static int check_status(const struct container *c)
{
	enum oci_status status = OCI_STOPPED;
	int r = c->record.kept ? container_status(c, &status) : 0;

	if (r < 0)
		return r;
	if (status == OCI_STOPPED || status == OCI_CREATED)
		return 0;
	return fail(0, "cannot delete container %s that is not stopped: %s",
		    c->id, oci_status_name(status));
}

static int delete_locked(const struct session *session, const char *id,
			 bool force)
{
	/* Read it again: it may have changed while we waited for the lock. */
	autocontainer struct container c = CONTAINER_NONE;
	int r = container_load(session->arena, session->root, id, &c);

	if (r < 0)
		return r == -ENOENT && force ? 0 : r;
	if (c.broken && !force && !container_is_rest(&c))
		return fail_in(-EINVAL,
			       "%s: container is broken (remove it with delete "
			       "--force)",
			       id);
	if (!force) {
		r = check_status(&c);
		if (r < 0)
			return r;
	}
	return delete_container(session->arena, &c, NULL);
}

/* A stopped process would never release the lock, so do not wait for it. */
static int lock_by_force(const struct container *c)
{
	int r = state_dir_lock(c, 0);

	if (r == -EBUSY && !lock_holder_is_stopped(c))
		r = state_dir_lock(c, STATE_DIR_LOCK_SECONDS);
	if (r != -EBUSY)
		return r;
	r = lock_holder_end(c);
	return r < 0 ? r : state_dir_lock(c, STATE_DIR_LOCK_SECONDS);
}

static int delete_one(const struct session *session, const char *id, bool force)
{
	autocontainer struct container lock = CONTAINER_NONE;
	int r;

	r = container_load(session->arena, session->root, id, &lock);
	if (r >= 0)
		r = force ? lock_by_force(&lock) :
			    state_dir_lock(&lock, STATE_DIR_LOCK_SECONDS);
	/* Only here -ENOENT means that the container does not exist. */
	if (r == -ENOENT && force)
		return 0;
	return r < 0 ? r : delete_locked(session, id, force);
}

/* Continue with the others if one cannot be deleted. */
static int delete_each(const struct session *session, const struct strings *ids,
		       const regex_t *regex, bool force)
{
	size_t failed = 0;

	for (size_t i = 0; i < ids->n; i++) {
		const char *id = ids->items[i];
		int r;

		if (regexec(regex, id, 0, NULL, 0) != 0)
			continue;
		r = delete_one(session, id, force);
		/* Another delete was faster. */
		if (r == -ENOENT || r >= 0)
			continue;
		failed++;
		log_error(err_text());
	}
	if (failed)
		return fail(0,
			    "--regex: %zu of the matching containers remain "
			    "(the errors above say why)",
			    failed);
	return 0;
}

static int delete_matching(const struct session *session, const char *text,
			   bool force)
{
	struct strings ids;
	regex_t regex;
	char why[256];
	int r;

	/* This is most likely an unset variable in a script. */
	if (!*text)
		return fail(0, "--regex '': an empty expression would match "
			       "every container: write . for all");
	r = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);
	if (r != 0) {
		(void)regerror(r, &regex, why, sizeof why);
		return fail(0, "--regex '%s': %s", text, why);
	}
	r = container_ids(session->arena, session->root, &ids);
	if (r >= 0)
		r = delete_each(session, &ids, &regex, force);
	else if (r == -ENOENT && !session->root_given)
		r = 0;
	regfree(&regex);
	return r;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct delete_options *o = options;

	(void)argc;
	return o->regex ? delete_matching(session, argv[0], o->force) :
			  delete_one(session, argv[0], o->force);
}

static const struct option_spec delete_options[] = {
	{ "force", 'f', OPTION_FLAG, offsetof(struct delete_options, force),
	  NULL, "kill its processes first; an unknown ID is no error" },
	{ "regex", 'r', OPTION_FLAG, offsetof(struct delete_options, regex),
	  NULL,
	  "ID is an extended regular expression: delete all containers that "
	  "match" },
};

const struct command command_delete = {
	.name = "delete",
	.arguments = "[options] ID",
	.help = "remove a stopped or created container",
	.options = delete_options,
	.noptions = COUNT(delete_options),
	.options_size = sizeof(struct delete_options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 1,
};
