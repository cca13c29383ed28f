/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/listeners.c - serve the seccomp listeners of a container:
 * of its init, and of each process of `exec`.
 *
 * init sends its listener to its parent, the supervisor, or to `start`. `start`
 * and `exec` pass it on by the verb `listener` of the control socket.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/arena.h"
#include "base/err.h"
#include "control/sandbox.h"
#include "runtime/container/create.h"
#include "runtime/supervisor/notifier.h"
#include "runtime/supervisor/service.h"
#include "runtime/supervisor/supervisor.h"

static int listen_to(void *listens, int listener)
{
	struct supervisor *s = listens;

	return notifier_listen(s->notifier, listener);
}

static int from_child(struct launch *launch, int listener)
{
	struct supervisor *s = launch->listens;
	int fd = fcntl(listener, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? fail(errno, "keep the seccomp listener of init") :
			listen_to(s, fd);
}

static int open_listeners(struct supervisor *s, struct creation *c)
{
	struct notifier *notifier;
	int r;

	if (!c->prepared->enforcement.process.notify.len)
		return 0;
	notifier = arena_alloc(&s->arena, sizeof *notifier);
	if (!notifier)
		return -ENOMEM;
	r = notifier_open(&s->arena, s->loop, notifier);
	if (r < 0)
		return r;
	s->notifier = notifier;
	s->control->listens = s;
	s->control->listen = listen_to;
	c->launch.listen = from_child;
	c->launch.listens = s;
	return 0;
}

static void close_listeners(struct supervisor *s)
{
	if (s->notifier)
		notifier_close(s->notifier);
	s->notifier = NULL;
}

const struct supervisor_service supervisor_listeners = {
	.name = "seccomp listeners",
	.open = open_listeners,
	.close = close_listeners,
};
