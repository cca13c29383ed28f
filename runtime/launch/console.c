/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/console.c - send a terminal to a socket, or relay its data. */
#include "runtime/launch/console.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"

/* Interval for checking whether a process has opened the terminal again. */
#define HUNG_UP_MS 100
/* A pty buffers less than this; a program that writes more never stops. */
#define DRAIN_READS 64

enum { POLL_IN, POLL_OUT, POLL_MASTER };

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

static int make_raw(struct console *console)
{
	struct termios raw;

	if (tcgetattr(console->tty, &console->saved) < 0)
		return fail(errno,
			    "read the settings of the caller's terminal");
	raw = console->saved;
	cfmakeraw(&raw);
	/*
	 * The pty does not add CR to newlines, so the caller's terminal must.
	 */
	raw.c_oflag |= OPOST;
	if (tcsetattr(console->tty, TCSANOW, &raw) < 0)
		return fail(errno, "switch the caller's terminal to raw mode");
	console->is_raw = true;
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
	console.in = input ? STDIN_FILENO : -1;
	console.out = STDOUT_FILENO;
	console.tty = find_tty();
	if (console.tty >= 0) {
		console_resize(&console);
		/* A terminal that is not read keeps its keys for signals. */
		r = input ? make_raw(&console) : 0;
		if (r < 0)
			return r;
	}
	*ret = console;
	console = (struct console)CONSOLE_NONE;
	return 0;
}

void console_close(struct console *console)
{
	if (console->is_raw)
		(void)tcsetattr(console->tty, TCSADRAIN, &console->saved);
	console->is_raw = false;
	closep(&console->tty);
	closep(&console->master);
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

	fds[POLL_IN] = watch(console->in, in_waits ? 0 : POLLIN);
	fds[POLL_OUT] = watch(console->out, out_waits ? POLLOUT : 0);
	fds[POLL_MASTER] =
		watch(console->master, console->hung_up ? 0 : master);
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

void console_relay(struct console *console,
		   const struct pollfd fds[CONSOLE_POLLS])
{
	if (fds[POLL_IN].revents && !pull(&console->to_master, console->in))
		console->in = -1;
	if (is_empty(&console->to_out) &&
	    (console->hung_up || fds[POLL_MASTER].revents))
		console->hung_up = !pull(&console->to_out, console->master);
	if (!is_empty(&console->to_master) &&
	    !push(&console->to_master, console->master))
		console->hung_up = true;
	if (fds[POLL_OUT].revents || console->out < 0)
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
