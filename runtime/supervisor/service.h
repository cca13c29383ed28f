/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/service.h - what a supervisor does, one service for each
 * subject.
 */
#pragma once

#include <stddef.h>

struct creation;
struct supervisor;

struct supervisor_service {
	const char *name;
	/*
	 * Called when the child waits at CREATED, before its program exists,
	 * with all rights and the whole creation. Registers with s->loop, keeps
	 * what it needs in s->arena. Does nothing if the policy does not need
	 * this service.
	 */
	int (*open)(struct supervisor *s, struct creation *c);
	/*
	 * The container has ended, or the creation failed; may be NULL. In a
	 * supervisor of its own, only what confine.h allows is possible now.
	 */
	void (*close)(struct supervisor *s);
};

extern const struct supervisor_service supervisor_control;
/*
 * listeners.c: s->notifier, if the confinement has a filter for it. A service
 * that handles calls follows it in the table.
 */
extern const struct supervisor_service supervisor_listeners;
/* denied_names.c: cover names again that a process outside has replaced. */
extern const struct supervisor_service supervisor_denied_names;
/* network.c: relay what the network rules allow. */
extern const struct supervisor_service supervisor_network;

/* services.c: in the order in which they open; they close in reverse. */
extern const struct supervisor_service *const supervisor_services[];
extern const size_t supervisor_nservices;
