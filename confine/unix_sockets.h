/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/unix_sockets.h - the Unix sockets that processes of the host have
 * bound to files, and where those files are.
 *
 * The kernel lists them (sock_diag(7)), so nobody must search directories. It
 * knows the name at the time of bind(), the device and the inode; the present
 * place has to be found.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct mountinfo;

/* A directory that a sandbox shows, as a part of its file system. */
struct unix_tree {
	uint32_t device; /* MOUNTINFO_DEVICE */
	const char *path;
	const char *place; /* where it is mounted, for messages */
	bool walked;	   /* it may contain names of a socket to search for */
};

struct unix_trees {
	struct unix_tree *items;
	size_t n;
};

enum unix_state {
	UNIX_LOST,   /* its file was not found */
	UNIX_FOUND,  /* at `path` of `device` */
	UNIX_LINKED, /* there, and under other names that are unknown */
	UNIX_CLOSED, /* perhaps where it was bound; the caller cannot look */
	UNIX_GONE,   /* its file is removed */
};

struct unix_socket {
	const char *name; /* as it was bound; "": unknown */
	bool identified;  /* device and inode are known */
	uint32_t device;
	uint32_t inode;	 /* its low 32 bits */
	uint32_t number; /* of the socket itself */
	pid_t process;	 /* the first of its network namespace; 0: ours */
	enum unix_state state;
	const char *path;  /* inside its file system */
	bool searched_for; /* a tree is walked because of it */
};

/* Sockets on the devices of the trees, and those of unknown devices. */
struct unix_sockets {
	const struct unix_trees *trees; /* NULL: on all devices */
	struct unix_socket *items;
	size_t n, size;
};

struct unix_process {
	pid_t id;
	pid_t first; /* of the same network namespace; 0: it is ours */
};

struct unix_processes {
	struct unix_process *items;
	size_t n, size;
	struct unix_sockets *bound; /* in their namespaces; NULL: not listed */
};

/*
 * Find all visible processes and their network namespaces, and list the sockets
 * of these. It takes some microseconds for each, so do it while others are
 * working. proc is the runtime's own /proc. skipped: the process of a container
 * that is being made, in a new network namespace; or 0.
 */
int unix_survey(struct arena *arena, int proc, pid_t skipped,
		struct unix_processes *ret);
/*
 * Find the files of the sockets in the network namespaces of these processes; mark the trees that must be walked nevertheless.
 */
int unix_sockets_find(struct arena *arena, int proc,
		      const struct unix_processes *processes,
		      struct unix_trees *trees, struct unix_sockets *ret);
/* Add a socket, unless it is on a device without a tree. */
int unix_sockets_add(struct arena *arena, struct unix_sockets *list,
		     const struct unix_socket *socket);

/* ---- unix_diag.c: the kernel's list of one network namespace ---- */

/*
 * List those of the caller's namespace; -errno without a recorded error if the
 * kernel has no such list.
 */
int unix_diag_list(struct arena *arena, pid_t process,
		   struct unix_sockets *list);
/*
 * Add the sockets of one answer; 1 at the end of the list, 0 if another answer
 * follows.
 */
int unix_diag_parse(struct arena *arena, const void *answer, size_t len,
		    pid_t process, struct unix_sockets *list);

/* ---- unix_names.c: /proc/PID/net/unix, which has names alone ---- */

int unix_names_list(struct arena *arena, int proc, pid_t process,
		    struct unix_sockets *list);
/* The text is modified. */
int unix_names_parse(struct arena *arena, char *text, pid_t process,
		     struct unix_sockets *list);

/* ---- unix_namespaces.c: the network namespaces of all processes ---- */

/* List the sockets of our own namespace and of those of these processes. */
int unix_namespaces_list(struct arena *arena, int proc,
			 const struct unix_processes *processes,
			 struct unix_sockets *list);

/* ---- unix_resolve.c, unix_owners.c: from a name to a file ---- */

struct unix_resolver {
	struct arena *arena;
	int proc;
	const struct unix_processes *processes;
	struct unix_sockets *list;
	struct mountinfo *own; /* read on first use */
	struct mountinfo *last;
	pid_t last_process;   /* whose mounts are in `last` */
	const char *dir;      /* the last directory of a name */
	const char *real_dir; /* the same without links */
};

/*
 * True if this file is the one that the kernel knows of; without a device and
 * an inode, any socket is.
 */
bool unix_socket_is(const struct unix_socket *socket, uint32_t device,
		    mode_t mode, uint64_t inode);
void unix_resolve(struct unix_resolver *r);
/* Find those that are lost through the processes that have them open. */
void unix_owners_resolve(struct unix_resolver *r);
/*
 * Record where an open file of a process is (0: of our own namespace), if it is
 * the socket; certain: it is.
 */
void unix_resolve_file(struct unix_resolver *r, struct unix_socket *socket,
		       int fd, pid_t process, bool certain);
/* Return the mounts of a process, 0: our own; NULL if unknown. */
const struct mountinfo *unix_resolve_mounts(struct unix_resolver *r,
					    pid_t process);
