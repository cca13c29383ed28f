/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/print_words.h - the flags and numbers of a step, in words. */
#pragma once

#include <stdint.h>

struct arena;
struct enforcement;
struct step;
struct strings;
struct text;

/* Return the names of namespaces of CLONE_NEW… flags: "mount, pid". */
const char *words_namespaces(struct arena *arena, uint64_t flags);
/* Return "CAP_KILL, CAP_CHOWN", or "none". */
const char *words_caps(struct arena *arena, uint64_t caps);
/* Return a limit, or "unlimited". */
const char *words_limit(struct arena *arena, uint64_t limit);
/* Put ", "-separated words for MOUNT_ATTR_… or MS_… flags. */
void words_put_attributes(struct text *out, uint64_t attributes);
void words_put_propagation(struct text *out, uint64_t flags);
/* Put what the flags and the number of a step mean; each after ", ". */
void words_put_flags(struct text *out, const struct step *step);
/* Put the name of a slot: "the mount point", "slot 25". */
void words_put_slot(struct text *out, uint16_t slot);
