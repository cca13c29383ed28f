/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/plan.h - the list of everything that the child will do.
 *
 * A plan is data: a list of steps with strings, numbers and numbered slots for
 * descriptors. The parent makes it without any effect, so it can be printed.
 * When the effects have begun and the descriptors exist, plan_arm() puts them
 * into the slots, and the parent starts a child that walks the steps in order.
 * Only the slots and the two text buffers (HOME, the program found) are
 * writable.
 */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/kernel.h"
#include "oci/oci.h"

struct arena;
struct cgroup;
struct enforcement;
struct join;

enum step_op {
	/* namespaces and identity */
	STEP_SETNS,   /* in, flags: CLONE_NEW… */
	STEP_UNSHARE, /* flags; in: a network namespace made before, or -1 */
	STEP_FORK,    /* continue as a sibling of this process */
	STEP_STOP, /* number: word to send, or 0; wait for GO, flags times more */
	STEP_BECOME_ROOT,  /* of the user namespace; flags: KEEP_GROUPS */
	STEP_DUMPABLE,	   /* number: 0 or 1 */
	STEP_TIME_OFFSETS, /* text: lines for timens_offsets */
	STEP_JOIN_CGROUP, /* in: its tasks or cgroup.procs; ENOENT: slot empty */
	STEP_SETSID,
	STEP_LOOPBACK,	 /* in: as for STEP_UNSHARE; lo is up there */
	STEP_HOSTNAME,	 /* text */
	STEP_DOMAINNAME, /* text */
	STEP_KEYRING,	 /* text: name; join a new session keyring */
	/* root and mounts (child/mount.c) */
	STEP_PROPAGATION, /* flags: MS_…, of / before the pivot, of the new root after it */
	STEP_ROOTFS, /* text: path, flags: MS_… of /, out: clone it onto itself */
	STEP_ATTACH_ROOT, /* in: a new file system, text: the directory it covers */
	STEP_ROOT_HERE,	  /* text: path, out: open it; no mount namespace */
	STEP_MOUNT_POINT, /* text, flags: POINT_…, out: O_PATH */
	STEP_FSMOUNT,	  /* fs, in: mount point (mode), out: detached mount */
	STEP_FRESH_MOUNT, /* fs, text: in `in`, a new mount of the runtime */
	STEP_RECONFIGURE, /* fs, in: change the parameters of this mount */
	STEP_CLONE_TREE, /* text on the host or below in, flags: AT_RECURSIVE, out */
	STEP_SOURCE,	  /* out: ask the parent, unless the slot is filled */
	STEP_NEED_CGROUP, /* in: go to on_denied if the slot is empty */
	STEP_SETATTR,	  /* in, attr, flags: AT_RECURSIVE */
	STEP_MOVE_MOUNT,  /* in onto in2 */
	STEP_COPY_UP,	  /* contents of in2 (a directory) into in (a mount) */
	STEP_COPY_SYMLINK, /* text: destination, text2: source link on the host */
	STEP_MKNOD,	   /* text, node */
	STEP_SYMLINK,  /* text: path, text2: target; keep an existing file */
	STEP_OWN_FILE, /* text: path in a new root, text2: contents, out: open */
	STEP_COVER,    /* in: such a file, text: what it covers, read-only */
	STEP_MASK,     /* text */
	STEP_READONLY_PATH, /* text */
	STEP_OWN_MOUNT,	    /* text: stays writable in a read-only root */
	STEP_CONSOLE, /* make the pty, bind /dev/console, send the master */
	STEP_PIVOT,
	STEP_MOVE_ROOT, /* --no-pivot */
	STEP_CHROOT,
	STEP_ENTER_ROOT, /* exec: chroot to in after setns */
	STEP_SYSCTL,	 /* text: below /proc/sys, text2: value */
	STEP_MAKE_CWD,	 /* text: make the directory if it is missing */
	/* the process (child/process.c) */
	STEP_WRITE_PROC,    /* text: below /proc/, text2: value */
	STEP_AFFINITY,	    /* cpus */
	STEP_SCHEDULER,	    /* sched */
	STEP_IO_PRIORITY,   /* number */
	STEP_MEMORY_POLICY, /* number: mode, cpus: nodes */
	STEP_PERSONALITY,   /* number */
	STEP_STDIO_OWNER,   /* user: give it 0-2 if they are pipes or sockets */
	STEP_STDIO_NULL, /* 0-2 that are the host's /dev/null: reopen inside */
	STEP_HOME,	 /* number: uid, buffer: "HOME=" + entry in passwd */
	STEP_UMASK,	 /* number */
	STEP_NO_HUGE_PAGES,
	STEP_NO_NEW_PRIVS,
	STEP_BOUNDING,	   /* caps */
	STEP_USER,	   /* user, flags: KEEP_GROUPS */
	STEP_CAPS,	   /* caps */
	STEP_CWD,	   /* text, flags: CWD_TRY */
	STEP_FIND_PROGRAM, /* exec */
	STEP_DEATH_SIGNAL, /* die with the parent; after changes of user */
	STEP_GATE,	   /* in: listening socket; wait for `start` */
	STEP_RLIMIT,	   /* rlimit */
	STEP_PRESERVE_FDS, /* number: 3 to 2+number stay open */
	STEP_REAPER,	   /* reaper; continue in a child, reap here */
	STEP_LAST_WORD,	   /* exec: send EXEC, unless it is our own binary */
	STEP_LANDLOCK, /* in: a ruleset, flags: LANDLOCK_RESTRICT_SELF_… */
	STEP_SECCOMP,  /* filter */
	STEP_EXEC,     /* exec */
	STEP_MAX,
};

/* STEP_MOUNT_POINT */
#define POINT_FILE 1	    /* make a file, not a directory */
#define POINT_PLAIN 2	    /* follow no symbolic links (proc, sysfs) */
#define POINT_NOFOLLOW 4    /* dest-nofollow: the link itself */
#define POINT_LIKE_SOURCE 8 /* file or directory like the mount in `in` */
#define POINT_FRESH 16	    /* directly in `in`, a new mount of the runtime */
#define POINT_NEW_ROOT 32   /* in a new root: no mount or link in its path */

/* STEP_FRESH_MOUNT: EBUSY if it cannot be made; other steps do it then */
#define FRESH_TRY 1

/* STEP_CLONE_TREE: fail if the path now contains a link */
#define CLONE_PLAIN 1

/* STEP_PIVOT: the host's mounts are still shared with the host */
#define PIVOT_SHARED 1

/* STEP_CWD before the change of user: the user may enter what root may not */
#define CWD_TRY 1

/* STEP_BECOME_ROOT, STEP_USER: no setgroups(2) */
#define KEEP_GROUPS 1

/* Numbered places for descriptors, filled by plan_arm or by steps. */
enum slot {
	SLOT_NONE,
	SLOT_PROC,	 /* the runtime's own /proc */
	SLOT_ROOT,	 /* the rootfs */
	SLOT_POINT,	 /* the current mount point */
	SLOT_TREE,	 /* the current mount */
	SLOT_NEW_PROC,	 /* the container's procfs, until something covers it */
	SLOT_NULL_MASK,	 /* a mount of the real null device */
	SLOT_EMPTY_MASK, /* an empty read-only tmpfs */
	SLOT_GATE,
	SLOT_CONSOLE, /* the pty's slave */
	SLOT_USERNS,
	SLOT_RULESET,	/* the Landlock ruleset to enforce */
	SLOT_CGROUP,	/* the v2 directory of the first clone */
	SLOT_NAMESPACE, /* the first to join, in the order of enum oci_ns */
	SLOT_FREE = SLOT_NAMESPACE + OCI_NAMESPACES, /* for plan_slot() */
};

struct step_fs {
	const char *type;
	const char *source;		     /* NULL: the type */
	const struct oci_annotation *params; /* value NULL: a flag */
	size_t nparams;
	unsigned int attrs; /* MOUNT_ATTR_… */
	bool mode_of_point; /* tmpfs without mode= */
	const char *data;   /* STEP_FRESH_MOUNT: all parameters, for mount(2) */
};

struct step_caps {
	uint64_t bounding, effective, inheritable, permitted, ambient;
	bool keep_admin; /* keep CAP_SYS_ADMIN until exec, for the filter */
};

struct step_exec {
	const char *name; /* args[0] */
	const char *path; /* value of PATH, NULL when absent */
	char *const *argv;
	char **envp;
	char *found;   /* PATH_MAX bytes, filled by STEP_FIND_PROGRAM */
	dev_t own_dev; /* the runtime's own binary, which must not run inside */
	ino_t own_ino;
};

struct step {
	uint16_t op;
	bool skip_missing;     /* ENOENT is success */
	uint32_t on_denied;    /* step after EPERM, EACCES, EBUSY; 0: fail */
	uint32_t next;	       /* continue with this step; 0: the next one */
	uint16_t in, in2, out; /* slots */
	uint32_t flags;
	int64_t number;
	const char *place; /* where in config.json, for errors; may be NULL */
	const char *text;
	const char *text2;
	union {
		const struct step_fs *fs;
		struct kernel_mount_attr attr;
		struct {
			mode_t mode;
			uint32_t major, minor, uid, gid;
		} node;
		const struct oci_user *user;
		const struct step_caps *caps;
		struct {
			int type;
			struct rlimit value;
		} rlimit;
		const struct oci_scheduler *sched;
		struct {
			const unsigned long *bits;
			size_t nbits;
		} cpus;
		struct {
			const struct sock_filter *code;
			size_t len;
			uint32_t flags;
			bool notifies;
		} filter;
		const struct step_exec *exec;
		struct {
			char *text;
			size_t size;
		} buffer;
		struct {
			char *command_line; /* our arguments, to be cleared */
			size_t size;
			int *signal;   /* shared: what killed the program */
			bool terminal; /* put it into the foreground */
		} reaper;
		struct {
			uint16_t height, width;
			bool has_size;
			uint32_t uid;
			bool mount; /* bind it on /dev/console */
		} console;
	};
};

/*
 * A tree that the parent clones for the child, because the child's user
 * namespace could not open it, or because it is to be idmapped. Late ones need
 * the container's new user namespace and are sent with the answer to UNMAPPED.
 * The child asks for a source that only an earlier mount provides
 * (STEP_SOURCE).
 */
struct plan_source {
	uint16_t slot;
	const char *path;  /* on the host, or inside root */
	const char *root;  /* of a container, not trusted; NULL: the host's */
	const char *place; /* "mounts[3]" */
	const struct oci_device *device; /* make this node, with host ids */
	bool in_turn;			 /* open it after earlier mounts */
	bool asked;			 /* the plan has a STEP_SOURCE for it */
	bool recursive;
	bool nofollow;	      /* open a symbolic link itself */
	bool plain;	      /* follow no symbolic links */
	bool cut_off;	      /* private; else a slave of the host's mount */
	bool locked;	      /* flags of the host cannot be cleared inside */
	bool idmap;	      /* idmap it */
	bool idmap_recursive; /* idmap mounts below it, too */
	bool late;	      /* idmap by the container's user namespace */
	struct oci_id_maps uid_mappings, gid_mappings; /* else by these */
};

struct plan {
	struct arena *arena;
	struct step *steps;
	size_t nsteps;
	size_t cap;
	int *slots; /* armed descriptors, -1 where empty */
	size_t nslots;
	struct plan_source *sources;
	size_t nsources;
	int link;	      /* SOCK_SEQPACKET to the parent, close-on-exec */
	uint64_t ignored;     /* signals that the parent ignores, as a mask */
	uint64_t clone_flags; /* CLONE_NEW… of the first clone3 */
	bool into_cgroup;     /* the first clone3 enters SLOT_CGROUP */
	bool late_cgroups;    /* made while the child works; it joins later */
	bool early_network;   /* it can enter a network made before */
	bool awaits_cgroups;  /* while building: it has not joined yet */
	const struct cgroup *cgroup; /* as planned; each member has a slot */
	uint16_t cgroup_slot;	     /* the first of these slots */
	bool failed; /* out of memory while building; plan_close checks it */
};

/* ---- building ---- */

int plan_open(struct arena *arena, struct plan *ret);
/*
 * Add a step. Never NULL: if out of memory, plan->failed is set and the caller
 * may write to a step that is not used.
 */
struct step *plan_add(struct plan *plan, enum step_op op);
/* The number of the next step to be added, for on_denied and next. */
uint32_t plan_here(const struct plan *plan);
/* Reserve a slot. */
uint16_t plan_slot(struct plan *plan);
struct plan_source *plan_add_source(struct plan *plan);
/* Return the recorded error if plan->failed is set. */
int plan_close(struct plan *plan);

/* ---- arming ---- */

/*
 * Descriptors that exist only after the first effect; -1 or NULL: the plan has
 * no slot for it.
 */
struct plan_descriptors {
	const struct join *join;
	const struct cgroup *cgroup; /* as made; members may be missing */
	int gate;
	int root;
	int ruleset;
};

/* Copy a plan, with slots of its own: arming the copy leaves the plan as it is. */
int plan_copy(const struct plan *plan, struct plan *ret);
/* Fill the slots that the steps name, and nothing else. */
void plan_arm(struct plan *plan, const struct plan_descriptors *with);
/* Fill those of late cgroups, for launch_send_cgroups. */
void plan_arm_cgroups(struct plan *plan, const struct cgroup *made);

/* ---- as text ---- */

const char *step_name(enum step_op op);
/* Describe a step for errors: "mount proc on /proc". */
const char *step_describe(struct arena *arena, const struct step *step);
/* Describe a step and its place in config.json, as one line of a plan. */
const char *step_line(struct arena *arena, const struct step *step);
/* Describe the first clone as one line of a plan. */
const char *plan_clone_line(struct arena *arena, const struct plan *plan);
/* Describe what a policy adds beside the steps, one line for each rule. */
int plan_policy_lines(struct arena *arena,
		      const struct enforcement *enforcement,
		      struct strings *ret);
/* Describe the whole plan, one line for each step. */
int plan_print(struct arena *arena, const struct plan *plan,
	       const char **ret_text);
