/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/console.h - the master of a terminal, sent to a socket or
 * relayed.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

/* A buffer, read into only when empty, and written until empty. */
struct console_flow {
	char data[4096];
	size_t start, end;
};

struct console {
	int master;
	int tty; /* the caller's terminal; -1: none */
	bool wants_input;
	bool is_raw;
	bool added_newlines; /* the pty did, before the terminal took over */
	struct termios saved, raw; /* settings of tty before, and now */
	int in, out;	/* the caller's; -1 at the end of file, or not now */
	bool hung_up;	/* no process has the slave open at the moment */
	bool suspended; /* the key that stops a program was passed on */
	int64_t until;	/* how long to look whether it has stopped */
	int guard;	/* a pipe: a process restores tty if we are killed */
	struct console_flow to_master, to_out;
};

#define CONSOLE_NONE                                                       \
	{                                                                  \
		.master = -1, .tty = -1, .in = -1, .out = -1, .guard = -1, \
	}
#define CONSOLE_POLLS 3

/* An error unless --console-socket is given for a terminal of a detached process. */
int console_check(bool terminal, bool detached, const char *socket_path);
/* Send the master of the pty to the --console-socket. */
int console_send(const char *socket_path, int master);
/* Send a pidfd to the --pidfd-socket. */
int console_send_pidfd(const char *socket_path, int pidfd);

/*
 * Take over the master and relay it to standard output, and from standard input
 * if `input` is set. In that case the caller's terminal (one of 0-2, or
 * /dev/tty), if any, is raw until console_close, while this process is in the
 * foreground; in the background, input waits.
 */
int console_open(int master, bool input, struct console *ret);
/* Restore the terminal and close the master; any part may be unopened. */
void console_close(struct console *console);

/* Before this process stops: restore the terminal, and do not read it. */
void console_pause(struct console *console);
/* It may be in the foreground now, or no longer: adapt. */
void console_resume(struct console *console);
/*
 * True if the program has stopped after the key for that was typed. program: its
 * pid, or the pid of the process whose only child it is.
 */
bool console_has_stopped(struct console *console, pid_t program);
/* Copy the window size of the caller's terminal to the container's. */
void console_resize(const struct console *console);
/* Fill in what to poll for; return the timeout, -1 or milliseconds. */
int console_poll(const struct console *console,
		 struct pollfd fds[CONSOLE_POLLS]);
/* Move the data that poll(2) has reported as ready. */
void console_relay(struct console *console,
		   const struct pollfd fds[CONSOLE_POLLS]);
/* After the program has ended, write out the rest of its output. */
void console_drain(struct console *console);
