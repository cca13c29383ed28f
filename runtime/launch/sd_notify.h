/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/sd_notify.h - NOTIFY_SOCKET: tell the host's service manager
 * when the container is ready.
 *
 * `create` makes a directory beside the record and mounts it into the
 * container. The command that lets init continue first binds a socket in it,
 * and then forwards READY=1.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define NOTIFY_FOLDER "notify" /* below the container's directory */

struct sd_notify {
	int inside; /* the container sends to it */
	int host;   /* connected to the host's socket */
};

#define SD_NOTIFY_NONE                   \
	{                                \
		.inside = -1, .host = -1 \
	}

/* Make the directory below the container's directory. */
int sd_notify_make(int dir);
/* True if NOTIFY_SOCKET (a path or @name) has a listener; a notice if not. */
bool sd_notify_is_heard(const char *host);
/* Bind the socket in the directory; leave ret alone if host has no listener. */
int sd_notify_open(int dir, const char *host, struct sd_notify *ret);
void sd_notify_close(struct sd_notify *notify);

/* Read one message without waiting; 1 if READY was forwarded, else 0. */
int sd_notify_receive(const struct sd_notify *notify, pid_t pid);
/* Wait until the container is ready or its init has ended. */
int sd_notify_relay(const struct sd_notify *notify, pid_t pid, int pidfd);
