/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/inherited.h - make inherited descriptors and signals safe. */
#pragma once

/*
 * Open descriptors 0 to 2 if they are closed, make all others close-on-exec,
 * ignore SIGPIPE and restore SIGCHLD. ret_given is the number of descriptors
 * from 3 on that were open before.
 */
int inherited_settle(unsigned int *ret_given);
/* Fail if a standard descriptor gives access to other files. */
int inherited_check_stdio(void);
