/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/internal.h - declarations for the files of cgroups/: v1 and v2 as
 * backends, limits as a list of files to write, device rules as a program.
 */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cgroups/cgroup.h"

/* Paths are built on the stack; cgroup_place reserves space for a file name. */
#define CGROUP_PATH_SIZE 4096
#define CGROUP_NAME_SIZE 256

/* ---- the fields of linux.resources ---- */

enum field_kind {
	FIELD_I64,   /* 0 and negative values ask for nothing */
	FIELD_COUNT, /* negative values ask for nothing, 0 is a value */
	FIELD_U64,   /* 0 asks for nothing */
	FIELD_LEVEL, /* every value asks for something */
	FIELD_BOOL,
	FIELD_TEXT,
	FIELD_LIST, /* its length; its members are checked elsewhere */
};

enum field_answer {
	ANSWER_APPLIED, /* written; a failure is an error */
	ANSWER_HINT,	/* written if possible */
	ANSWER_HOLDS,	/* always true, nothing to write */
	ANSWER_WARNING, /* ignored with a warning, as the specification says */
	ANSWER_ERROR,
};

struct field_place {
	enum field_answer answer;
	const char *files; /* for ANSWER_HOLDS: the reason */
};

/* How a field is treated if its controller is on v1, and on v2. */
struct field {
	const char *name; /* below linux.resources: "memory.limit" */
	const char *controller;
	enum field_kind kind;
	size_t offset;
	bool (*list_asks)(const struct oci_resources *resources);
	struct field_place v1, v2;
};

/* The table of all fields; the manual contains the same table. */
const struct field *resources_fields(size_t *ret_n);
/* True if a field asks for something. */
bool field_asks(const struct field *field,
		const struct oci_resources *resources);

/* ---- v1 values to v2 values, and other arithmetic ---- */

/*
 * Return the value of memory.swap to set; not set if there is nothing to write.
 */
struct oci_i64 resources_swap(const struct oci_resources *resources);
/* Convert memory plus swap to swap alone; negative means no limit. */
int64_t swap_alone(int64_t limit, int64_t together);
/*
 * Convert pids.limit for the kernel: negative means no limit, 0 is impossible.
 */
int64_t resources_pids(const struct oci_resources *resources);
/* Convert cpu.shares (2 to 262144) to cpu.weight (1 to 10000), 1024 to 100. */
unsigned int shares_to_weight(uint64_t shares);
/* Convert blockIO weight (10 to 1000) to io.weight (1 to 10000). */
unsigned int blkio_to_io_weight(uint64_t weight);
/* Convert cpu.quota and cpu.period to cpu.max; false if neither is set. */
bool cpu_max(const struct oci_i64 *quota, const struct oci_u64 *period,
	     char *ret, size_t size);
/* True if shares are set; the kernel refuses a weight for an idle cgroup. */
bool resources_has_shares(const struct oci_resources *resources);
/* Return a change, completed by the values of `merged` it is written with. */
struct oci_resources resources_complete(const struct oci_resources *change,
					const struct oci_resources *merged);

/* ---- limits: one file to write ---- */

struct setting {
	const char *field; /* below linux.resources: "memory.limit" */
	const char *file;  /* its controller is the part before the dot */
	const char *text;
	bool needed;	  /* false: asks for nothing, so a failure is ignored */
	bool fallback;	  /* used if the file of the previous one is missing */
	const char *key;  /* first word of its line in the file; or NULL */
	const char *none; /* written to undo a line that was missing */
	bool bare;	  /* write only the part after the key */
	bool done;
	bool absent;
	const char *old; /* text that undoes it; or NULL */
};

struct settings {
	struct arena *arena;
	struct setting *items;
	size_t n;
	size_t size;
	struct setting scrap; /* returned when out of memory */
	int error;
};

/*
 * Add a setting; the caller may set its other members. Errors are kept in the
 * list.
 */
struct setting *settings_add(struct settings *settings, const char *field,
			     const char *file, bool needed, const char *fmt,
			     ...) __attribute__((format(printf, 5, 6)));
/* Add a size or count; negative is "max" if the file accepts that. */
void settings_add_number(struct settings *settings, const char *field,
			 const char *file, int64_t value, bool has_max);
/* Return the name of an array member: "hugepageLimits[2]". */
const char *settings_index(struct settings *settings, const char *field,
			   size_t i);
/* Format text in the memory of the list; "" if out of memory. */
const char *settings_printf(struct settings *settings, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Fields with the same files in both versions: cpuset, pids, rdma. */
void shared_settings(const struct oci_resources *resources,
		     struct settings *ret);
/* hugetlb.SIZE.word, and the same of reservations if the kernel has them. */
void hugepage_settings(const struct oci_resources *resources, const char *word,
		       struct settings *ret);

/*
 * Write the settings whose controller is on v1 (or v2), each after those it
 * depends on. With `keep`, save the old values for settings_undo.
 */
int settings_write(const struct cgroup *cgroup, struct settings *settings,
		   bool v2, bool rootless, bool keep);
void settings_undo(const struct cgroup *cgroup, struct settings *settings);
/*
 * Return the text that restores `content` after a setting was written; no
 * effects.
 */
const char *setting_undo_text(struct arena *arena,
			      const struct setting *setting, char *content);
/*
 * Return the v2 controllers that settings need and no v1 hierarchy has:
 * "cpu,pids".
 */
const char *settings_controllers(const struct cgroup *cgroup,
				 struct settings *settings);

/*
 * Return the member whose v1 hierarchy has the controller of a file, or NULL.
 */
struct cgroup_member *member_v1_of(const struct cgroup *cgroup,
				   const char *file);
bool is_denied(int r);

/* ---- v1 and v2 ---- */

struct cgroup_backend {
	const char *door; /* the file for joining */
	/*
	 * Add the settings in an order that works for a new cgroup; no effects.
	 */
	void (*settings)(const struct oci_resources *resources,
			 struct settings *ret);
	/* Prepare a directory for processes; wanted: v2 controllers. */
	int (*prepare)(const struct cgroup_member *member, const char *wanted);
	/*
	 * True if it, or a parent, is frozen; false if there is no freezer. A
	 * relative path of the member begins at the directory.
	 */
	bool (*frozen)(int dir, const struct cgroup_member *member);
	int (*freeze)(const struct cgroup_member *member, bool on);
};

extern const struct cgroup_backend cgroup_v1;
extern const struct cgroup_backend cgroup_v2;

/* wanted: all controllers that the parent has. */
#define EVERY_CONTROLLER "*"

static inline const struct cgroup_backend *
backend_of(const struct cgroup_member *member)
{
	return member->v2 ? &cgroup_v2 : &cgroup_v1;
}

/* ---- helpers ---- */

/* True if word is in list, whose words are separated by ',', ' ' or '\n'. */
bool list_has(const char *list, const char *word);
/* Like list_has, for a word of len bytes. */
bool list_has_n(const char *list, const char *word, size_t len);
/* Return the member whose v1 hierarchy has this controller, or NULL. */
struct cgroup_member *member_with(const struct cgroup *cgroup,
				  const char *controller, size_t len);
struct cgroup_member *member_v2(const struct cgroup *cgroup);

/* Write dir/file by one write(2); records an error. */
int file_write(const char *dir, const char *file, const char *text);
/* Read dir/file by one read(2), without the final newline; records no error. */
ssize_t file_read(const char *dir, const char *file, char *ret, size_t size);
ssize_t file_read_at(int top, const char *dir, const char *file, char *ret,
		     size_t size);
/*
 * List the names in dir/sub that have this prefix and suffix, without both,
 * sorted; empty if the directory does not exist.
 */
int names_in(struct arena *arena, const char *dir, const char *sub,
	     const char *prefix, const char *suffix, struct strings *ret);

/* Parse the two files of /proc to a layout; no effects. */
int layout_parse(struct arena *arena, char *mountinfo, char *own,
		 struct cgroup_layout *ret);

/* ---- a directory and all below it ---- */

/* Return the path of a cgroup's directory, for errors. */
const char *tree_path(int dir, char ret[static CGROUP_PATH_SIZE]);

struct tree_visit {
	int (*enter)(int dir, void *context); /* before its children; or NULL */
	int (*leave)(int parent, const char *name, void *context);
};

/* A directory that disappears in the meantime is not an error. */
int tree_walk(int parent, const char *name, const struct tree_visit *visit,
	      void *context);
/* Thaw the processes of all members and their sub-cgroups. */
void tree_thaw(const struct cgroup *cgroup);

/* ---- processes ---- */

struct pid_list {
	struct arena *arena;
	pid_t *items;
	size_t n;
	size_t size;
};

/* Read the processes of one directory. */
int pid_list_read(struct pid_list *list, int dir);
/*
 * Add the processes below path, unsorted; initialise the list with { .arena =
 * arena }.
 */
int pid_list_add(struct pid_list *list, const char *path);
bool pid_list_has(const struct pid_list *list, pid_t pid);

/* Sleep after a failed attempt, longer each time; false after the deadline. */
bool wait_a_little(unsigned int attempt, int64_t deadline);

/* Mark a parent directory as ours to remove. */
void mark_made(const char *path);
/* Remove parents that were made for containers, as long as they are empty. */
void remove_made(const char *path, size_t kept);

/* ---- device rules ---- */

/* The container's rules, then the runtime's defaults: the last match wins. */
struct device_rules {
	const struct oci_device_rule *asked;
	size_t nasked;
};

size_t device_rules_count(const struct device_rules *rules);
const struct oci_device_rule *device_rule(const struct device_rules *rules,
					  size_t i);
/*
 * True if the rule is for all devices and accesses, so that it overrides all
 * before it.
 */
bool device_rule_is_reset(const struct oci_device_rule *rule);
/* Return the first rule that is not overridden. */
size_t device_rules_start(const struct device_rules *rules);

#define DEVICE_PROGRAM_MAX 4096

/*
 * Compile the rules into ret (DEVICE_PROGRAM_MAX instructions); return how
 * many.
 */
int device_program(const struct device_rules *rules, struct bpf_insn *ret);
/* Load the program and attach it to a v2 cgroup, replacing earlier ones. */
int device_program_attach(const char *path, const struct device_rules *rules);
