/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/plan.c - build a plan and fill its slots. */
#include "runtime/plan/plan.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/cgroup.h"
#include "runtime/plan/join.h"

#define FIRST_STEPS 128
#define MAX_SLOTS 4096

static const char *const names[STEP_MAX] = {
	[STEP_SETNS] = "join namespace",
	[STEP_UNSHARE] = "create namespaces",
	[STEP_FORK] = "fork into the new namespaces",
	[STEP_STOP] = "wait for the runtime",
	[STEP_BECOME_ROOT] = "become root in the user namespace",
	[STEP_DUMPABLE] = "set the dumpable attribute",
	[STEP_TIME_OFFSETS] = "set time offsets",
	[STEP_JOIN_CGROUP] = "join cgroup",
	[STEP_SETSID] = "start a new session",
	[STEP_LOOPBACK] = "bring up the loopback interface lo",
	[STEP_HOSTNAME] = "set the host name",
	[STEP_DOMAINNAME] = "set the domain name",
	[STEP_KEYRING] = "join the session keyring",
	[STEP_PROPAGATION] = "set the mount propagation of the root to",
	[STEP_ROOTFS] = "bind-mount the root file system",
	[STEP_ATTACH_ROOT] = "mount the new root file system on",
	[STEP_ROOT_HERE] = "open the root file system",
	[STEP_MOUNT_POINT] = "prepare mount point",
	[STEP_FSMOUNT] = "mount",
	[STEP_FRESH_MOUNT] = "mount",
	[STEP_RECONFIGURE] = "change the options of the file system mounted on",
	[STEP_CLONE_TREE] = "open mount source",
	[STEP_SOURCE] = "request the source of the mount on",
	[STEP_NEED_CGROUP] = "look for the cgroup to mount on",
	[STEP_SETATTR] = "change the flags of the mount on",
	[STEP_MOVE_MOUNT] = "attach the mount on",
	[STEP_COPY_UP] = "copy the files that the tmpfs hides at",
	[STEP_COPY_SYMLINK] = "copy symbolic link",
	[STEP_MKNOD] = "create device node",
	[STEP_SYMLINK] = "create symbolic link",
	[STEP_OWN_FILE] = "create file",
	[STEP_COVER] = "mount the sandbox's own file on",
	[STEP_MASK] = "mask",
	[STEP_READONLY_PATH] = "make read-only",
	[STEP_OWN_MOUNT] = "keep writable",
	[STEP_CONSOLE] = "set up the console",
	[STEP_PIVOT] = "pivot root into the container's file system",
	[STEP_MOVE_ROOT] = "move to / the root file system",
	[STEP_CHROOT] = "change the root directory to the container's",
	[STEP_ENTER_ROOT] = "enter the container's root file system",
	[STEP_SYSCTL] = "set sysctl",
	[STEP_MAKE_CWD] = "create working directory",
	[STEP_WRITE_PROC] = "write",
	[STEP_AFFINITY] = "set CPU affinity",
	[STEP_SCHEDULER] = "set scheduler",
	[STEP_IO_PRIORITY] = "set I/O priority",
	[STEP_MEMORY_POLICY] = "set memory policy",
	[STEP_PERSONALITY] = "set personality",
	[STEP_STDIO_OWNER] = "give the standard streams to",
	[STEP_STDIO_NULL] = "reopen the container's /dev/null",
	[STEP_HOME] = "find the home directory in /etc/passwd",
	[STEP_UMASK] = "set umask",
	[STEP_NO_HUGE_PAGES] = "disable transparent huge pages",
	[STEP_NO_NEW_PRIVS] = "set no_new_privs",
	[STEP_BOUNDING] = "reduce the bounding capabilities to",
	[STEP_USER] = "switch to user",
	[STEP_CAPS] = "set capabilities",
	[STEP_CWD] = "chdir to cwd",
	[STEP_FIND_PROGRAM] = "find program",
	[STEP_DEATH_SIGNAL] = "set parent-death signal",
	[STEP_GATE] = "wait for start",
	[STEP_RLIMIT] = "set resource limit",
	[STEP_PRESERVE_FDS] = "keep the descriptors of --preserve-fds open",
	[STEP_REAPER] =
		"start the program below process 1, which reaps its children",
	[STEP_LAST_WORD] = "exec",
	[STEP_LANDLOCK] = "enforce the rules of the policy",
	[STEP_SECCOMP] = "install seccomp filter",
	[STEP_EXEC] = "exec",
};

int plan_open(struct arena *arena, struct plan *ret)
{
	struct step *steps = arena_array(arena, FIRST_STEPS, sizeof *steps);
	int *slots = arena_array(arena, MAX_SLOTS, sizeof *slots);

	if (!steps || !slots)
		return -ENOMEM;
	for (size_t i = 0; i < MAX_SLOTS; i++)
		slots[i] = -1;
	*ret = (struct plan){
		.arena = arena,
		.steps = steps,
		.cap = FIRST_STEPS,
		.slots = slots,
		.nslots = SLOT_FREE,
		.link = -1,
	};
	return 0;
}

struct step *plan_add(struct plan *plan, enum step_op op)
{
	struct step *step;

	if (plan->nsteps == plan->cap) {
		struct step *grown = arena_grow(plan->arena, plan->steps,
						plan->nsteps, plan->cap * 2,
						sizeof *grown);

		if (!grown) {
			/*
			 * The caller overwrites the last step; plan_close
			 * reports it.
			 */
			plan->failed = true;
			return &plan->steps[plan->nsteps - 1];
		}
		plan->steps = grown;
		plan->cap *= 2;
	}
	step = &plan->steps[plan->nsteps++];
	*step = (struct step){ .op = (uint16_t)op };
	return step;
}

uint32_t plan_here(const struct plan *plan)
{
	return (uint32_t)plan->nsteps;
}

uint16_t plan_slot(struct plan *plan)
{
	if (plan->nslots == MAX_SLOTS) {
		plan->failed = true;
		return SLOT_NONE;
	}
	return (uint16_t)plan->nslots++;
}

struct plan_source *plan_add_source(struct plan *plan)
{
	struct plan_source *grown =
		arena_grow(plan->arena, plan->sources, plan->nsources,
			   plan->nsources + 1, sizeof *grown);

	if (!grown) {
		plan->failed = true;
		return NULL;
	}
	plan->sources = grown;
	return &plan->sources[plan->nsources++];
}

int plan_close(struct plan *plan)
{
	if (plan->failed)
		return fail(ENOMEM,
			    "config.json has too many mounts and devices");
	return 0;
}

int plan_copy(const struct plan *plan, struct plan *ret)
{
	int *slots = arena_array(plan->arena, plan->nslots, sizeof *slots);

	if (!slots)
		return -ENOMEM;
	memcpy(slots, plan->slots, plan->nslots * sizeof *slots);
	*ret = *plan;
	ret->slots = slots;
	return 0;
}

void plan_arm_cgroups(struct plan *plan, const struct cgroup *made)
{
	const struct cgroup *placed = plan->cgroup;

	for (size_t i = 0; i < placed->n; i++)
		for (size_t k = 0; k < made->n; k++) {
			const struct cgroup_member *m = &made->items[k];

			if (!streq(m->path, placed->items[i].path))
				continue;
			plan->slots[plan->cgroup_slot + i] = m->join;
			if (m->v2)
				plan->slots[SLOT_CGROUP] = m->dir;
		}
}

void plan_arm(struct plan *plan, const struct plan_descriptors *with)
{
	for (int i = 0; i < OCI_NAMESPACES; i++)
		plan->slots[SLOT_NAMESPACE + i] = with->join->fds[i];
	if (plan->cgroup && with->cgroup)
		plan_arm_cgroups(plan, with->cgroup);
	plan->slots[SLOT_GATE] = with->gate;
	plan->slots[SLOT_ROOT] = with->root;
	plan->slots[SLOT_RULESET] = with->ruleset;
}

const char *step_name(enum step_op op)
{
	return op < STEP_MAX && names[op] ? names[op] : "unknown step";
}
