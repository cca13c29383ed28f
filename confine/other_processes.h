/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/other_processes.h - calls that are judged where no namespace keeps away what
 * is outside.
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

/* On other processes: what the rules do not allow is refused. */
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
/* What they refuse is refused, whatever the terminal may do. */
extern const struct others_call others_ioctl;
