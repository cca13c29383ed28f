/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cmd_kill.c - kill: a signal to init, or to every process. */
#include <errno.h>
#include <signal.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/sys.h"
#include "base/util.h"
#include "oci/oci.h"
#include "runtime/commands.h"
#include "runtime/container.h"

struct kill_options {
	bool all;
};

static const struct option_spec options_known[] = {
	{ "all", 'a', OPTION_FLAG, offsetof(struct kill_options, all), NULL,
	  "signal every process; a stopped container is no error" },
};

/* "9", "KILL", "SIGKILL", and "-9" as kill(1) has it. */
static int parse_signal(const char *text)
{
	int sig = oci_signal(*text == '-' ? text + 1 : text);

	if (sig < 0)
		return fail(0, "unknown signal \"%s\"", text);
	return sig;
}

static int signal_init(const struct container *c, int sig)
{
	autoclose int pidfd = container_pidfd(c);

	if (pidfd < 0)
		return pidfd;
	if (sys_pidfd_send_signal(pidfd, sig) == 0)
		return 0;
	if (errno != ESRCH)
		return fail(errno, "signal process %d", c->record.pid);
	fail(0, "%s: container not running", c->id);
	return -ESRCH;
}

/*
 * Without a pid namespace of its own the end of init ends nobody else. If
 * config.json cannot be read, killing all of its cgroup is right as well.
 */
static bool init_takes_all(struct arena *arena, const struct container *c)
{
	const struct oci_namespace *pid;
	struct oci_spec spec;

	if (container_spec(arena, c, &spec) < 0)
		return false;
	pid = &spec.linux_.namespaces[OCI_NS_PID];
	return pid->listed && !pid->path;
}

/* A process frozen by cgroup v1 does not even die: all means thaw, too. */
static bool needs_all(struct arena *arena, const struct container *c,
		      const struct cgroup *cgroup, int sig)
{
	return sig == SIGKILL &&
	       (cgroup_frozen(cgroup) || !init_takes_all(arena, c));
}

/* None when their cgroup is gone, or of another boot. */
static int has_processes(struct arena *arena, const struct container *c,
			 const struct cgroup *cgroup)
{
	pid_t *pids;
	size_t n = 0;
	int r = cgroup->n > 0 ? container_this_boot(c) : 0;

	if (r <= 0)
		return r;
	r = cgroup_pids(arena, cgroup, &pids, &n);
	return r < 0 ? r : n > 0;
}

static int run(const struct globals *globals, const void *options, int argc,
	       char **argv)
{
	AUTO(cgroup_close) struct cgroup cgroup = { 0 };
	autocontainer struct container c = CONTAINER_NONE;
	const struct kill_options *o = options;
	struct arena *arena = globals->arena;
	int sig, r;

	sig = parse_signal(argc > 1 ? argv[1] : "TERM");
	if (sig < 0)
		return sig;
	r = container_load_sound(arena, globals->root, argv[0], &c);
	if (r < 0)
		return r;
	r = cgroup_from_record(arena, &c.record, &cgroup);
	if (r < 0)
		return r;
	if (o->all || needs_all(arena, &c, &cgroup, sig)) {
		r = has_processes(arena, &c, &cgroup);
		if (r < 0)
			return r;
		if (r > 0)
			return cgroup_signal(arena, &cgroup, sig);
	}
	r = signal_init(&c, sig);
	return o->all && r == -ESRCH ? 0 : r;
}

const struct command command_kill = {
	.name = "kill",
	.arguments = "[options] ID [SIGNAL]",
	.help = "send a signal (default: TERM) to a container",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct kill_options),
	.min_args = 1,
	.max_args = 2,
	.stop_at_args = true,
	.run = run,
	.failure = 1,
};
