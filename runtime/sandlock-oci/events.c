/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/events.c - events: print statistics, denials and
 * out-of-memory events as JSON lines; ports: list the published ports.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/util.h"
#include "cgroups/rdt.h"
#include "network/network.h"
#include "oci/write.h"
#include "runtime/container/container.h"
#include "runtime/diagnose/ask.h"
#include "runtime/diagnose/watch.h"
#include "runtime/sandlock-oci/commands.h"

#define DEFAULT_INTERVAL_MS 5000
#define LINE_ARENA (1UL << 20)
#define NET_DEV_MAX (LINE_ARENA / 4)

struct events_options {
	const char *interval;
	bool stats;
};

/* Parse a duration of Go, "5s", "1m30s", "100ms", down to milliseconds. */
static int parse_duration(const char *text, int64_t *ret_ms)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {
		{ "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }
	};
	const char *at = text;
	int64_t total = 0;

	while (*at) {
		char digits[11] = "";
		size_t n = strspn(at, "0123456789"), i;
		int64_t value;

		if (n == 0 || n >= sizeof digits)
			break;
		memcpy(digits, at, n);
		at += n;
		for (i = 0; i < COUNT(units); i++)
			if (starts_with(at, units[i].unit))
				break;
		if (i == COUNT(units) || num_i64(digits, &value) < 0)
			break;
		at += strlen(units[i].unit);
		total += value * units[i].ms;
		if (total > INT32_MAX)
			break;
	}
	if (*at || total <= 0 || total > INT32_MAX)
		return fail(0,
			    "--interval %s: not a duration such as 5s or "
			    "1m30s (units: ms, s, m, h)",
			    text);
	*ret_ms = total;
	return 0;
}

/* The sources of a container's statistics. */
struct mount_sources {
	const struct container *container;
	struct cgroup cgroup;
	struct rdt rdt; /* only with linux.intelRdt */
	int proc;
};

static int find_sources(struct arena *arena, const struct container *c,
			struct mount_sources *ret)
{
	struct oci_spec spec;
	int r;

	ret->container = c;
	r = cgroup_from_record(arena, &c->record, &ret->cgroup);
	if (r < 0)
		return r;
	r = container_spec(arena, c, &spec);
	if (r < 0)
		return r;
	if (!spec.linux_.intel_rdt)
		return 0;
	return rdt_find(arena, ret->proc, spec.linux_.intel_rdt, c->id,
			&ret->rdt);
}

static bool has_own_network(const struct mount_sources *s)
{
	uint64_t its = s->container->record.ns_inodes[OCI_NS_NETWORK];
	struct stat ours;

	return its && fstatat(s->proc, "self/ns/net", &ours, 0) == 0 &&
	       its != ours.st_ino;
}

/*
 * Do not print interfaces of the host, or of another process with a reused pid.
 */
static int put_interfaces(struct arena *arena, const struct mount_sources *s,
			  struct writer *w)
{
	autoclose int dev = -1, pidfd = -1;
	char path[64], *text = NULL;
	int r;

	snprintf(path, sizeof path, "%d/net/dev", s->container->record.pid);
	if (has_own_network(s))
		dev = proc_open_at(s->proc, path, O_RDONLY);
	/* Check after opening, so that a reused pid is noticed. */
	if (dev >= 0)
		pidfd = container_pidfd(s->container);
	if (pidfd >= 0) {
		r = io_read_all(arena, dev, NET_DEV_MAX, &text, NULL);
		if (r < 0)
			return fail_in(r,
				       "read the container's network "
				       "statistics in /proc/%s",
				       path);
	}
	network_put_stats(w, "network_interfaces", text ? text : "");
	return 0;
}

static int put_stats(struct arena *arena, const struct mount_sources *s,
		     struct writer *w)
{
	int r;

	put_object(w, "data");
	cgroup_put_stats(arena, &s->cgroup, w);
	rdt_put_stats(arena, &s->rdt, w, "intel_rdt");
	r = put_interfaces(arena, s, w);
	put_end(w);
	return r;
}

/* Print statistics, or an out-of-memory event if sources is NULL. */
static int print_line(const char *id, const struct mount_sources *sources)
{
	AUTO(arena_close) struct arena arena = { 0 };
	struct writer w;
	const char *text;
	int r;

	/* Use a new arena for each line, as the stream may never end. */
	r = arena_open(&arena, LINE_ARENA);
	if (r < 0)
		return r;
	writer_open(&w, &arena, WRITE_LINE);
	put_object(&w, NULL);
	put_string(&w, "type", sources ? "stats" : "oom");
	put_string(&w, "id", id);
	if (sources)
		r = put_stats(&arena, sources, &w);
	if (r < 0)
		return r;
	put_end(&w);
	r = writer_close(&w, &text, NULL);
	if (r < 0)
		return r;
	if (fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		return fail(errno, "write an event to stdout");
	return 0;
}

static int print_oom(const char *id, struct cgroup_oom *oom)
{
	int r = 0;

	for (uint64_t n = cgroup_oom_new(oom); n > 0 && r >= 0; n--)
		r = print_line(id, NULL);
	return r;
}

/* Print until the container ends; events before its end come first. */
static int follow(const struct session *session,
		  const struct mount_sources *sources, int64_t interval)
{
	const struct container *c = sources->container;
	AUTO(watch_close) struct watch watch = WATCH_NONE;
	AUTO(cgroup_oom_close) struct cgroup_oom oom = CGROUP_OOM_NONE;
	autoclose int pidfd = container_pidfd(c);
	int64_t next = now_ms() + interval;
	int r;

	if (pidfd < 0)
		return pidfd;
	r = cgroup_oom_open(&sources->cgroup, &oom);
	if (r >= 0)
		r = watch_open(session, c, &watch);
	/* Events may have come with the first answer. */
	if (r >= 0)
		r = watch_print(&watch, c->id);
	if (r < 0)
		return r;
	for (;;) {
		struct pollfd p[] = {
			{ .fd = pidfd, .events = POLLIN },
			{ .fd = oom.fd, .events = POLLIN },
			{ .fd = watch.audit.fd, .events = POLLIN },
			{ .fd = watch.link.fd, .events = POLLIN },
		};
		int64_t left = next - now_ms();

		if (poll(p, COUNT(p), left > 0 ? (int)left : 0) < 0 &&
		    errno != EINTR)
			return fail(errno, "wait for events of the container");
		r = print_oom(c->id, &oom);
		if (r >= 0 && (p[2].revents || p[3].revents))
			r = watch_print(&watch, c->id);
		if (r < 0)
			return r;
		if (p[0].revents)
			return watch_end(&watch, c->id);
		if (now_ms() < next)
			continue;
		next += interval;
		r = print_line(c->id, sources);
		if (r < 0)
			return r;
	}
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct events_options *o = options;
	autocontainer struct container c = CONTAINER_NONE;
	autoclose int proc = proc_open();
	int64_t interval = DEFAULT_INTERVAL_MS;
	struct mount_sources sources = { .proc = proc };
	enum oci_status status;
	int r;

	(void)argc;
	if (proc < 0)
		return proc;
	if (o->interval) {
		r = parse_duration(o->interval, &interval);
		if (r < 0)
			return r;
	}
	r = container_load_sound(session->arena, session->root, argv[0], &c);
	if (r < 0)
		return r;
	r = container_status(&c, &status);
	if (r < 0)
		return r;
	if (status == OCI_STOPPED)
		return fail(0, "%s: container not running", c.id);
	r = find_sources(session->arena, &c, &sources);
	if (r < 0)
		return r;
	if (o->stats)
		return print_line(c.id, &sources);
	return follow(session, &sources, interval);
}

static const struct option_spec events_options[] = {
	{ "interval", 0, OPTION_TEXT, offsetof(struct events_options, interval),
	  "DURATION", "interval between two lines (default: 5s)" },
	{ "stats", 0, OPTION_FLAG, offsetof(struct events_options, stats), NULL,
	  "print the statistics once" },
};

const struct command command_events = {
	.name = "events",
	.arguments = "[options] ID",
	.help = "print statistics, denials and out-of-memory events",
	.options = events_options,
	.noptions = COUNT(events_options),
	.options_size = sizeof(struct events_options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 1,
};

/* ---- ports ---- */

struct ports_options {
	bool json;
};

static int run_ports(const struct session *session, const void *options,
		     int argc, char **argv)
{
	const struct ports_options *o = options;
	autocontainer struct container c = CONTAINER_NONE;
	enum oci_status status;
	int r = container_load_sound(session->arena, session->root, argv[0],
				     &c);

	(void)argc;
	if (r >= 0)
		r = container_status(&c, &status);
	if (r < 0)
		return r;
	if (status == OCI_STOPPED)
		return fail(0, "%s: container not running", c.id);
	return ask_container_ports(session->arena, &c, o->json);
}

static const struct option_spec ports_options[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct ports_options, json), NULL,
	  "print a JSON array" },
};

const struct command command_ports = {
	.name = "ports",
	.arguments = "[--json] ID",
	.help = "list the ports of a container that have other numbers outside",
	.options = ports_options,
	.noptions = COUNT(ports_options),
	.options_size = sizeof(struct ports_options),
	.min_args = 1,
	.max_args = 1,
	.run = run_ports,
	.failure = 1,
};
