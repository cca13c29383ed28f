/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/inherited.h - what a caller leaves in our process, made safe. */
#pragma once

/*
 * Descriptors 0 to 2 are open, no other one survives an exec unless asked to,
 * a closed reader is an error instead of SIGPIPE, and children can be waited for.
 * ret_given: 3 to 2+given were open before any was ours.
 */
int inherited_settle(unsigned int *ret_given);
/* No standard descriptor leads to other files than itself. */
int inherited_check_stdio(void);
