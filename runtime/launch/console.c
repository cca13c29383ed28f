/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/console.c - send a terminal to a socket, or relay its data. */
#include "runtime/launch/console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/sys.h"

/* Interval for checking whether a process has opened the terminal again. */
#define HUNG_UP_MS 100
/* A pty buffers less than this; a program that writes more never stops. */
#define DRAIN_READS 64
/* After the key that stops a program, how long and how often to look. */
#define SUSPEND_MS 2000
#define SUSPENDED_MS 20
/* Interval for checking whether this process is in the foreground again. */
#define BEHIND_MS 200

enum { FROM_IN, TO_OUT, OF_MASTER };

static int send_one(const char *socket_path, const char *name, int fd)
{
	autoclose int sock = io_connect_unix(socket_path, SOCK_STREAM);
	int r;

	if (sock < 0)
		return sock;
	r = io_send_fds(sock, name, strlen(name), &fd, 1);
	return r < 0 ? fail(-r, "send the descriptor of %s to the socket %s",
			    name, socket_path) :
		       0;
}

int console_send(const char *socket_path, int master)
{
	int r = send_one(socket_path, "/dev/ptmx", master);

	return r < 0 ? fail_in(r, "console socket") : 0;
}

/* Engines compare these texts with those of runc. */
int console_check(bool terminal, bool detached, const char *socket_path)
{
	if (terminal && detached && !socket_path)
		return fail(0, "cannot allocate tty if sandlock-oci will "
			       "detach without setting console socket");
	if (socket_path && !(terminal && detached))
		return fail(0, "cannot use console socket if sandlock-oci "
			       "will not detach or allocate tty");
	return 0;
}

int console_send_pidfd(const char *socket_path, int pidfd)
{
	int r = send_one(socket_path, "pidfd", pidfd);

	return r < 0 ? fail_in(r, "pidfd socket") : 0;
}

/* Return a new descriptor of the caller's terminal; -1 if there is none. */
static int find_tty(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (isatty(fd))
			return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/* True unless a shell has put this process into the background. */
static bool is_in_front(const struct console *console)
{
	pid_t group = tcgetpgrp(console->tty);

	/* It has no job control, or is not the terminal of this session. */
	return group < 0 || group == getpgrp();
}

static bool is_same(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag &&
	       a->c_lflag == b->c_lflag && a->c_cflag == b->c_cflag;
}

/*
 * Wait until the other end of the pipe is closed. If the terminal is still raw
 * then, its owner was killed.
 */
static _Noreturn void stay_on_guard(const struct console *console, int pipe)
{
	struct termios now;
	sigset_t all;
	char byte;

	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	if (dup2(pipe, STDIN_FILENO) < 0 ||
	    dup2(console->tty, STDOUT_FILENO) < 0)
		_exit(1);
	(void)sys_close_range(STDERR_FILENO, ~0U, 0);
	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
	if (tcgetattr(STDOUT_FILENO, &now) == 0 && is_same(&now, &console->raw))
		(void)tcsetattr(STDOUT_FILENO, TCSANOW, &console->saved);
	_exit(0);
}

/* Without it, a terminal stays raw if this process is killed. */
static void post_guard(struct console *console)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		stay_on_guard(console, ends[0]);
	}
	close(ends[0]);
	if (pid > 0)
		console->guard = ends[1];
	else
		close(ends[1]);
}

/*
 * Let the container's terminal add CR to newlines again, or leave that to the
 * caller's terminal while it is not raw. The program may have switched it off.
 */
static void add_newlines(struct console *console, bool add)
{
	struct termios inside;

	if (!isatty(console->out) || tcgetattr(console->master, &inside) < 0)
		return;
	if (!add) {
		console->added_newlines = inside.c_oflag & ONLCR;
		inside.c_oflag &= ~(tcflag_t)ONLCR;
	} else if (console->added_newlines) {
		inside.c_oflag |= ONLCR;
		console->added_newlines = false;
	}
	(void)tcsetattr(console->master, TCSANOW, &inside);
}

static int make_raw(struct console *console)
{
	if (tcsetattr(console->tty, TCSANOW, &console->raw) < 0)
		return fail(errno, "switch the caller's terminal to raw mode");
	console->is_raw = true;
	console->in = STDIN_FILENO;
	add_newlines(console, true);
	return 0;
}

static void leave_raw(struct console *console)
{
	console->is_raw = false;
	console->in = -1;
	add_newlines(console, false);
}

/*
 * The container's terminal gets the settings of the caller's, which passes
 * everything on as it is. If only one of both added CR to newlines, it would
 * have to be the container's: a program may switch that off.
 */
static int take_over(struct console *console)
{
	if (tcgetattr(console->tty, &console->saved) < 0)
		return fail(errno,
			    "read the settings of the caller's terminal");
	console->raw = console->saved;
	cfmakeraw(&console->raw);
	if (isatty(console->out)) {
		if (tcsetattr(console->master, TCSANOW, &console->saved) < 0)
			return fail(errno, "change the settings of the "
					   "container's terminal");
	} else {
		console->raw.c_oflag |= OPOST;
	}
	post_guard(console);
	if (is_in_front(console))
		return make_raw(console);
	leave_raw(console);
	return 0;
}

/*
 * If both ends did this, a newline would become CR CR LF; a pipe would get CRs.
 */
static int keep_newlines(int master)
{
	struct termios settings;

	if (tcgetattr(master, &settings) < 0)
		return fail(errno,
			    "read the settings of the container's terminal");
	settings.c_oflag &= ~(tcflag_t)ONLCR;
	if (tcsetattr(master, TCSANOW, &settings) < 0)
		return fail(errno,
			    "change the settings of the container's terminal");
	return 0;
}

int console_open(int master, bool input, struct console *ret)
{
	AUTO(console_close) struct console console = CONSOLE_NONE;
	int flags = fcntl(master, F_GETFL);
	int r;

	console.master = master;
	if (flags < 0 || fcntl(master, F_SETFL, flags | O_NONBLOCK) < 0)
		return fail(errno,
			    "make the container's terminal non-blocking");
	r = keep_newlines(master);
	if (r < 0)
		return r;
	console.wants_input = input;
	console.in = input ? STDIN_FILENO : -1;
	console.out = STDOUT_FILENO;
	console.tty = find_tty();
	if (console.tty >= 0) {
		console_resize(&console);
		/* A terminal that is not read keeps its keys for signals. */
		r = input ? take_over(&console) : 0;
		if (r < 0)
			return r;
	}
	*ret = console;
	console = (struct console)CONSOLE_NONE;
	return 0;
}

void console_pause(struct console *console)
{
	if (!console->is_raw)
		return;
	/* In the background, a shell has its own settings there. */
	if (is_in_front(console))
		(void)tcsetattr(console->tty, TCSADRAIN, &console->saved);
	leave_raw(console);
}

void console_resume(struct console *console)
{
	if (console->tty < 0)
		return;
	console_resize(console);
	if (!console->wants_input)
		return;
	if (is_in_front(console) && make_raw(console) < 0)
		err_clear();
	else if (!is_in_front(console) && console->is_raw)
		leave_raw(console);
}

/* A shell does not tell a process that it puts into the foreground. */
static bool is_behind(const struct console *console)
{
	return console->tty >= 0 && console->wants_input && !console->is_raw;
}

void console_close(struct console *console)
{
	console_pause(console);
	/* Ends the guard, which finds nothing to do. */
	closep(&console->guard);
	closep(&console->tty);
	closep(&console->master);
}

/* ---- the key that stops a program ---- */

static void look_for_suspend(struct console *console)
{
	const struct console_flow *flow = &console->to_master;
	struct termios inside;

	if (!console->is_raw || tcgetattr(console->master, &inside) < 0 ||
	    !(inside.c_lflag & ISIG) ||
	    !memchr(flow->data + flow->start, inside.c_cc[VSUSP],
		    flow->end - flow->start))
		return;
	console->suspended = true;
	console->until = now_ms() + SUSPEND_MS;
}

/* Return the state of a process, and its parent; '?' if it is gone. */
static char state_of(pid_t pid, pid_t *ret_parent)
{
	autoclose int proc = proc_open();
	char name[64], text[256] = "", *end;
	ssize_t n;

	snprintf(name, sizeof name, "%d/stat", pid);

	autoclose int fd = proc < 0 ? -1 : proc_open_at(proc, name, O_RDONLY);

	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	end = n > 0 ? strrchr(text, ')') : NULL;
	if (!end || strlen(end) < 5)
		return '?';
	*ret_parent = atoi(end + 4);
	return end[2];
}

bool console_has_stopped(struct console *console, pid_t program)
{
	pid_t group, parent = 0;
	char state;

	if (!console->suspended)
		return false;
	if (now_ms() > console->until)
		console->suspended = false;
	/* A shell inside that stops a job of its own is not stopped itself. */
	if (ioctl(console->master, TIOCGPGRP, &group) < 0 || group <= 0)
		return false;
	state = state_of(group, &parent);
	if ((state != 'T' && state != 't') ||
	    (group != program && parent != program))
		return false;
	console->suspended = false;
	return true;
}

void console_resize(const struct console *console)
{
	struct winsize size;

	if (console->tty >= 0 && ioctl(console->tty, TIOCGWINSZ, &size) == 0)
		(void)ioctl(console->master, TIOCSWINSZ, &size);
}

static bool is_empty(const struct console_flow *flow)
{
	return flow->start == flow->end;
}

static bool try_later(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* Return false at the end of the source. */
static bool pull(struct console_flow *flow, int fd)
{
	ssize_t n = read(fd, flow->data, sizeof flow->data);

	if (n <= 0)
		return n < 0 && try_later();
	flow->start = 0;
	flow->end = (size_t)n;
	return true;
}

/* Return false if the sink is closed. */
static bool push(struct console_flow *flow, int fd)
{
	ssize_t n =
		write(fd, flow->data + flow->start, flow->end - flow->start);

	if (n < 0)
		return try_later();
	flow->start += (size_t)n;
	return true;
}

/*
 * Skip a descriptor without events: a hang-up would wake poll again and again.
 */
static struct pollfd watch(int fd, short events)
{
	return (struct pollfd){ .fd = events ? fd : -1, .events = events };
}

int console_poll(const struct console *console,
		 struct pollfd fds[CONSOLE_POLLS])
{
	bool in_waits = !is_empty(&console->to_master);
	bool out_waits = !is_empty(&console->to_out);
	short master =
		(short)((in_waits ? POLLOUT : 0) | (out_waits ? 0 : POLLIN));

	fds[FROM_IN] = watch(console->in, in_waits ? 0 : POLLIN);
	fds[TO_OUT] = watch(console->out, out_waits ? POLLOUT : 0);
	fds[OF_MASTER] = watch(console->master, console->hung_up ? 0 : master);
	if (console->suspended)
		return SUSPENDED_MS;
	if (is_behind(console))
		return BEHIND_MS;
	return console->hung_up ? HUNG_UP_MS : -1;
}

/* Without a reader, discard the data, so that the program does not block. */
static void flow_out(struct console *console)
{
	if (console->out < 0)
		console->to_out.start = console->to_out.end;
	else if (!push(&console->to_out, console->out))
		console->out = -1;
}

static void take_input(struct console *console)
{
	if (!pull(&console->to_master, console->in)) {
		console->in = -1;
		console->wants_input = false;
		return;
	}
	look_for_suspend(console);
}

void console_relay(struct console *console,
		   const struct pollfd fds[CONSOLE_POLLS])
{
	if (is_behind(console) && is_in_front(console))
		console_resume(console);
	if (fds[FROM_IN].revents && console->in >= 0)
		take_input(console);
	if (is_empty(&console->to_out) &&
	    (console->hung_up || fds[OF_MASTER].revents))
		console->hung_up = !pull(&console->to_out, console->master);
	if (!is_empty(&console->to_master) &&
	    !push(&console->to_master, console->master))
		console->hung_up = true;
	if (fds[TO_OUT].revents || console->out < 0)
		flow_out(console);
}

void console_drain(struct console *console)
{
	for (int i = 0; i < DRAIN_READS; i++) {
		while (!is_empty(&console->to_out)) {
			struct pollfd out = watch(console->out, POLLOUT);

			if (console->out >= 0 && poll(&out, 1, -1) < 0 &&
			    errno != EINTR)
				return;
			flow_out(console);
		}
		if (!pull(&console->to_out, console->master) ||
		    is_empty(&console->to_out))
			return;
	}
}
