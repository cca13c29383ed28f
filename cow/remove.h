/* SPDX-License-Identifier: Apache-2.0 */
/* cow/remove.h - remove trees that a sandbox has filled. */
#pragma once

/*
 * Remove a directory below dir and everything in it, also directories without
 * any permission of their owner; follow no links. What is missing is removed.
 */
int remove_tree(int dir, const char *name);
/* The same for a path of several components, none of them a link. */
int remove_tree_below(int dir, const char *path);
