/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/checkpoint.c - checkpoint: save a running container to
 * files.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/util.h"
#include "runtime/checkpoint/criu.h"
#include "runtime/checkpoint/external.h"
#include "runtime/checkpoint/protobuf.h"
#include "runtime/container/delete.h"
#include "runtime/container/state_dir.h"
#include "runtime/enforce/enforce.h"
#include "runtime/sandlock-oci/commands.h"
#include "runtime/sandlock-oci/shared_options.h"

#define LOG "dump.log"

struct checkpoint_options {
	struct image_options images;
	bool leave_running;
	bool tcp_skip_in_flight;
	bool link_remap;
	const char *status_fd;
	const char *page_server;
	bool pre_dump;
};

/* "192.0.2.1:4000", "[2001:db8::1]:4000" */
static int put_page_server(struct arena *arena, const char *text,
			   struct pb *request)
{
	struct pb server = { .arena = arena };
	char *address = arena_strdup(arena, text);
	char *colon = address ? strrchr(address, ':') : NULL;
	uint32_t port = 0;

	if (!address)
		return -ENOMEM;
	if (colon)
		*colon = '\0';
	if (!colon || !*address || num_u32(colon + 1, &port) < 0 || port == 0 ||
	    port > UINT16_MAX)
		return fail(0,
			    "--page-server: '%s' is not ADDRESS:PORT (port 1 "
			    "to 65535)",
			    text);
	if (*address == '[' && colon[-1] == ']') {
		colon[-1] = '\0';
		address++;
	}
	pb_text(&server, 1, address);
	pb_number(&server, 2, port);
	pb_message(request, CRIU_PAGE_SERVER, &server);
	return 0;
}

/*
 * Accept only a writable descriptor that the caller passed. When the command
 * begins, the log is the only one that we opened ourselves.
 */
static int find_status_fd(const struct checkpoint_options *o, int *ret)
{
	uint32_t fd;
	int flags = -1;

	if (!is_set(o->status_fd))
		return 0;
	if (num_u32(o->status_fd, &fd) < 0)
		return fail_in(-EINVAL, "--status-fd");
	if (fd > 2 && fd <= INT_MAX && !log_is_fd((int)fd))
		flags = fcntl((int)fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return fail(0,
			    "--status-fd %u: must be a descriptor of the "
			    "caller, 3 or higher and open for writing",
			    fd);
	*ret = (int)fd;
	return 0;
}

/* The freezer stops every process, however fast it forks. */
static int put_cgroup(struct arena *arena, const struct container *c,
		      struct pb *request)
{
	struct cgroup cgroup = { 0 };
	int r = cgroup_from_record(arena, &c->record, &cgroup);

	if (r < 0)
		return r;
	for (size_t i = 0; c->record.own_cgroup && i < cgroup.n; i++)
		if (cgroup.items[i].made &&
		    (streq(cgroup.items[i].controllers, "freezer") ||
		     (cgroup.items[i].v2 && cgroup.n == 1)))
			pb_text(request, CRIU_FREEZE_CGROUP,
				cgroup.items[i].path);
	cgroup_close(&cgroup);
	return 0;
}

static int put_options(const struct session *session,
		       const struct checkpoint_options *o, int status_fd,
		       struct criu *criu, struct pb *request)
{
	int r = 0;

	pb_number(request, CRIU_LEAVE_RUNNING, o->leave_running);
	pb_number(request, CRIU_TCP_SKIP_IN_FLIGHT, o->tcp_skip_in_flight);
	pb_number(request, CRIU_LINK_REMAP, o->link_remap);
	if (o->pre_dump || is_set(o->images.parent_path))
		pb_number(request, CRIU_TRACK_MEMORY, 1);
	if (is_set(o->page_server))
		r = put_page_server(session->arena, o->page_server, request);
	if (status_fd >= 0) {
		pb_number(request, CRIU_STATUS_FD, CRIU_FIRST_FD + criu->nfds);
		criu->fds[criu->nfds++] = status_fd;
	}
	return r;
}

static int need(struct criu *criu, unsigned int feature, const char *option,
		const char *what)
{
	bool can = false;
	int r = criu_can(criu, feature, &can);

	if (r >= 0 && !can)
		return fail(0, "--%s: this kernel or this criu cannot %s",
			    option, what);
	return r;
}

static int check_features(struct criu *criu, const struct checkpoint_options *o)
{
	int r = 0;

	if (o->pre_dump)
		r = need(criu, CRIU_TRACKS_MEMORY, "pre-dump",
			 "track memory changes");
	else if (is_set(o->images.parent_path))
		r = need(criu, CRIU_TRACKS_MEMORY, "parent-path",
			 "track memory changes");
	if (r >= 0 && o->images.lazy_pages)
		r = need(criu, CRIU_LAZY_PAGES, "lazy-pages",
			 "fetch memory on demand");
	return r;
}

/* The lock of the command, and the caller's descriptor or -1. */
struct held {
	int lock;
	int status_fd;
};

static int dump(const struct session *session, const struct container *c,
		const struct held *held, const struct oci_spec *spec,
		const struct checkpoint_options *o)
{
	struct arena *arena = session->arena;
	struct pb request = { .arena = arena };
	autoimages struct images images = IMAGES_NONE;
	autocriu struct criu criu = CRIU_NONE;
	autoclose int proc = proc_open();
	int r;

	if (proc < 0)
		return proc;
	r = put_options(session, o, held->status_fd, &criu, &request);
	if (r < 0)
		return r;
	r = images_open(arena, &o->images, LOG, /* make= */ true, &images);
	if (r < 0)
		return r;
	r = images_put(&images, &o->images, spec, &request);
	if (r < 0)
		return r;
	pb_number(&request, CRIU_PID, (uint64_t)c->record.pid);
	r = put_cgroup(arena, c, &request);
	if (r >= 0)
		r = external_put_dump(arena, proc, c->record.pid, spec,
				      &request);
	if (r >= 0 && !o->pre_dump)
		r = external_put_streams(arena, proc, c->record.pid, images.dir,
					 &request);
	if (r < 0)
		return r;
	/* If we are killed, criu has to undo its work, so it keeps the lock. */
	criu.fds[criu.nfds++] = held->lock;
	criu.own_group = true;
	criu.images = images.path;
	criu.work = images.work_path;
	/* Without a mount namespace, the container uses this one. */
	criu.own_mounts = spec->linux_.namespaces[OCI_NS_MOUNT].listed;
	r = criu_start(&criu, session->arena, session->criu);
	if (r >= 0)
		r = check_features(&criu, o);
	if (r < 0)
		return r;
	r = criu_call(&criu, o->pre_dump ? CRIU_PRE_DUMP : CRIU_DUMP, &request,
		      NULL);
	return r < 0 ? images_explain(arena, r, &images) : 0;
}

static int checkpoint(const struct session *session, struct container *c,
		      const struct held *held,
		      const struct checkpoint_options *o)
{
	enum oci_status status;
	struct oci_spec spec;
	int r = container_status(c, &status);

	if (r < 0)
		return r;
	if (status != OCI_RUNNING && status != OCI_PAUSED)
		return fail(0, "%s: cannot checkpoint a container that is %s",
			    c->id, oci_status_name(status));
	r = container_spec(session->arena, c, &spec);
	if (r < 0)
		return r;
	r = container_is_enforced(c);
	if (r < 0)
		return r;
	r = images_check(&spec, /* enforced= */ r);
	if (r < 0)
		return r;
	r = dump(session, c, held, &spec, o);
	if (r < 0 || o->leave_running || o->pre_dump)
		return r;
	return delete_container(session->arena, c, NULL);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container lock = CONTAINER_NONE;
	autocontainer struct container c = CONTAINER_NONE;
	struct held held = { .lock = -1, .status_fd = -1 };
	int r;

	(void)argc;
	r = find_status_fd(options, &held.status_fd);
	if (r < 0)
		return r;
	r = container_load(session->arena, session->root, argv[0], &lock);
	if (r >= 0)
		r = state_dir_lock(&lock, STATE_DIR_LOCK_SECONDS);
	/* Read it again: it may have changed while we waited for the lock. */
	if (r >= 0)
		r = container_load_sound(session->arena, session->root, argv[0],
					 &c);
	held.lock = lock.dir;
	return r < 0 ? r : checkpoint(session, &c, &held, options);
}

#define FIELD(name) offsetof(struct checkpoint_options, name)

static const struct option_spec checkpoint_options[] = {
	IMAGE_OPTIONS,
	{ "leave-running", 0, OPTION_FLAG, FIELD(leave_running), NULL,
	  "leave the container running afterwards" },
	{ "tcp-skip-in-flight", 0, OPTION_FLAG, FIELD(tcp_skip_in_flight), NULL,
	  "skip TCP connections that are not established" },
	{ "link-remap", 0, OPTION_FLAG, FIELD(link_remap), NULL,
	  "keep open files that were unlinked" },
	{ "status-fd", 0, OPTION_TEXT, FIELD(status_fd), "FD",
	  "write a byte to this descriptor when pages can be fetched" },
	{ "page-server", 0, OPTION_TEXT, FIELD(page_server), "ADDRESS:PORT",
	  "send memory pages to this address" },
	{ "pre-dump", 0, OPTION_FLAG, FIELD(pre_dump), NULL,
	  "save only memory, and leave the container running" },
};

const struct command command_checkpoint = {
	.name = "checkpoint",
	.arguments = "[options] ID",
	.help = "save a running container to files",
	.options = checkpoint_options,
	.noptions = COUNT(checkpoint_options),
	.options_size = sizeof(struct checkpoint_options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 1,
};
