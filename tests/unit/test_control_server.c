/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_control_server.c - the control socket: several clients, in
 * one loop with the server, none of which it waits for.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/util.h"
#include "control/client.h"
#include "control/client_state.h"
#include "control/frame.h"
#include "control/server.h"
#include "oci/write.h"

static int fail_because(const char *what)
{
	return fail(0, "%s: no", what);
}

/* Last: it has a macro of the name of our fail(). */
#include <cmocka.h>

static char folder[] = "/tmp/test_control.XXXXXX";
static int dir = -1;
static struct loop loop;
static struct control_server server;
static int got_fd = -1;
static char name[] = "web1";

static int answer_stats(void *user, const struct control_call *call,
			struct writer *w)
{
	(void)call;
	put_string(w, "name", user);
	return 0;
}

static int answer_failure(void *user, const struct control_call *call,
			  struct writer *w)
{
	(void)user;
	(void)call;
	(void)w;
	return fail_because("stop");
}

static int answer_nothing(void *user, const struct control_call *call,
			  struct writer *w)
{
	(void)user;
	(void)call;
	(void)w;
	return 0;
}

static int answer_fd(void *user, const struct control_call *call,
		     struct writer *w)
{
	(void)user;
	(void)w;
	got_fd = call->fds[0];
	call->fds[0] = -1;
	return 0;
}

static int answer_long(void *user, const struct control_call *call,
		       struct writer *w)
{
	char *text = arena_alloc(call->arena, 3 << 20);

	(void)user;
	memset(text, 'x', (3 << 20) - 1);
	put_string(w, "text", text);
	return 0;
}

static const struct control_verb verbs[] = {
	{ .name = "stats", .answer = answer_stats },
	{ .name = "events", .answer = answer_nothing, .streams = true },
	{ .name = "fail", .answer = answer_failure },
	{ .name = "listener", .answer = answer_fd, .nfds = 1 },
	{ .name = "long", .answer = answer_long },
};

static int open_server(void **state)
{
	const struct control_setup setup = {
		.loop = &loop,
		.dir = dir,
		.owner = geteuid(),
		.verbs = verbs,
		.nverbs = COUNT(verbs),
		.user = name,
	};

	(void)state;
	loop = (struct loop)LOOP_NONE;
	return control_server_open(&setup, &server);
}

static int close_server(void **state)
{
	(void)state;
	control_server_close(&server);
	return faccessat(dir, CONTROL_SOCKET, F_OK, 0) == 0;
}

/* ---- clients ---- */

static void turn(void)
{
	for (int i = 0; i < 4; i++)
		assert_int_equal(loop_turn(&loop, 0), 0);
}

static int connect_client(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof addr.sun_path, "%s/control", folder);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof addr), 0);
	turn();
	return fd;
}

static void say(int fd, const char *text)
{
	unsigned char frame[1024];

	frame_header(strlen(text), frame);
	memcpy(frame + FRAME_HEADER, text, strlen(text));
	assert_int_equal(send(fd, frame, FRAME_HEADER + strlen(text), 0),
			 FRAME_HEADER + strlen(text));
	turn();
}

/* The next frame that has arrived, "" at the end, NULL if there is none. */
static const char *hear(int fd)
{
	static char bytes[FRAME_HEADER + FRAME_MAX_ANSWER + 1];
	size_t len = 0, n = 0;

	while (frame_find(bytes, n, FRAME_MAX_ANSWER, &len) == 0) {
		size_t want = n < FRAME_HEADER ? FRAME_HEADER : 0;
		ssize_t got;

		for (size_t i = 0; !want && i < FRAME_HEADER; i++)
			len = len << 8 | (unsigned char)bytes[i];
		if (!want)
			want = FRAME_HEADER + len;
		len = 0;
		got = recv(fd, bytes + n, want - n, MSG_DONTWAIT);
		if (got < 0)
			return errno == ECONNRESET ? "" : NULL;
		if (got == 0)
			return "";
		n += (size_t)got;
		turn();
	}
	bytes[n] = '\0';
	return bytes + FRAME_HEADER;
}

static int greet(void)
{
	int fd = connect_client();

	say(fd, "{\"version\":1}");
	assert_string_equal(hear(fd), "{\"version\":1}");
	return fd;
}

static void assert_error(int fd, const char *code, const char *why)
{
	const char *text = hear(fd);
	char want[64];

	assert_non_null(text);
	snprintf(want, sizeof want, "\"error\":{\"code\":\"%s\"", code);
	if (!strstr(text, want) || !strstr(text, why))
		fail_msg("%s", text);
}

/* ---- tests ---- */

static void test_the_socket_is_the_owners_alone(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(fstatat(dir, CONTROL_SOCKET, &st, 0), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void test_a_request_is_answered_whole_or_in_pieces(void **state)
{
	static const char bytes[] = "\0\0\0\15{\"version\":1}"
				    "\0\0\0\27{\"id\":1,\"verb\":\"stats\"}"
				    "\0\0\0\27{\"id\":2,\"verb\":\"stats\"}";
	int fd = connect_client();

	(void)state;
	for (size_t i = 0; i + 1 < sizeof bytes; i++) {
		assert_int_equal(send(fd, bytes + i, 1, 0), 1);
		turn();
	}
	assert_string_equal(hear(fd), "{\"version\":1}");
	assert_string_equal(hear(fd), "{\"id\":1,\"ok\":{\"name\":\"web1\"}}");
	assert_string_equal(hear(fd), "{\"id\":2,\"ok\":{\"name\":\"web1\"}}");
	assert_null(hear(fd));
	close(fd);
	fd = connect_client();
	assert_int_equal(send(fd, bytes, sizeof bytes - 1, 0),
			 sizeof bytes - 1);
	turn();
	assert_string_equal(hear(fd), "{\"version\":1}");
	assert_string_equal(hear(fd), "{\"id\":1,\"ok\":{\"name\":\"web1\"}}");
	assert_string_equal(hear(fd), "{\"id\":2,\"ok\":{\"name\":\"web1\"}}");
	close(fd);
}

static void test_an_error_that_can_be_answered_closes_nothing(void **state)
{
	int fd = greet();

	(void)state;
	say(fd, "{\"id\":1,\"verb\":\"nonsense\"}");
	assert_error(fd, "verb",
		     "there is no verb 'nonsense': use stats, "
		     "events, fail, listener or long");
	say(fd, "{\"id\":1,\"verb\":\"stats\",\"arguments\":{\"a\":1}}");
	assert_error(fd, "request", "stats: takes no arguments");
	say(fd, "{\"id\":1}");
	assert_error(fd, "request", "verb");
	say(fd, "{\"id\":1,\"verb\":\"fail\"}");
	assert_error(fd, "failed", "stop: no");
	say(fd, "{\"id\":1,\"verb\":\"long\"}");
	assert_error(fd, "failed", "more than the maximum of 1048576");
	say(fd, "{\"id\":9,\"verb\":\"stats\"}");
	assert_string_equal(hear(fd), "{\"id\":9,\"ok\":{\"name\":\"web1\"}}");
	close(fd);
}

static void test_an_error_of_the_protocol_closes(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *code, *why;
	} cases[] = {
		{ "\0\1\0\1", 4, "frame", "more than the maximum of 65536" },
		{ "\0\0\0\0", 4, "frame", "the frame is empty" },
		{ "\0\0\0\2{]", 6, "json", "line 1, column" },
		{ "\0\0\0\2[]", 6, "json", "must be an object" },
		{ "\0\0\0\15{\"version\":7}", 17, "version", "version 7" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int fd = connect_client();

		assert_int_equal(send(fd, cases[i].bytes, cases[i].len, 0),
				 cases[i].len);
		turn();
		assert_error(fd, cases[i].code, cases[i].why);
		assert_string_equal(hear(fd), "");
		close(fd);
	}
	turn();
	assert_int_equal(control_clients(&server), 0);
}

static void test_clients_do_not_disturb_each_other(void **state)
{
	int fds[CONTROL_CLIENTS], extra;

	(void)state;
	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		fds[i] = greet();
	extra = connect_client();
	assert_error(extra, "busy", "too many clients");
	assert_string_equal(hear(extra), "");
	close(extra);
	/* One of them stops in the middle of a message. */
	assert_int_equal(send(fds[0], "\0\0", 2, 0), 2);
	for (size_t i = 1; i < CONTROL_CLIENTS; i++) {
		say(fds[i], "{\"id\":3,\"verb\":\"stats\"}");
		assert_string_equal(hear(fds[i]),
				    "{\"id\":3,\"ok\":{\"name\":\"web1\"}}");
	}
	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		close(fds[i]);
	turn();
	assert_int_equal(control_clients(&server), 0);
}

static struct control_client *only_client(void)
{
	struct control_client *found = NULL;

	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		if (server.clients[i])
			found = server.clients[i];
	assert_non_null(found);
	return found;
}

/* Let its time be over. */
static void wait_long(struct control_client *client)
{
	assert_true(client_deadline(client) > 0);
	if (client->go_on)
		client->go_on = 1;
	if (client->read_on)
		client->read_on = 1;
	server_set_timer(&server);
	turn();
}

static void test_a_silent_client_is_closed(void **state)
{
	int fd = connect_client();

	(void)state;
	wait_long(only_client());
	assert_error(fd, "timeout", "silent for too long");
	assert_string_equal(hear(fd), "");
	close(fd);
	fd = greet();
	assert_int_equal(send(fd, "\0\0\0", 3, 0), 3);
	turn();
	/* More bytes of the same message give no more time. */
	int64_t before = only_client()->go_on;

	usleep(3000);
	assert_int_equal(send(fd, "\5", 1, 0), 1);
	turn();
	assert_true(only_client()->go_on == before);
	wait_long(only_client());
	assert_error(fd, "timeout", "silent for too long");
	close(fd);
	fd = greet();
	say(fd, "{\"id\":1,\"verb\":\"events\"}");
	assert_int_equal(client_deadline(only_client()), 0);
	close(fd);
	turn();
	assert_int_equal(control_clients(&server), 0);
}

static void test_events_reach_those_who_asked(void **state)
{
	int one = greet(), two = greet(), none = greet();

	(void)state;
	say(one, "{\"id\":4,\"verb\":\"events\"}");
	say(two, "{\"id\":5,\"verb\":\"events\"}");
	assert_string_equal(hear(one), "{\"id\":4,\"ok\":{}}");
	assert_string_equal(hear(two), "{\"id\":5,\"ok\":{}}");
	control_publish(&server, "{\"type\":\"denial\"}");
	assert_string_equal(hear(one),
			    "{\"id\":4,\"event\":{\"type\":\"denial\"}}");
	assert_string_equal(hear(two),
			    "{\"id\":5,\"event\":{\"type\":\"denial\"}}");
	assert_null(hear(none));
	say(one, "{\"id\":6,\"verb\":\"stats\"}");
	assert_string_equal(hear(one), "{\"id\":6,\"ok\":{\"name\":\"web1\"}}");
	close(none);
	control_server_close(&server);
	assert_string_equal(hear(one), "{\"id\":4,\"end\":true}");
	assert_string_equal(hear(two), "{\"id\":5,\"end\":true}");
	assert_string_equal(hear(one), "");
	close(one);
	close(two);
}

static void test_events_before_a_client_came_reach_it_first(void **state)
{
	int fd = greet(), late;

	(void)state;
	control_publish(&server, "{\"n\":1}");
	control_publish(&server, "{\"n\":2}");
	say(fd, "{\"id\":1,\"verb\":\"events\"}");
	assert_string_equal(hear(fd), "{\"id\":1,\"ok\":{}}");
	assert_string_equal(hear(fd), "{\"id\":1,\"event\":{\"n\":1}}");
	assert_string_equal(hear(fd), "{\"id\":1,\"event\":{\"n\":2}}");
	control_publish(&server, "{\"n\":3}");
	assert_string_equal(hear(fd), "{\"id\":1,\"event\":{\"n\":3}}");
	assert_null(hear(fd));
	late = greet();
	say(late, "{\"id\":2,\"verb\":\"events\"}");
	assert_string_equal(hear(late), "{\"id\":2,\"ok\":{}}");
	for (int n = 1; n <= 3; n++) {
		char event[64];

		snprintf(event, sizeof event, "{\"id\":2,\"event\":{\"n\":%d}}",
			 n);
		assert_string_equal(hear(late), event);
	}
	close(fd);
	close(late);
}

static void test_a_late_client_learns_how_many_events_are_gone(void **state)
{
	unsigned long events = 0, lost = 0, sent = 3000;
	char event[128];
	const char *text;
	int fd;

	(void)state;
	for (unsigned long i = 0; i < sent; i++) {
		snprintf(event, sizeof event, "{\"n\":\"%080lu\"}", i);
		control_publish(&server, event);
	}
	assert_true(server.recent.used <= RECENT_SIZE);
	fd = greet();
	say(fd, "{\"id\":4,\"verb\":\"events\"}");
	assert_string_equal(hear(fd), "{\"id\":4,\"ok\":{}}");
	text = hear(fd);
	assert_int_equal(sscanf(text, "{\"id\":4,\"lost\":%lu}", &lost), 1);
	for (text = hear(fd); text; text = hear(fd)) {
		snprintf(event, sizeof event,
			 "{\"id\":4,\"event\":{\"n\":\"%080lu\"}}",
			 lost + events++);
		assert_string_equal(text, event);
	}
	assert_true(events > 500);
	assert_int_equal(lost + events, sent);
	close(fd);
}

static void test_an_event_that_cannot_be_kept_is_counted(void **state)
{
	static char event[RECENT_SIZE + 32];
	int fd;

	(void)state;
	control_publish(&server, "{\"n\":1}");
	snprintf(event, sizeof event, "{\"n\":\"%0*d\"}", RECENT_SIZE, 2);
	control_publish(&server, event);
	control_publish(&server, "{\"n\":3}");
	fd = greet();
	say(fd, "{\"id\":4,\"verb\":\"events\"}");
	assert_string_equal(hear(fd), "{\"id\":4,\"ok\":{}}");
	assert_string_equal(hear(fd), "{\"id\":4,\"lost\":2}");
	assert_string_equal(hear(fd), "{\"id\":4,\"event\":{\"n\":3}}");
	close(fd);
}

static void test_a_slow_client_loses_events_and_learns_how_many(void **state)
{
	static char event[4096];
	unsigned long events = 0, lost = 0, sent = 2000;
	int fd = greet();
	const char *text;

	(void)state;
	say(fd, "{\"id\":4,\"verb\":\"events\"}");
	assert_string_equal(hear(fd), "{\"id\":4,\"ok\":{}}");
	snprintf(event, sizeof event, "{\"text\":\"%04000d\"}", 0);
	for (unsigned long i = 0; i < sent; i++)
		control_publish(&server, event);
	assert_true(only_client()->lost > 0);
	assert_true(only_client()->nout < OUT_SIZE);
	while ((text = hear(fd)))
		events += strstr(text, "\"event\"") != NULL;
	control_publish(&server, "{}");
	text = hear(fd);
	assert_int_equal(sscanf(text, "{\"id\":4,\"lost\":%lu}", &lost), 1);
	assert_int_equal(events + lost, sent);
	assert_string_equal(hear(fd), "{\"id\":4,\"event\":{}}");
	/* One that reads nothing at all is closed. */
	for (unsigned long i = 0; i < sent; i++)
		control_publish(&server, event);
	wait_long(only_client());
	assert_int_equal(control_clients(&server), 0);
	close(fd);
}

static void send_with_fd(int to, const char *text, int fd)
{
	unsigned char frame[256];
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof fd)];
	} rights = { 0 };
	struct iovec part = { frame, FRAME_HEADER + strlen(text) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &rights,
				  .msg_controllen = sizeof rights };

	frame_header(strlen(text), frame);
	memcpy(frame + FRAME_HEADER, text, strlen(text));
	rights.header.cmsg_level = SOL_SOCKET;
	rights.header.cmsg_type = SCM_RIGHTS;
	rights.header.cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(&rights.header), &fd, sizeof fd);
	assert_true(sendmsg(to, &message, 0) > 0);
	turn();
}

/* True if only this process's end of the pipe is left. */
static bool is_closed_elsewhere(int reader)
{
	char c;

	return read(reader, &c, 1) == 0;
}

static void test_descriptors_go_to_their_verb_or_are_closed(void **state)
{
	int fd = greet(), ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	send_with_fd(fd, "{\"id\":1,\"verb\":\"stats\"}", ends[1]);
	assert_error(fd, "request", "stats: takes 0 descriptors, not 1");
	say(fd, "{\"id\":1,\"verb\":\"listener\"}");
	assert_error(fd, "request", "listener: takes 1 descriptors, not 0");
	send_with_fd(fd, "{\"id\":2,\"verb\":\"listener\"}", ends[1]);
	assert_string_equal(hear(fd), "{\"id\":2,\"ok\":{}}");
	assert_true(got_fd >= 0);
	close(ends[1]);
	assert_false(is_closed_elsewhere(ends[0]));
	close(got_fd);
	assert_true(is_closed_elsewhere(ends[0]));
	close(ends[0]);
	close(fd);
}

static void test_another_user_is_turned_away(void **state)
{
	int status, fd;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	/* As if the modes of the directory and the socket were wrong. */
	assert_int_equal(fchmod(dir, 0755), 0);
	assert_int_equal(fchmodat(dir, CONTROL_SOCKET, 0666, 0), 0);
	pid = fork();
	if (pid == 0) {
		struct sockaddr_un addr = { .sun_family = AF_UNIX };
		char c;

		snprintf(addr.sun_path, sizeof addr.sun_path, "%s/control",
			 folder);
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (setresuid(65534, 65534, 65534) < 0 ||
		    connect(fd, (struct sockaddr *)&addr, sizeof addr) < 0)
			_exit(2);
		(void)!send(fd, "\0\0\0\15{\"version\":1}", 17, MSG_NOSIGNAL);
		_exit(recv(fd, &c, 1, 0) > 0);
	}
	assert_int_equal(loop_turn(&loop, 5000), 0);
	turn();
	assert_int_equal(control_clients(&server), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(fchmod(dir, 0700), 0);
}

/* The client of control/client.h, against a server in another process. */
static void test_the_client_asks_and_listens(void **state)
{
	struct control_link link = CONTROL_LINK_NONE;
	struct control_answer answer;
	const struct json_value *value;
	struct arena arena;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		for (int i = 0; i < 1000; i++) {
			(void)loop_turn(&loop, 1000);
			if (control_clients(&server) && only_client()->streams)
				control_publish(&server, "{\"n\":1}");
		}
		_exit(0);
	}
	assert_int_equal(arena_open(&arena, 8 << 20), 0);
	assert_int_equal(control_connect(&arena, dir, &link), 0);
	assert_int_equal(control_ask(&arena, &link, "stats", NULL, &value), 0);
	assert_true(control_ask(&arena, &link, "fail", NULL, &value) < 0);
	assert_string_equal(err_text(), "stop: no");
	assert_int_equal(control_ask(&arena, &link, "events", "{}", &value), 0);
	assert_int_equal(control_next(&arena, &link, 5000, &answer), 0);
	assert_int_equal(answer.kind, CONTROL_EVENT);
	assert_int_equal(control_ask(&arena, &link, "stats", NULL, &value), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	control_disconnect(&link);
	control_server_close(&server);
	assert_int_equal(control_connect(&arena, dir, &link), -ENOENT);
	arena_close(&arena);
}

#define CASE(test) \
	cmocka_unit_test_setup_teardown(test, open_server, close_server)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_the_socket_is_the_owners_alone),
		CASE(test_a_request_is_answered_whole_or_in_pieces),
		CASE(test_an_error_that_can_be_answered_closes_nothing),
		CASE(test_an_error_of_the_protocol_closes),
		CASE(test_clients_do_not_disturb_each_other),
		CASE(test_a_silent_client_is_closed),
		CASE(test_events_reach_those_who_asked),
		CASE(test_events_before_a_client_came_reach_it_first),
		CASE(test_a_late_client_learns_how_many_events_are_gone),
		CASE(test_an_event_that_cannot_be_kept_is_counted),
		CASE(test_a_slow_client_loses_events_and_learns_how_many),
		CASE(test_descriptors_go_to_their_verb_or_are_closed),
		CASE(test_another_user_is_turned_away),
		CASE(test_the_client_asks_and_listens),
	};
	int r;

	if (!mkdtemp(folder))
		return 1;
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return r;
}
