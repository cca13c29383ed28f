/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/internal.h - what the files of this room share: the two layouts as
 * backends, limits as a list of files to write, device rules as a program.
 */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cgroups/cgroup.h"

/* Paths are built on the stack; cgroup_place leaves room for a file's name. */
#define CGROUP_PATH_SIZE 4096
#define CGROUP_NAME_SIZE 256

/* ---- the fields of linux.resources ---- */

enum field_kind {
	FIELD_I64,   /* 0 and negative values ask for nothing */
	FIELD_COUNT, /* the same, but 0 is a value */
	FIELD_U64,   /* 0 asks for nothing */
	FIELD_LEVEL, /* any value asks */
	FIELD_BOOL,
	FIELD_TEXT,
	FIELD_LIST, /* its length; what the members ask is its own matter */
};

enum field_answer {
	ANSWER_APPLIED, /* written, and an error when it cannot be */
	ANSWER_HINT,	/* written when it can be */
	ANSWER_HOLDS,	/* true without us */
	ANSWER_WARNING, /* ignored, as the specification advises */
	ANSWER_ERROR,
};

struct field_place {
	enum field_answer answer;
	const char *files; /* for ANSWER_HOLDS: how */
};

/* What becomes of a field where its controller is on v1, and on v2. */
struct field {
	const char *name; /* below linux.resources: "memory.limit" */
	const char *controller;
	enum field_kind kind;
	size_t offset;
	bool (*list_asks)(const struct oci_resources *resources);
	struct field_place v1, v2;
};

/* The table that decides; the manual has the same. */
const struct field *resources_fields(size_t *ret_n);
/* Does a field ask for something? */
bool field_asks(const struct field *field,
		const struct oci_resources *resources);

/* ---- v1 values to v2 values, and other arithmetic ---- */

/* memory.swap as it is to be set; not set when nothing is to be written. */
struct oci_i64 resources_swap(const struct oci_resources *resources);
/* memory and swap together, to swap alone; negative is no limit. */
int64_t swap_alone(int64_t limit, int64_t together);
/* pids.limit as the kernel has it: negative is no limit, 0 cannot be said. */
int64_t resources_pids(const struct oci_resources *resources);
/* cpu.shares (2 to 262144) to cpu.weight (1 to 10000), 1024 to 100. */
unsigned int shares_to_weight(uint64_t shares);
/* blockIO weight (10 to 1000) to io.weight (1 to 10000). */
unsigned int blkio_to_io_weight(uint64_t weight);
/* cpu.quota and cpu.period to cpu.max; false: neither says anything. */
bool cpu_max(const struct oci_i64 *quota, const struct oci_u64 *period,
	     char *ret, size_t size);
/* The kernel takes no weight for a cgroup that is idle. */
bool resources_has_shares(const struct oci_resources *resources);
/* A change, and what it cannot be written without of all that holds then. */
struct oci_resources resources_complete(const struct oci_resources *change,
					const struct oci_resources *merged);

/* ---- limits: one file to write ---- */

struct setting {
	const char *field; /* below linux.resources: "memory.limit" */
	const char *file;  /* its controller is what stands before the dot */
	const char *text;
	bool needed;	  /* false: asks for nothing, may be impossible */
	bool fallback;	  /* for when the file of the one before is absent */
	const char *key;  /* what its line of the file begins with; or NULL */
	const char *none; /* written in the place of a line that was absent */
	bool bare;	  /* what follows the key is written, without the key */
	bool done;
	bool absent;
	const char *old; /* what to write to undo it; or NULL */
};

struct settings {
	struct arena *arena;
	struct setting *items;
	size_t n;
	size_t size;
	struct setting scrap; /* the one for which there was no memory */
	int error;
};

/* One more; the caller may set the rest of it. Failure is kept in the list. */
struct setting *settings_add(struct settings *settings, const char *field,
			     const char *file, bool needed, const char *fmt,
			     ...) __attribute__((format(printf, 5, 6)));
/* A size or count; negative is "max" when there is such a word. */
void settings_add_number(struct settings *settings, const char *field,
			 const char *file, int64_t value, bool has_max);
/* An array's member: "hugepageLimits[2]". */
const char *settings_index(struct settings *settings, const char *field,
			   size_t i);
/* Text in the memory of the list; "" when there is none left. */
const char *settings_printf(struct settings *settings, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Fields that both versions have in the same files: cpuset, pids, rdma. */
void shared_settings(const struct oci_resources *resources,
		     struct settings *ret);
/* hugetlb.SIZE.word, and its reservations' where the kernel has them. */
void hugepage_settings(const struct oci_resources *resources, const char *word,
		       struct settings *ret);

/*
 * Write those whose controller is on v1 (or v2). What depends on another is
 * written after it. With keep, what was there is kept for settings_undo.
 */
int settings_write(const struct cgroup *cgroup, struct settings *settings,
		   bool v2, bool rootless, bool keep);
void settings_undo(const struct cgroup *cgroup, struct settings *settings);
/* Pure: what to write to have content again where text was written. */
const char *setting_undo_text(struct arena *arena,
			      const struct setting *setting, char *content);
/* The v2 controllers that settings need and no v1 hierarchy has: "cpu,pids". */
const char *settings_controllers(const struct cgroup *cgroup,
				 struct settings *settings);

/* The member whose v1 hierarchy has the controller of a file, or NULL. */
struct cgroup_member *member_v1_of(const struct cgroup *cgroup,
				   const char *file);
bool is_denied(int r);

/* ---- the two layouts ---- */

struct cgroup_backend {
	const char *door; /* the file a process enters through */
	/* Pure: what to write, in an order that is right for a new cgroup. */
	void (*settings)(const struct oci_resources *resources,
			 struct settings *ret);
	/* Make a directory fit for processes; wanted: v2 controllers. */
	int (*prepare)(const struct cgroup_member *member, const char *wanted);
	/* Frozen, also by a parent; false where there is no freezer. */
	bool (*frozen)(const struct cgroup_member *member);
	int (*freeze)(const struct cgroup_member *member, bool on);
};

extern const struct cgroup_backend cgroup_v1;
extern const struct cgroup_backend cgroup_v2;

/* wanted: everything the parent has to give. */
#define EVERY_CONTROLLER "*"

static inline const struct cgroup_backend *
backend_of(const struct cgroup_member *member)
{
	return member->v2 ? &cgroup_v2 : &cgroup_v1;
}

/* ---- small things ---- */

/* Is word one of the words of list, which are separated by ',', ' ' or '\n'? */
bool list_has(const char *list, const char *word);
/* The same, the word given by its length. */
bool list_has_n(const char *list, const char *word, size_t len);
/* The member whose v1 hierarchy has this controller, or NULL. */
struct cgroup_member *member_with(const struct cgroup *cgroup,
				  const char *controller, size_t len);
struct cgroup_member *member_v2(const struct cgroup *cgroup);

/* One write(2) to dir/file; records the failure. */
int file_write(const char *dir, const char *file, const char *text);
/* One read(2) of dir/file, ended by NUL, final newline cut; records nothing. */
ssize_t file_read(const char *dir, const char *file, char *ret, size_t size);
/*
 * What stands between prefix and suffix in the names of dir/sub that have
 * both, sorted; nothing when there is no such directory.
 */
int names_in(struct arena *arena, const char *dir, const char *sub,
	     const char *prefix, const char *suffix, struct strings *ret);

/* Pure half of cgroup_probe: the two files of /proc to a layout. */
int layout_parse(struct arena *arena, char *mountinfo, char *own,
		 struct cgroup_layout *ret);

/* ---- a directory and all below it ---- */

struct tree_visit {
	int (*enter)(int dir, void *context); /* before its children; or NULL */
	int (*leave)(int parent, const char *name, void *context);
};

/* One that vanishes meanwhile is no error. */
int tree_walk(int parent, const char *name, const struct tree_visit *visit,
	      void *context);
/* Let the processes of all members run, of their sub-cgroups, too. */
void tree_thaw(const struct cgroup *cgroup);

/* ---- processes ---- */

struct pid_list {
	struct arena *arena;
	pid_t *items;
	size_t n;
	size_t size;
};

/* The processes of one directory. */
int pid_list_read(struct pid_list *list, int dir);
/* The processes below path, unsorted; a list begins as { .arena = arena }. */
int pid_list_add(struct pid_list *list, const char *path);
bool pid_list_has(const struct pid_list *list, pid_t pid);

/* Sleep after a vain attempt, longer each time; false past the deadline. */
bool wait_a_little(unsigned int attempt, int64_t deadline);

/* Remember that a parent is ours to remove. */
void mark_made(const char *path);
/* Remove the parents that were made for containers, as far as they are empty. */
void remove_made(const char *path, size_t kept);

/* ---- device rules ---- */

/* The container's rules and then the runtime's own: the last match wins. */
struct device_rules {
	const struct oci_device_rule *asked;
	size_t nasked;
};

size_t device_rules_count(const struct device_rules *rules);
const struct oci_device_rule *device_rule(const struct device_rules *rules,
					  size_t i);
/* Any device, any access: what was said before it no longer counts. */
bool device_rule_is_reset(const struct oci_device_rule *rule);
/* Rules that still count begin here. */
size_t device_rules_start(const struct device_rules *rules);

#define DEVICE_PROGRAM_MAX 4096

/* Pure: the instructions into ret (DEVICE_PROGRAM_MAX of them); how many. */
int device_program(const struct device_rules *rules, struct bpf_insn *ret);
/* Load it and attach it to a v2 cgroup, in the place of what was there. */
int device_program_attach(const char *path, const struct device_rules *rules);
