/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/inherited.h - make inherited descriptors and signals safe. */
#pragma once

#include <stdbool.h>

/*
 * Open descriptors 0 to 2 if they are closed, make all others close-on-exec,
 * ignore SIGPIPE and restore SIGCHLD. ret_given is the number of descriptors
 * from 3 on that were open before.
 */
int inherited_settle(unsigned int *ret_given);
/* What is passed on to a process with a policy. */
struct inherited {
	bool stdio;		/* descriptors 0 to 2 */
	unsigned int preserved; /* those from 3 on */
	bool any_network;	/* the policy does not restrict the network */
};
/*
 * Fail if a standard descriptor gives access to other files, or if any one is a
 * socket of a network that the policy restricts.
 */
int inherited_check(const struct inherited *passed);
