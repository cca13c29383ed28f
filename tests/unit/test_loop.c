/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_loop.c - descriptors, timers and children of the event loop. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/sys.h"
#include "base/util.h"

#include <cmocka.h>

/* A pipe with what its reader has seen. */
struct pipe_end {
	struct loop *loop;
	int fds[2];
	int number;
	int calls;
	struct pipe_end *removes; /* another one, which ends with this one */
};

static char order[8];

static int note(void *ctx, short revents)
{
	struct pipe_end *end = ctx;
	char byte;

	assert_true(revents & (POLLIN | POLLHUP));
	end->calls++;
	if (read(end->fds[0], &byte, 1) == 1)
		strncat(order, &byte, 1);
	if (end->removes) {
		loop_remove(end->loop, end->removes->number);
		end->removes = NULL;
	}
	return 0;
}

static void open_end(struct loop *loop, struct pipe_end *end)
{
	*end = (struct pipe_end){ .loop = loop };
	assert_int_equal(pipe(end->fds), 0);
	end->number = loop_add(loop, end->fds[0], POLLIN, note, end);
	assert_true(end->number >= 0);
}

static void close_end(struct pipe_end *end)
{
	close(end->fds[0]);
	close(end->fds[1]);
}

static void calls_in_the_order_of_registration(void **state)
{
	struct loop loop = LOOP_NONE;
	struct pipe_end ends[3];

	(void)state;
	order[0] = '\0';
	for (size_t i = 0; i < COUNT(ends); i++)
		open_end(&loop, &ends[i]);
	assert_int_equal(write(ends[2].fds[1], "c", 1), 1);
	assert_int_equal(write(ends[0].fds[1], "a", 1), 1);
	assert_int_equal(loop_turn(&loop, 0), 0);
	assert_string_equal(order, "ac");
	assert_int_equal(ends[1].calls, 0);
	/* All is read: a second turn finds nothing. */
	assert_int_equal(loop_turn(&loop, 0), 0);
	assert_string_equal(order, "ac");
	for (size_t i = 0; i < COUNT(ends); i++)
		close_end(&ends[i]);
}

static void removes_a_source_that_is_ready(void **state)
{
	struct loop loop = LOOP_NONE;
	struct pipe_end first, second, third;

	(void)state;
	open_end(&loop, &first);
	open_end(&loop, &second);
	first.removes = &second;
	assert_int_equal(write(first.fds[1], "a", 1), 1);
	assert_int_equal(write(second.fds[1], "b", 1), 1);
	assert_int_equal(loop_turn(&loop, 0), 0);
	assert_int_equal(first.calls, 1);
	assert_int_equal(second.calls, 0);
	/* The place is free again. */
	open_end(&loop, &third);
	assert_int_equal(third.number, second.number);
	loop_remove(&loop, -1);
	close_end(&first);
	close_end(&second);
	close_end(&third);
}

static void watches_something_else_later(void **state)
{
	struct loop loop = LOOP_NONE;
	struct pipe_end end;

	(void)state;
	open_end(&loop, &end);
	assert_int_equal(write(end.fds[1], "a", 1), 1);
	loop_watch(&loop, end.number, -1, POLLIN);
	assert_int_equal(loop_turn(&loop, 0), 0);
	assert_int_equal(end.calls, 0);
	loop_watch(&loop, end.number, end.fds[0], POLLIN);
	assert_int_equal(loop_turn(&loop, 0), 0);
	assert_int_equal(end.calls, 1);
	close_end(&end);
}

static void says_when_it_is_full(void **state)
{
	struct loop loop = LOOP_NONE;

	(void)state;
	for (int i = 0; i < LOOP_SOURCES; i++)
		assert_int_equal(loop_add(&loop, -1, POLLIN, note, NULL), i);
	assert_int_equal(loop_add(&loop, -1, POLLIN, note, NULL), -ENOSPC);
	loop_remove(&loop, 7);
	assert_int_equal(loop_add(&loop, -1, POLLIN, note, NULL), 7);
}

static int refuse(void *ctx, short revents)
{
	(void)ctx;
	(void)revents;
	return -EPROTO;
}

static void returns_the_error_of_a_callback(void **state)
{
	struct loop loop = LOOP_NONE;
	struct pipe_end end;

	(void)state;
	open_end(&loop, &end);
	loop_remove(&loop, end.number);
	assert_true(loop_add(&loop, end.fds[0], POLLIN, refuse, NULL) >= 0);
	assert_int_equal(write(end.fds[1], "a", 1), 1);
	assert_int_equal(loop_run(&loop), -EPROTO);
	close_end(&end);
}

struct ticker {
	struct loop *loop;
	int timer, ticks;
};

static int tick(void *ctx)
{
	struct ticker *ticker = ctx;

	if (++ticker->ticks < 3)
		loop_timer_set(ticker->loop, ticker->timer, now_ms() + 1);
	else
		loop_end(ticker->loop, 42);
	return 0;
}

static void timers_run_once_for_each_start(void **state)
{
	struct loop loop = LOOP_NONE;
	struct ticker ticker = { .loop = &loop }, never = { .loop = &loop };
	int64_t begin = now_ms();

	(void)state;
	ticker.timer = loop_timer_add(&loop, tick, &ticker);
	never.timer = loop_timer_add(&loop, tick, &never);
	loop_timer_set(&loop, never.timer, begin + 1);
	loop_timer_set(&loop, never.timer, 0);
	loop_timer_set(&loop, ticker.timer, begin + 1);
	assert_int_equal(loop_run(&loop), 42);
	assert_int_equal(ticker.ticks, 3);
	assert_int_equal(never.ticks, 0);
	assert_true(now_ms() >= begin + 3);
	/* Stopped, removed: only the caller's timeout counts. */
	loop_timer_remove(&loop, ticker.timer);
	loop_timer_remove(&loop, -1);
	assert_int_equal(loop_turn(&loop, 0), 0);
	assert_int_equal(ticker.ticks, 3);
}

struct child {
	struct loop *loop;
	int pidfd;
};

static int child_ended(void *ctx, short revents)
{
	struct child *child = ctx;
	siginfo_t info = { .si_pid = 0 };

	assert_true(revents & POLLIN);
	assert_int_equal(waitid(P_PIDFD, (id_t)child->pidfd, &info, WEXITED),
			 0);
	loop_end(child->loop, info.si_status);
	return 0;
}

static void a_pidfd_reports_the_end_of_a_child(void **state)
{
	struct loop loop = LOOP_NONE;
	struct child child = { .loop = &loop };
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(7);
	assert_true(pid > 0);
	child.pidfd = sys_pidfd_open(pid);
	assert_true(child.pidfd >= 0);
	assert_true(loop_add(&loop, child.pidfd, POLLIN, child_ended, &child) >=
		    0);
	assert_int_equal(loop_run(&loop), 7);
	close(child.pidfd);
}

static void catch (int sig)
{
	(void)sig;
}

static void a_signal_ends_a_turn_without_events(void **state)
{
	const struct sigaction action = { .sa_handler = catch };
	struct loop loop = LOOP_NONE;
	struct pipe_end end;

	(void)state;
	open_end(&loop, &end);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	(void)ualarm(1000, 0);
	assert_int_equal(loop_turn(&loop, 10000), 0);
	assert_int_equal(end.calls, 0);
	close_end(&end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_in_the_order_of_registration),
		cmocka_unit_test(removes_a_source_that_is_ready),
		cmocka_unit_test(watches_something_else_later),
		cmocka_unit_test(says_when_it_is_full),
		cmocka_unit_test(returns_the_error_of_a_callback),
		cmocka_unit_test(timers_run_once_for_each_start),
		cmocka_unit_test(a_pidfd_reports_the_end_of_a_child),
		cmocka_unit_test(a_signal_ends_a_turn_without_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
