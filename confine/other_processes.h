/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/other_processes.h - calls to filter where no namespace separates the
 * sandbox from other processes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "confine/bpf.h"

struct others_call {
	const char *name;
	const struct bpf_rule *rules;
	size_t nrules;
};

/* Calls on other processes: those that the rules do not allow are denied. */
extern const struct others_call others_processes[];
extern const size_t others_nprocesses;
/* The rules refuse calls that would connect past Landlock. */
extern const struct others_call others_sends[];
extern const size_t others_nsends;
/* Calls with a mode; those that the rules do not allow would set an id. */
extern const struct others_call others_modes[];
extern const size_t others_nmodes;
/* The rules refuse ioctls that would harm the terminal for other users. */
extern const struct others_call others_terminal;
/* These ioctls are denied, whatever the policy allows for the terminal. */
extern const struct others_call others_ioctl;
