/* SPDX-License-Identifier: Apache-2.0 */
/*
 * systemd/helper.c - sandlock-systemd: ask systemd for a container's unit.
 *
 *   sandlock-systemd [--user] root
 *   sandlock-systemd [--user] start UNIT PID PROPERTY...
 *   sandlock-systemd [--user] set UNIT PROPERTY...
 *   sandlock-systemd [--user] stop UNIT DESCRIPTION
 *   sandlock-systemd [--user] attach UNIT SUB-CGROUP PID
 *
 * It is a separate program, so that the runtime does not load libsystemd. A
 * PROPERTY is "NAME=SIGNATURE=VALUE": numbers in decimal, arrays with a line
 * for each member, arrays of bytes in hexadecimal. `root` prints the manager's
 * own cgroup, `start` the unit's. Errors are one line on standard error.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#define SERVICE "org.freedesktop.systemd1"
#define OBJECT "/org/freedesktop/systemd1"
#define MANAGER SERVICE ".Manager"
#define JOB_USEC (60 * UINT64_C(1000000))
#define START_TRIES 50
#define START_PAUSE_NSEC (20 * 1000000L)

struct manager {
	sd_bus *bus;
	bool user;
};

/* A signal reports the end of a job; only sd_bus_process delivers it. */
struct job {
	const char *path;
	char result[32];
	bool ended;
};

static int complain(int r, const char *what, const char *name,
		    const sd_bus_error *error)
{
	const char *why = error && error->message ? error->message :
						    strerror(-r);

	fprintf(stderr, "%s%s%s: %s\n", what, *name ? " " : "", name, why);
	return r < 0 ? r : -EIO;
}

/* ---- the connection ---- */

/* Without a message bus, use the manager's private socket. */
static int open_private(struct manager *m)
{
	const char *dir = m->user ? getenv("XDG_RUNTIME_DIR") : "/run";
	char address[4096];
	int r;

	if (!dir)
		return -ENOENT;
	snprintf(address, sizeof address, "unix:path=%s/systemd/private", dir);
	r = sd_bus_new(&m->bus);
	if (r >= 0)
		r = sd_bus_set_address(m->bus, address);
	return r < 0 ? r : sd_bus_start(m->bus);
}

static int connect_to(struct manager *m)
{
	char dir[64];
	int r;

	/* Engines may call us without these variables. */
	snprintf(dir, sizeof dir, "/run/user/%d", (int)geteuid());
	if (m->user && access(dir, F_OK) == 0)
		(void)setenv("XDG_RUNTIME_DIR", dir, /* overwrite= */ 0);
	r = m->user ? sd_bus_open_user(&m->bus) : sd_bus_open_system(&m->bus);
	if (r >= 0)
		return r;
	if (open_private(m) >= 0)
		return 0;
	return complain(r,
			m->user ? "connect to the user's systemd" :
				  "connect to systemd",
			"", NULL);
}

static void unit_object(const char *unit, char **ret)
{
	if (sd_bus_path_encode(OBJECT "/unit", unit, ret) < 0)
		*ret = NULL;
}

/* Return NULL if there is no such unit or property. */
static char *unit_property(struct manager *m, const char *unit,
			   const char *interface, const char *name)
{
	char *object = NULL, *value = NULL;

	unit_object(unit, &object);
	if (object)
		(void)sd_bus_get_property_string(m->bus, SERVICE, object,
						 interface, name, NULL, &value);
	free(object);
	return value;
}

/* ---- properties ---- */

static int append_number(sd_bus_message *m, char type, const char *text)
{
	int64_t i = strtoll(text, NULL, 10);
	uint64_t u = strtoull(text, NULL, 10);

	switch (type) {
	case 'b':
		return sd_bus_message_append(m, "b", strcmp(text, "true") == 0);
	case 'y':
		return sd_bus_message_append(m, "y", (uint8_t)u);
	case 'n':
		return sd_bus_message_append(m, "n", (int16_t)i);
	case 'q':
		return sd_bus_message_append(m, "q", (uint16_t)u);
	case 'i':
		return sd_bus_message_append(m, "i", (int32_t)i);
	case 'u':
		return sd_bus_message_append(m, "u", (uint32_t)u);
	case 'x':
		return sd_bus_message_append(m, "x", i);
	case 't':
		return sd_bus_message_append(m, "t", u);
	default:
		return -EINVAL;
	}
}

static int append_bytes(sd_bus_message *m, const char *hex)
{
	uint8_t bytes[4096];
	size_t n = strlen(hex) / 2;

	if (n > sizeof bytes)
		return -E2BIG;
	for (size_t i = 0; i < n; i++)
		if (sscanf(hex + 2 * i, "%2" SCNx8, &bytes[i]) != 1)
			return -EINVAL;
	return sd_bus_message_append_array(m, 'y', bytes, n);
}

/* Append lines; with pairs, split each at its last blank. */
static int append_lines(sd_bus_message *m, char *text, bool pairs)
{
	int r = sd_bus_message_open_container(m, 'a', pairs ? "(ss)" : "s");

	while (r >= 0 && *text) {
		char *end = text + strcspn(text, "\n");
		char *blank;

		if (*end)
			*end++ = '\0';
		blank = strrchr(text, ' ');
		if (!pairs) {
			r = sd_bus_message_append(m, "s", text);
		} else if (blank) {
			*blank = '\0';
			r = sd_bus_message_append(m, "(ss)", text, blank + 1);
		} else {
			r = -EINVAL;
		}
		text = end;
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int append_value(sd_bus_message *m, const char *signature, char *value)
{
	if (strcmp(signature, "s") == 0)
		return sd_bus_message_append(m, "s", value);
	if (strcmp(signature, "ay") == 0)
		return append_bytes(m, value);
	if (strcmp(signature, "as") == 0 || strcmp(signature, "a(ss)") == 0)
		return append_lines(m, value, signature[1] == '(');
	return append_number(m, strlen(signature) == 1 ? *signature : 0, value);
}

static int append_property(sd_bus_message *m, char *text)
{
	char *signature = strchr(text, '=');
	char *value = signature ? strchr(signature + 1, '=') : NULL;
	int r;

	if (!value)
		return complain(-EINVAL, "pass to systemd the property", text,
				NULL);
	*signature++ = '\0';
	*value++ = '\0';
	if ((r = sd_bus_message_open_container(m, 'r', "sv")) < 0 ||
	    (r = sd_bus_message_append(m, "s", text)) < 0 ||
	    (r = sd_bus_message_open_container(m, 'v', signature)) < 0 ||
	    (r = append_value(m, signature, value)) < 0 ||
	    (r = sd_bus_message_close_container(m)) < 0 ||
	    (r = sd_bus_message_close_container(m)) < 0)
		return complain(r, "pass to systemd the property", text, NULL);
	return 0;
}

static int append_pid(sd_bus_message *m, const char *pid)
{
	uint32_t number = (uint32_t)strtoul(pid, NULL, 10);

	if (!number)
		return 0;
	return sd_bus_message_append(m, "(sv)", "PIDs", "au", 1, number);
}

static int append_properties(sd_bus_message *m, const char *pid, char **texts)
{
	int r = sd_bus_message_open_container(m, 'a', "(sv)");

	if (r >= 0)
		r = append_pid(m, pid);
	for (; r >= 0 && *texts; texts++) {
		/* A second attempt needs the text again, so parse a copy. */
		char *text = strdup(*texts);

		r = text ? append_property(m, text) : -ENOMEM;
		free(text);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

/* ---- jobs ---- */

static int on_job_removed(sd_bus_message *m, void *context, sd_bus_error *error)
{
	struct job *job = context;
	const char *path, *unit, *result;
	uint32_t id;

	(void)error;
	if (sd_bus_message_read(m, "uoss", &id, &path, &unit, &result) < 0)
		return 0;
	if (!job->path || strcmp(path, job->path) != 0)
		return 0;
	snprintf(job->result, sizeof job->result, "%s", result);
	job->ended = true;
	return 0;
}

static int watch_jobs(struct manager *m, struct job *job)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int r;

	r = sd_bus_match_signal(m->bus, NULL, SERVICE, OBJECT, MANAGER,
				"JobRemoved", on_job_removed, job);
	if (r >= 0)
		r = sd_bus_call_method(m->bus, SERVICE, OBJECT, MANAGER,
				       "Subscribe", &error, NULL, NULL);
	if (r < 0)
		(void)complain(r, "ask systemd to report the end of jobs", "",
			       &error);
	sd_bus_error_free(&error);
	return r;
}

static uint64_t now_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int wait_for_job(struct manager *m, struct job *job,
			sd_bus_message *reply, const char *what)
{
	uint64_t deadline = now_usec() + JOB_USEC;
	int r = sd_bus_message_read(reply, "o", &job->path);

	if (r < 0)
		return complain(r, what, "", NULL);
	while (!job->ended && now_usec() < deadline) {
		r = sd_bus_process(m->bus, NULL);
		if (r == 0)
			r = sd_bus_wait(m->bus, JOB_USEC);
		if (r < 0)
			return complain(r, what, "", NULL);
	}
	if (!job->ended)
		return complain(-ETIMEDOUT, what, "", NULL);
	if (strcmp(job->result, "done") != 0 &&
	    strcmp(job->result, "skipped") != 0) {
		fprintf(stderr, "%s: systemd reports for this job: %s\n", what,
			job->result);
		return -EIO;
	}
	return 0;
}

/* ---- the commands ---- */

static void reset_failed(struct manager *m, const char *unit)
{
	(void)sd_bus_call_method(m->bus, SERVICE, OBJECT, MANAGER,
				 "ResetFailedUnit", NULL, NULL, "s", unit);
}

static int call_start(struct manager *m, char **argv, sd_bus_error *error,
		      sd_bus_message **reply)
{
	sd_bus_message *call = NULL;
	int r = sd_bus_message_new_method_call(m->bus, &call, SERVICE, OBJECT,
					       MANAGER, "StartTransientUnit");

	if (r >= 0)
		r = sd_bus_message_append(call, "ss", argv[0], "fail");
	if (r >= 0)
		r = append_properties(call, argv[1], argv + 2);
	if (r >= 0)
		r = sd_bus_message_append(call, "a(sa(sv))", 0);
	if (r >= 0)
		r = sd_bus_call(m->bus, call, 0, error, reply);
	sd_bus_message_unref(call);
	return r;
}

static bool is_active(struct manager *m, const char *unit)
{
	char *state = unit_property(m, unit, SERVICE ".Unit", "ActiveState");
	bool active = state && strcmp(state, "active") == 0;

	free(state);
	return active;
}

static bool is_slice(const char *unit)
{
	size_t len = strlen(unit);

	return len > 6 && strcmp(unit + len - 6, ".slice") == 0;
}

static int print_cgroup(struct manager *m, const char *unit)
{
	char *path = unit_property(m, unit,
				   is_slice(unit) ? SERVICE ".Slice" :
						    SERVICE ".Scope",
				   "ControlGroup");

	if (!path)
		return complain(-ENOENT, "find the cgroup of", unit, NULL);
	puts(path);
	free(path);
	return 0;
}

/*
 * Start the unit. A failed unit, or one that systemd has not unloaded yet, is
 * in the way for a short time; an active one belongs to another container,
 * unless it is a slice.
 */
static int cmd_start(struct manager *m, char **argv)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	struct timespec pause = { .tv_nsec = START_PAUSE_NSEC };
	sd_bus_message *reply = NULL;
	struct job job = { 0 };
	int r = watch_jobs(m, &job);

	if (r < 0)
		return r;
	for (int i = 0; i < START_TRIES; i++) {
		sd_bus_error_free(&error);
		r = call_start(m, argv, &error, &reply);
		if (r >= 0 ||
		    !sd_bus_error_has_name(&error, SERVICE ".UnitExists") ||
		    is_active(m, argv[0]))
			break;
		reset_failed(m, argv[0]);
		(void)nanosleep(&pause, NULL);
	}
	if (r >= 0)
		r = wait_for_job(m, &job, reply, argv[0]);
	else if (is_slice(argv[0]) && is_active(m, argv[0]))
		r = 0;
	else if (sd_bus_error_is_set(&error))
		(void)complain(r, "start", argv[0], &error);
	sd_bus_error_free(&error);
	sd_bus_message_unref(reply);
	return r < 0 ? r : print_cgroup(m, argv[0]);
}

static int cmd_set(struct manager *m, char **argv)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *call = NULL;
	int r = sd_bus_message_new_method_call(m->bus, &call, SERVICE, OBJECT,
					       MANAGER, "SetUnitProperties");

	if (r >= 0)
		r = sd_bus_message_append(call, "sb", argv[0],
					  /* runtime= */ 1);
	if (r >= 0)
		r = append_properties(call, "0", argv + 1);
	if (r >= 0)
		r = sd_bus_call(m->bus, call, 0, &error, NULL);
	/*
	 * systemd answers before it applies the change; after Ping it is done.
	 */
	if (r >= 0)
		r = sd_bus_call_method(m->bus, SERVICE, OBJECT,
				       "org.freedesktop.DBus.Peer", "Ping",
				       &error, NULL, "");
	if (r < 0)
		(void)complain(r, "set properties of", argv[0], &error);
	sd_bus_message_unref(call);
	sd_bus_error_free(&error);
	return r;
}

/* Stop a unit only if its description is the container's. */
static int cmd_stop(struct manager *m, char **argv)
{
	char *description =
		unit_property(m, argv[0], SERVICE ".Unit", "Description");
	bool ours = description && strcmp(description, argv[1]) == 0;
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	struct job job = { 0 };
	int r;

	free(description);
	if (!ours)
		return 0;
	r = watch_jobs(m, &job);
	if (r < 0)
		return r;
	r = sd_bus_call_method(m->bus, SERVICE, OBJECT, MANAGER, "StopUnit",
			       &error, &reply, "ss", argv[0], "replace");
	if (r >= 0)
		r = wait_for_job(m, &job, reply, argv[0]);
	else if (sd_bus_error_has_name(&error, SERVICE ".NoSuchUnit"))
		r = 0;
	else
		(void)complain(r, "stop", argv[0], &error);
	reset_failed(m, argv[0]);
	sd_bus_error_free(&error);
	sd_bus_message_unref(reply);
	return r;
}

/* This also works from cgroups out of which the user may not move a process. */
static int cmd_attach(struct manager *m, char **argv)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	uint32_t pid = (uint32_t)strtoul(argv[2], NULL, 10);
	int r = sd_bus_call_method(m->bus, SERVICE, OBJECT, MANAGER,
				   "AttachProcessesToUnit", &error, NULL,
				   "ssau", argv[0], argv[1], 1, pid);

	if (r < 0)
		(void)complain(r, "attach a process to", argv[0], &error);
	sd_bus_error_free(&error);
	return r;
}

static int cmd_root(struct manager *m, char **argv)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	char *path = NULL;
	int r = sd_bus_get_property_string(m->bus, SERVICE, OBJECT, MANAGER,
					   "ControlGroup", &error, &path);

	(void)argv;
	if (r < 0)
		(void)complain(r, "ask systemd for the path of its own cgroup",
			       "", &error);
	else
		puts(path);
	free(path);
	sd_bus_error_free(&error);
	return r;
}

static const struct {
	const char *name;
	int min_args;
	int (*run)(struct manager *m, char **argv);
} commands[] = {
	{ "root", 0, cmd_root },     { "start", 2, cmd_start },
	{ "set", 1, cmd_set },	     { "stop", 2, cmd_stop },
	{ "attach", 3, cmd_attach },
};

int main(int argc, char **argv)
{
	struct manager m = { 0 };

	if (argc > 1 && strcmp(argv[1], "--user") == 0) {
		m.user = true;
		argc--;
		argv++;
	}
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		int r;

		if (argc < 2 + commands[i].min_args ||
		    strcmp(argv[1], commands[i].name) != 0)
			continue;
		r = connect_to(&m);
		if (r >= 0)
			r = commands[i].run(&m, argv + 2);
		sd_bus_flush_close_unref(m.bus);
		return r < 0;
	}
	fputs("usage: sandlock-systemd [--user] "
	      "root|start|set|stop|attach [ARGUMENT...]\n",
	      stderr);
	return 2;
}
