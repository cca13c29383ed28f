/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/criu.c - start criu, send requests, and answer its
 * notifications.
 */
#include "runtime/checkpoint/criu.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/util.h"
#include "oci/oci.h"
#include "runtime/checkpoint/protobuf.h"

/* More types and the fields used here, of criu_req and criu_resp. */
enum { TYPE_NOTIFY = 6, TYPE_FEATURES = 9, TYPE_VERSION = 10 };
enum {
	REQ_TYPE = 1,
	REQ_OPTS = 2,
	REQ_SUCCESS = 3,
	REQ_KEEP_OPEN = 4,
	REQ_FEATURES = 5
};
enum {
	RESP_TYPE = 1,
	RESP_SUCCESS = 2,
	RESP_RESTORE = 4,
	RESP_NOTIFY = 5,
	RESP_FEATURES = 8,
	RESP_MESSAGE = 9,
	RESP_VERSION = 10
};

/*
 * The first version with --lsm-mount-context, external namespaces and the
 * freezer of cgroup v2.
 */
#define OLDEST 31600
#define OLDEST_TEXT "3.16"

#define LINK_FD (CRIU_IMAGES_FD - 1)
#define OWN_FDS (CRIU_FIRST_FD - LINK_FD)
#define OUT_OF_THE_WAY 64
#define MAX_MESSAGE 16384

struct answer {
	uint64_t type;
	bool success;
	pid_t pid; /* of the restored process */
	const char *news;
	pid_t news_pid;
	const char *message;
	uint64_t features; /* one bit for each, from 0 on */
	uint64_t version;  /* 40101 is 4.1.1 */
	int fd;
};

/* ---- the new process ---- */

static int bind_root(const struct criu *criu)
{
	/* Mounts that criu leaves behind when killed stay in its namespace. */
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return fail(errno, "create a mount namespace for criu");
	if (criu->rootfs &&
	    mount(criu->rootfs, criu->root, NULL, MS_BIND | MS_REC, NULL) < 0)
		return fail(errno, "bind mount %s on %s", criu->rootfs,
			    criu->root);
	return 0;
}

static int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? fail(errno, "open the directory %s for criu", path) :
			fd;
}

/* Move the descriptors to LINK_FD and up, without overwriting one of them. */
static int arrange_fds(const struct criu *criu, int link, int *report)
{
	int fds[OWN_FDS + CRIU_FDS] = { link, open_dir(criu->images),
					open_dir(criu->work) };
	size_t n = OWN_FDS + criu->nfds;

	memcpy(fds + OWN_FDS, criu->fds, criu->nfds * sizeof *fds);
	*report = fcntl(*report, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	if (*report < 0)
		return fail(errno, "pass descriptors to criu");
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < 0)
			return fds[i];
		fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	}
	for (size_t i = 0; i < n; i++)
		if (dup2(fds[i], LINK_FD + (int)i) < 0)
			return fail(errno, "pass descriptors to criu");
	return 0;
}

/*
 * A cgroup namespace starts at the cgroup of its creator, so wait for on_fork.
 */
static int enter_cgroups(const struct criu *criu, int report)
{
	char word;

	if (criu->on_fork && recv(report, &word, 1, 0) != 1)
		return fail(ECANCELED,
			    "wait for the runtime to move criu into its "
			    "cgroup");
	if (criu->own_cgroups && unshare(CLONE_NEWCGROUP) < 0)
		return fail(errno, "create a cgroup namespace for criu");
	return 0;
}

/*
 * Make the socket pair in the child and send one end to the parent: criu takes
 * descriptor numbers as those of the process that made the socket.
 */
static int prepare(const struct criu *criu, int *report)
{
	int pair[2], r = enter_cgroups(criu, *report);

	if (r < 0)
		return r;
	if (criu->own_mounts) {
		r = bind_root(criu);
		if (r < 0)
			return r;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail(errno, "create a socket pair to talk to criu");
	r = io_send_fds(*report, "+", 1, &pair[0], 1);
	if (r < 0)
		return fail(-r, "send a socket to the runtime");
	close(pair[0]);
	return arrange_fds(criu, pair[1], report);
}

static _Noreturn void become_criu(const struct criu *criu, const char *program,
				  int report)
{
	char number[16];
	const char *argv[] = { "criu", "swrk", number, NULL };
	sigset_t none;

	snprintf(number, sizeof number, "%d", LINK_FD);
	sigemptyset(&none);
	/*
	 * If the runtime is killed, criu must undo its work, not die of
	 * SIGPIPE.
	 */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (criu->own_group)
		(void)setpgid(0, 0);
	/*
	 * criu runs tar and others; engines may call the runtime without PATH.
	 */
	(void)setenv("PATH", OCI_DEFAULT_PATH, /* overwrite= */ 0);
	if (prepare(criu, &report) >= 0) {
		(void)execv(program, (char *const *)argv);
		fail(errno, "execute %s", program);
	}
	(void)send(report, err_text(), strlen(err_text()), MSG_NOSIGNAL);
	_exit(127);
}

/* ---- the parent ---- */

/* Return NULL with a recorded error if there is none. */
static const char *find_program(struct arena *arena, const char *given)
{
	const char *name = is_set(given) ? given : "criu";
	const char *path = getenv("PATH");
	char *rest, *dir;

	if (strchr(name, '/'))
		return name;
	rest = arena_strdup(arena, is_set(path) ? path : OCI_DEFAULT_PATH);
	while (rest && (dir = strsep(&rest, ":"))) {
		const char *file = arena_printf(arena, "%s/%s", dir, name);

		if (!file)
			return NULL;
		if (*dir == '/' && access(file, X_OK) == 0)
			return file;
	}
	fail(0, "%s is not in PATH (use --criu to name another program)", name);
	return NULL;
}

/* Receive criu's end of the link, then end of file; or an error text. */
static int listen_to(struct criu *criu, int told)
{
	for (;;) {
		char text[4096];
		size_t nfds;
		int fd = -1;
		ssize_t n = io_receive_fds(told, text, sizeof text - 1, &fd, 1,
					   &nfds);

		if (n < 0)
			return fail((int)-n, "wait for criu to start");
		if (n == 0)
			break;
		text[n] = '\0';
		if (fd < 0)
			return fail(0, "%s", text);
		closep(&criu->link);
		criu->link = fd;
	}
	return criu->link < 0 ?
		       fail(0,
			    "criu did not start: its process ended without a "
			    "message") :
		       0;
}

static int launch(struct criu *criu, const char *program)
{
	autoclose int told = -1, report = -1;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail(errno, "create a socket pair to talk to criu");
	told = pair[0];
	report = pair[1];
	criu->pid = fork();
	if (criu->pid < 0)
		return fail(errno, "create a process for criu");
	if (criu->pid == 0)
		become_criu(criu, program, report);
	closep(&report);
	if (criu->on_fork) {
		int r = criu->on_fork(criu);

		if (r < 0)
			return r;
		if (send(told, "+", 1, MSG_NOSIGNAL) < 0)
			return fail(errno, "signal criu to start");
	}
	return listen_to(criu, told);
}

void criu_close(struct criu *criu)
{
	closep(&criu->link);
	if (criu->pid <= 0)
		return;
	/* criu undoes its work and exits when the link is closed. */
	while (waitpid(criu->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	criu->pid = 0;
}

static const char *text_of(struct arena *arena, const struct pb_field *field)
{
	return arena_strndup(arena, (const char *)field->data, field->len);
}

/*
 * Read an embedded message into the numbers of its fields 1 to 15 and a text.
 */
static int read_inner(struct arena *arena, const struct pb_field *outer,
		      uint64_t numbers[16], const char **ret_text)
{
	const uint8_t *at = outer->data;
	struct pb_field f;
	int r;

	while ((r = pb_next(&at, outer->data + outer->len, &f)) > 0) {
		if (!f.data && f.number < 16)
			numbers[f.number] = f.value;
		if (f.data && f.number == 1 && ret_text) {
			*ret_text = text_of(arena, &f);
			if (!*ret_text)
				return -ENOMEM;
		}
	}
	return r;
}

static int read_field(struct arena *arena, const struct pb_field *f,
		      struct answer *ret)
{
	uint64_t n[16] = { 0 };
	int r = 0;

	if (f->number == RESP_TYPE)
		ret->type = f->value;
	else if (f->number == RESP_SUCCESS)
		ret->success = f->value;
	if (!f->data)
		return 0;
	if (f->number == RESP_MESSAGE) {
		ret->message = text_of(arena, f);
		return ret->message ? 0 : -ENOMEM;
	}
	if (f->number == RESP_RESTORE || f->number == RESP_NOTIFY ||
	    f->number == RESP_FEATURES || f->number == RESP_VERSION)
		r = read_inner(arena, f, n,
			       f->number == RESP_NOTIFY ? &ret->news : NULL);
	if (f->number == RESP_RESTORE)
		ret->pid = (pid_t)n[1];
	else if (f->number == RESP_NOTIFY)
		ret->news_pid = (pid_t)n[2];
	else if (f->number == RESP_FEATURES)
		ret->features = (n[1] ? CRIU_TRACKS_MEMORY : 0) |
				(n[2] ? CRIU_LAZY_PAGES : 0);
	else if (f->number == RESP_VERSION)
		ret->version = n[1] * 10000 + n[2] * 100 + n[4];
	return r;
}

static int read_answer(struct arena *arena, const uint8_t *data, size_t len,
		       struct answer *ret)
{
	const uint8_t *at = data;
	struct pb_field field;
	int r;

	while ((r = pb_next(&at, data + len, &field)) > 0) {
		r = read_field(arena, &field, ret);
		if (r < 0)
			break;
	}
	return r == -EPROTO ?
		       fail(EPROTO, "read the answer of criu, which is not "
				    "well-formed") :
		       r;
}

/* Return 0 if criu has exited. */
static int receive(struct criu *criu, struct answer *ret)
{
	uint8_t data[MAX_MESSAGE];
	size_t nfds;
	ssize_t n;
	int r;

	*ret = (struct answer){ .fd = -1 };
	n = io_receive_fds(criu->link, data, sizeof data, &ret->fd, 1, &nfds);
	if (n < 0 && n != -ECONNRESET)
		return fail((int)-n, "read the answer of criu");
	if (n <= 0)
		return 0;
	r = read_answer(criu->arena, data, (size_t)n, ret);
	if (r < 0)
		closep(&ret->fd);
	return r < 0 ? r : 1;
}

static int send_message(struct criu *criu, const struct pb *message)
{
	if (message->failed)
		return -ENOMEM;
	if (send(criu->link, message->data, message->len, MSG_NOSIGNAL) < 0 &&
	    errno != EPIPE && errno != ECONNRESET)
		return fail(errno, "send the request to criu");
	return 0;
}

static int tell(struct criu *criu, struct answer *answer)
{
	struct pb reply = { .arena = criu->arena };
	const char *news = answer->news ? answer->news : "";
	int r = 0, sent;

	log_debug("criu says %s (process %d)", news, answer->news_pid);
	if (criu->on_news)
		r = criu->on_news(criu, news, answer->news_pid, &answer->fd);
	closep(&answer->fd);
	pb_number(&reply, REQ_TYPE, TYPE_NOTIFY);
	pb_number(&reply, REQ_SUCCESS, r >= 0);
	sent = send_message(criu, &reply);
	return r < 0 ? r : sent;
}

/* If a callback fails, report its error: it is the reason why criu failed. */
static int until_answered(struct criu *criu, struct answer *ret)
{
	int r, own = 0;

	for (;;) {
		r = receive(criu, ret);
		if (r <= 0)
			break;
		if (ret->type != TYPE_NOTIFY) {
			closep(&ret->fd);
			break;
		}
		r = tell(criu, ret);
		if (r < 0 && own == 0)
			own = r;
	}
	if (own < 0)
		return own;
	if (r == 0) {
		fail(0, "criu ended without an answer");
		return -EREMOTEIO;
	}
	return r;
}

static int ask(struct criu *criu, const struct pb *request, struct answer *ret)
{
	int r = send_message(criu, request);

	return r < 0 ? r : until_answered(criu, ret);
}

int criu_call(struct criu *criu, enum criu_verb verb, const struct pb *options,
	      pid_t *ret_pid)
{
	struct pb request = { .arena = criu->arena };
	struct answer answer;
	int r;

	pb_number(&request, REQ_TYPE, verb);
	pb_message(&request, REQ_OPTS, options);
	r = ask(criu, &request, &answer);
	if (r < 0)
		return r;
	if (!answer.success) {
		fail(0, "%s",
		     is_set(answer.message) ? answer.message :
					      "criu failed and gave no reason");
		return -EREMOTEIO;
	}
	if (ret_pid)
		*ret_pid = answer.pid;
	return 0;
}

int criu_can(struct criu *criu, unsigned int feature, bool *ret)
{
	struct pb request = { .arena = criu->arena };
	struct pb features = { .arena = criu->arena };
	struct answer answer;
	int r;

	pb_number(&features, feature == CRIU_TRACKS_MEMORY ? 1 : 2, 1);
	pb_number(&request, REQ_TYPE, TYPE_FEATURES);
	pb_number(&request, REQ_KEEP_OPEN, 1);
	pb_message(&request, REQ_FEATURES, &features);
	r = ask(criu, &request, &answer);
	if (r < 0)
		return r;
	*ret = answer.success && (answer.features & feature);
	return 0;
}

static int check_version(struct criu *criu, const char *program)
{
	struct pb request = { .arena = criu->arena };
	struct answer answer;
	int r;

	pb_number(&request, REQ_TYPE, TYPE_VERSION);
	pb_number(&request, REQ_KEEP_OPEN, 1);
	r = ask(criu, &request, &answer);
	if (r < 0 || !answer.success || answer.version == 0)
		return fail(0,
			    "%s does not report its version: " OLDEST_TEXT
			    " or later is required",
			    program);
	if (answer.version < OLDEST)
		return fail(0,
			    "%s is version %u.%u: " OLDEST_TEXT
			    " or later is required",
			    program, (unsigned int)(answer.version / 10000),
			    (unsigned int)(answer.version / 100 % 100));
	return 0;
}

int criu_start(struct criu *criu, struct arena *arena, const char *given)
{
	const char *program = find_program(arena, given);
	int r;

	if (!program)
		return -ENOENT;
	criu->arena = arena;
	r = launch(criu, program);
	if (r < 0)
		return r;
	return check_version(criu, program);
}
