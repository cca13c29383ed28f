/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/sd_notify.h - NOTIFY_SOCKET: tell the host's service manager when the
 * container is ready.
 *
 * `create` makes a folder beside the record and mounts it into the container.
 * Whoever lets init go binds a socket in it first, and passes READY=1 on.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define NOTIFY_FOLDER "notify" /* below the container's directory */

struct sd_notify {
	int inside; /* where the container writes */
	int host;   /* connected to the host's socket */
};

#define SD_NOTIFY_NONE                   \
	{                                \
		.inside = -1, .host = -1 \
	}

/* Make the folder below the container's directory. */
int sd_notify_make(int dir);
/* Whether NOTIFY_SOCKET (a path or @name) has a listener; a notice if not. */
bool sd_notify_is_heard(const char *host);
/* Bind the socket in the folder; leave ret alone if host has no listener. */
int sd_notify_open(int dir, const char *host, struct sd_notify *ret);
void sd_notify_close(struct sd_notify *notify);

/* Look at one message, do not wait; 1 when ready was passed on, 0 when not. */
int sd_notify_receive(const struct sd_notify *notify, pid_t pid);
/* Until the container is ready, or its init is gone. */
int sd_notify_relay(const struct sd_notify *notify, pid_t pid, int pidfd);
