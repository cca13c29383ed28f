/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/oci.h - convert config.json, process.json, state.json and the features
 * document from and to plain C values.
 *
 * Values live in the caller's arena and are read through const. Optional
 * numbers have a has_ flag; optional strings are NULL if absent; a JSON null is
 * the same as absent. Enumerated words are converted to numbers of the kernel
 * where it has them, so that no other code compares strings.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strings.h"

struct arena;
struct json;

#define OCI_VERSION "1.3.0"
#define OCI_VERSION_MIN "1.0.0"

struct oci_annotation {
	const char *key;
	const char *value;
};

struct oci_annotations {
	const struct oci_annotation *items;
	size_t n;
};

struct oci_id_map {
	uint32_t container_id;
	uint32_t host_id;
	uint32_t size;
};

struct oci_id_maps {
	const struct oci_id_map *items;
	size_t n;
};

/* A number for which "absent" differs from every value. */
struct oci_i64 {
	bool set;
	int64_t value;
};

struct oci_u64 {
	bool set;
	uint64_t value;
};

struct oci_bool {
	bool set;
	bool value;
};

/* ---- process ---- */

struct oci_user {
	uint32_t uid;
	uint32_t gid;
	bool has_umask;
	mode_t umask;
	const uint32_t *groups; /* additionalGids */
	size_t ngroups;
};

struct oci_rlimit {
	int type; /* RLIMIT_… */
	uint64_t soft;
	uint64_t hard;
};
/* Return the name in config.json: "RLIMIT_NOFILE". */
const char *oci_rlimit_name(int type);

/* Names as written; confine/caps.h converts them to masks. */
struct oci_capabilities {
	struct strings bounding;
	struct strings effective;
	struct strings inheritable;
	struct strings permitted;
	struct strings ambient;
};

struct oci_scheduler {
	uint32_t policy; /* SCHED_… */
	int32_t nice;
	int32_t priority;
	uint64_t flags; /* SCHED_FLAG_… */
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

struct oci_io_priority {
	int class; /* 1 RT, 2 BE, 3 IDLE */
	int priority;
};

struct oci_process {
	bool terminal;
	bool has_console_size;
	uint32_t console_height;
	uint32_t console_width;
	struct oci_user user;
	struct strings args; /* at least one */
	struct strings env;  /* KEY=VALUE, last duplicate only */
	const char *cwd;     /* absolute */
	const struct oci_capabilities *capabilities; /* NULL: all sets empty */
	const struct oci_rlimit *rlimits;
	size_t nrlimits;
	bool no_new_privileges;
	const char *apparmor_profile; /* NULL also for "unconfined" and "" */
	const char *selinux_label;
	struct oci_i64 oom_score_adj;
	const struct oci_scheduler *scheduler;
	const struct oci_io_priority *io_priority;
	const char *affinity_initial; /* execCPUAffinity, checked CPU lists */
	const char *affinity_final;
};

/* ---- mounts ---- */

struct oci_mount {
	const char *destination; /* absolute, cleaned of // and . */
	const char *source;	 /* NULL when absent */
	const char *type;	 /* NULL when absent */
	struct strings options;
	struct oci_id_maps uid_mappings;
	struct oci_id_maps gid_mappings;
	bool has_mappings;
	bool is_directory; /* of a sandbox: the source is known to be one */
};

/* ---- hooks ---- */

struct oci_hook {
	const char *path;
	struct strings args; /* empty: argv is the path alone */
	struct strings env;  /* has_env false: the runtime's own */
	bool has_env;
	uint32_t timeout; /* seconds, 0: none */
};

struct oci_hook_list {
	const struct oci_hook *items;
	size_t n;
};

enum hook_point {
	HOOK_PRESTART,
	HOOK_CREATE_RUNTIME,
	HOOK_CREATE_CONTAINER,
	HOOK_START_CONTAINER,
	HOOK_POSTSTART,
	HOOK_POSTSTOP,
	HOOK_POINTS,
};

struct oci_hooks {
	struct oci_hook_list at[HOOK_POINTS];
	const char *out_file, *err_file; /* copies of output; NULL: none */
};

/* "prestart", "createRuntime", … */
const char *oci_hook_point_name(enum hook_point point);

/* ---- linux ---- */

enum oci_ns {
	OCI_NS_USER,
	OCI_NS_CGROUP,
	OCI_NS_IPC,
	OCI_NS_UTS,
	OCI_NS_NETWORK,
	OCI_NS_PID,
	OCI_NS_MOUNT,
	OCI_NS_TIME,
	OCI_NAMESPACES,
};

/*
 * The name of a namespace in config.json and /proc, and its flag, by enum
 * oci_ns.
 */
struct oci_ns_kind {
	const char *type; /* as in config.json: "network" */
	const char *proc; /* as in /proc: "net" */
	int flag;	  /* CLONE_NEW… */
};
extern const struct oci_ns_kind oci_ns_kinds[OCI_NAMESPACES];

struct oci_namespace {
	bool listed;	  /* false: inherit the runtime's */
	const char *path; /* NULL: make a new one */
};

struct oci_device {
	mode_t type;	  /* S_IFCHR, S_IFBLK, S_IFIFO */
	const char *path; /* absolute */
	int64_t major;
	int64_t minor;
	bool has_mode;
	mode_t mode; /* permission bits; 0666 when absent */
	uint32_t uid;
	uint32_t gid;
};

struct oci_net_device {
	const char *host_name;
	const char *name; /* name inside; host_name when absent */
};

struct oci_time_offset {
	bool set;
	int64_t secs;
	uint32_t nanosecs;
};

struct oci_device_rule {
	bool allow;
	char type;     /* 'a', 'b' or 'c' */
	int64_t major; /* -1: any */
	int64_t minor;
	bool r, w, m;
};

struct oci_hugepage_limit {
	const char *page_size;
	uint64_t limit;
};

struct oci_weight_device {
	int64_t major;
	int64_t minor;
	struct oci_u64 weight;
	struct oci_u64 leaf_weight;
};

struct oci_throttle_device {
	int64_t major;
	int64_t minor;
	uint64_t rate;
};

struct oci_throttle_list {
	const struct oci_throttle_device *items;
	size_t n;
};

struct oci_rdma {
	const char *device;
	struct oci_u64 handles;
	struct oci_u64 objects;
};

struct oci_net_priority {
	const char *name;
	uint32_t priority;
};

/* linux.resources; `update` reads the same. */
struct oci_resources {
	const struct oci_device_rule *devices;
	size_t ndevices;
	struct {
		struct oci_i64 limit, reservation, swap, kernel, kernel_tcp;
		struct oci_u64 swappiness;
		struct oci_bool disable_oom_killer, use_hierarchy,
			check_before_update;
	} memory;
	struct {
		struct oci_u64 shares, period, burst, realtime_period;
		struct oci_i64 quota, realtime_runtime, idle;
		const char *cpus;
		const char *mems;
	} cpu;
	struct oci_i64 pids_limit;
	struct {
		struct oci_u64 weight, leaf_weight;
		const struct oci_weight_device *weight_devices;
		size_t nweight_devices;
		struct oci_throttle_list read_bps, write_bps, read_iops,
			write_iops;
	} block_io;
	const struct oci_hugepage_limit *hugepage_limits;
	size_t nhugepage_limits;
	struct {
		struct oci_u64 class_id;
		const struct oci_net_priority *priorities;
		size_t npriorities;
	} network;
	const struct oci_rdma *rdma;
	size_t nrdma;
	const struct oci_annotation *unified; /* file -> value */
	size_t nunified;
};

struct oci_sysctl {
	const char *key;  /* as written, dots or slashes */
	const char *path; /* below /proc/sys, slashes */
	const char *value;
};

enum oci_seccomp_op {
	OCI_CMP_NE,
	OCI_CMP_LT,
	OCI_CMP_LE,
	OCI_CMP_EQ,
	OCI_CMP_GE,
	OCI_CMP_GT,
	OCI_CMP_MASKED_EQ,
};

struct oci_seccomp_arg {
	uint32_t index;
	uint64_t value;
	uint64_t value_two;
	enum oci_seccomp_op op;
};

struct oci_seccomp_rule {
	struct strings names;
	uint32_t action; /* SECCOMP_RET_…, errno already in its data */
	const struct oci_seccomp_arg *args;
	size_t nargs;
};

struct oci_seccomp {
	uint32_t default_action;       /* SECCOMP_RET_… with its data */
	const uint32_t *architectures; /* AUDIT_ARCH_… or OCI_ARCH_X32 */
	size_t narchitectures;
	bool has_flags; /* absent: SPEC_ALLOW */
	uint32_t flags; /* SECCOMP_FILTER_FLAG_… */
	const char *listener_path;
	const char *listener_metadata;
	const struct oci_seccomp_rule *rules;
	size_t nrules;
	bool fail_unknown; /* an unknown name is an error */
};

/* In the kernel x32 shares AUDIT_ARCH_X86_64; this value is our own. */
#define OCI_ARCH_X32 0x4000003eU

struct oci_intel_rdt {
	const char *clos_id;
	const char *l3_cache_schema;
	const char *mem_bw_schema;
	struct strings schemata;
	bool enable_monitoring;
};

struct oci_memory_policy {
	int mode;	   /* MPOL_… with MPOL_F_… flags or'ed in */
	const char *nodes; /* checked list, NULL when none */
};

struct oci_linux {
	struct oci_namespace namespaces[OCI_NAMESPACES];
	struct oci_id_maps uid_mappings;
	struct oci_id_maps gid_mappings;
	struct oci_time_offset monotonic, boottime;
	const struct oci_device *devices;
	size_t ndevices;
	const struct oci_net_device *net_devices;
	size_t nnet_devices;
	const char *cgroups_path;
	struct oci_resources resources;
	const char *rootfs_propagation_name; /* as written, NULL when absent */
	unsigned long rootfs_propagation; /* MS_SHARED… (| MS_REC), 0 absent */
	const struct oci_seccomp *seccomp; /* NULL: off */
	struct strings masked_paths;
	struct strings readonly_paths;
	const char *mount_label;
	const struct oci_sysctl *sysctls;
	size_t nsysctls;
	const struct oci_intel_rdt *intel_rdt;
	bool has_personality;
	unsigned long personality; /* PER_LINUX or PER_LINUX32 */
	const struct oci_memory_policy *memory_policy;
};

struct oci_spec {
	const char *version;
	const char *root_path; /* as written: absolute or below the bundle */
	bool root_readonly;
	const char *hostname;
	const char *domainname;
	const struct oci_process *process;
	const struct oci_mount *mounts;
	size_t nmounts;
	struct oci_hooks hooks;
	struct oci_annotations annotations;
	bool keep_groups; /* keep the caller's groups, ignore process.user's */
	struct oci_linux linux_;
	const char *json; /* the file as read, for the saved copy */
	size_t json_len;
};

/*
 * Read, parse and check config.json (name) below dir. This checks everything
 * that does not depend on the host; an error names the JSON path, the value and
 * the reason.
 */
int oci_spec_load(struct arena *arena, int dir, const char *name,
		  struct oci_spec *ret);
/* Like oci_spec_load, from text; for unit tests and fuzzers. */
int oci_spec_parse(struct arena *arena, const char *text, size_t len,
		   struct oci_spec *ret);
/* Read a process object (exec --process) from any readable descriptor. */
int oci_process_read(struct arena *arena, int fd, struct oci_process *ret);
/* Parse linux.resources alone, for `update`. */
int oci_resources_parse(struct arena *arena, const char *text,
			struct oci_resources *ret);
/* Return linux.resources of a config.json as text. */
int oci_resources_of(struct arena *arena, const struct oci_spec *spec,
		     const char **ret);
/*
 * Merge a change into resources, both as text: values stay if the change leaves
 * them out, or sets them to null or to a number that means unset. Device rules
 * always stay.
 */
int oci_resources_merge(struct arena *arena, const char *old,
			const char *change, const char **ret);

/* True if type or options say bind. */
bool oci_mount_is_bind(const struct oci_mount *mount);
/* The PATH of a container, and to find criu, if the variable is not set. */
#define OCI_DEFAULT_PATH \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
/* Return the last value of KEY in env, or NULL. */
const char *oci_env_get(const struct strings *env, const char *key);
const char *oci_annotation(const struct oci_annotations *a, const char *key);
/* True if the annotation gives access to files or groups of the host. */
bool oci_annotation_touches_host(const char *key);
/* The i-th annotation for which that is true; NULL after the last. */
const char *oci_annotation_of_host(size_t i);

/* Convert words to numbers, also for the command line; -1 if unknown. */
int oci_sysctl_owner(const char *path); /* "net/core/…": an enum oci_ns */
int oci_signal(const char *text);	/* "9", "KILL", "sigkill" */
/* Return "KILL" for 9; NULL for the real-time signals. */
const char *oci_signal_name(int number);
/* The largest number of CPUs that a kernel can be built for. */
#define OCI_MAX_CPUS 8192
/* Convert a list such as "0-3,7" to bits; -EINVAL with a recorded error. */
int oci_bit_list(const char *text, unsigned long *bits, size_t nbits);

/* ---- a container, on disk and for `state` ---- */

enum oci_status {
	OCI_CREATING,
	OCI_CREATED,
	OCI_RUNNING,
	OCI_PAUSED,
	OCI_STOPPED,
};

const char *oci_status_name(enum oci_status status);

struct oci_cgroup_path {
	const char *controllers; /* "cpu,cpuacct", "name=systemd", "" for v2 */
	const char *path;	 /* absolute, on the host */
	const char *below;	 /* the part of path that existed before */
	uint64_t inode;		 /* of path; 0: not made yet */
};

/*
 * The record in the state directory: the intent before the first effect (kept
 * is false), and the facts once the child is kept.
 */
struct oci_record {
	const char *version; /* of config.json */
	const char *id;
	const char *bundle;  /* absolute */
	const char *rootfs;  /* absolute */
	const char *created; /* RFC 3339 */
	uint32_t owner;	     /* uid that created it */
	const char *boot_id;
	bool kept;
	bool hooks_begun; /* create hooks have run: poststop is due */
	pid_t maker;	  /* the creating process; 0: unknown */
	uint64_t maker_start;
	pid_t pid;
	uint64_t start_time;
	uint64_t ns_inodes[OCI_NAMESPACES]; /* 0: not known */
	const struct oci_cgroup_path *cgroups;
	size_t ncgroups;
	pid_t supervisor; /* the parent of pid that stays; 0: none */
	uint64_t supervisor_start;
	const struct oci_cgroup_path *supervisor_cgroups;
	size_t nsupervisor_cgroups;
	bool sandbox;		   /* made by `sandlock`, which waits */
	bool enforced;		   /* has a policy: it cannot be without */
	bool own_cgroup;	   /* the runtime made it and removes it */
	const char *systemd_scope; /* its unit; NULL: not with systemd */
	bool systemd_user;	   /* of the user's manager */
	const char *rdt_group;	   /* its own group in resctrl; NULL: none */
	const char *rdt_monitor;
	struct oci_annotations annotations;
};

/* Convert a record to a compact JSON document, and back. */
int oci_record_write(struct arena *arena, const struct oci_record *record,
		     const char **ret_json, size_t *ret_len);
int oci_record_parse(struct arena *arena, const char *text, size_t len,
		     struct oci_record *ret);

/* Return the output of `state` (indented by two spaces, final newline). */
int oci_state_print(struct arena *arena, const struct oci_record *record,
		    enum oci_status status, const char **ret_json);
/* Return the input of hooks: only the specification's fields, compact. */
int oci_state_for_hook(struct arena *arena, const struct oci_record *record,
		       enum oci_status status, pid_t pid,
		       const char **ret_json);
/* Return the state that a seccomp agent gets with the listener. */
int oci_state_for_agent(struct arena *arena, const struct oci_record *record,
			enum oci_status status, pid_t pid, const char *metadata,
			const char **ret_json);

struct oci_list_row {
	const struct oci_record *record;
	enum oci_status status;
	const char *owner; /* name or number */
};
/* Return the output of `list -f json`: one compact line, "null" if empty. */
int oci_list_print(struct arena *arena, const struct oci_list_row *rows,
		   size_t n, const char **ret_json);

struct oci_template {
	bool rootless; /* for an unprivileged user */
	uid_t uid;     /* of that user */
	gid_t gid;
	bool cgroup_namespace;
};
/* Return the default config.json of `spec`. */
int oci_spec_template(struct arena *arena, const struct oci_template *wanted,
		      const char **ret_json);
/* Facts for `features` that come from other rooms. */
struct oci_feature_facts {
	const char *version; /* of the runtime */
	const char *commit;
	const char *libseccomp_version;
	struct strings mount_options;
	struct strings capabilities;
	struct strings seccomp_actions, seccomp_operators, seccomp_archs,
		seccomp_known_flags, seccomp_supported_flags;
};
int oci_features_print(struct arena *arena,
		       const struct oci_feature_facts *facts,
		       const char **ret_json);
