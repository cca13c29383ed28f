/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/console.h - the outer end of a terminal: sent away, or relayed. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Bytes on their way: read only when empty, written until empty. */
struct console_flow {
	char data[4096];
	size_t start, end;
};

struct console {
	int master;
	int tty; /* the caller's terminal; -1: there is none */
	bool is_raw;
	struct termios saved; /* of tty, before it became raw */
	int in, out;	      /* the caller's; -1 once at an end */
	bool hung_up;	      /* nobody has the other side open just now */
	struct console_flow to_master, to_out;
};

#define CONSOLE_NONE                                         \
	{                                                    \
		.master = -1, .tty = -1, .in = -1, .out = -1 \
	}
#define CONSOLE_POLLS 3

/* An error unless --console-socket is given for a terminal of a detached process. */
int console_check(bool terminal, bool detached, const char *socket_path);
/* Give the pty's master to whoever listens on the --console-socket. */
int console_send(const char *socket_path, int master);
/* Give a pidfd to whoever listens on the --pidfd-socket. */
int console_send_pidfd(const char *socket_path, int pidfd);

/*
 * Take the master over, for a relay to standard output, and to standard input
 * if that is wanted: then the caller's terminal, where one of 0-2 or /dev/tty
 * is one, is raw until console_close.
 */
int console_open(int master, bool input, struct console *ret);
/* Restore the terminal, close the master; anything half open is fine. */
void console_close(struct console *console);

/* The window size of the caller's terminal becomes the container's. */
void console_resize(const struct console *console);
/* What to poll for, and for how long: -1 or milliseconds. */
int console_poll(const struct console *console,
		 struct pollfd fds[CONSOLE_POLLS]);
/* Move what can be moved, after poll(2). */
void console_relay(struct console *console,
		   const struct pollfd fds[CONSOLE_POLLS]);
/* The program has ended: bring out what it has written. */
void console_drain(struct console *console);
