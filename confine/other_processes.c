/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/other_processes.c - rules for calls that change processes and files
 * outside without a signal or a write.
 *
 * A filter cannot tell whether a pid is inside, so only 0, the caller itself,
 * is allowed. sched_setaffinity is not listed: the C libraries pass ids of
 * their own threads, and it can only slow other processes down.
 */
#include "confine/other_processes.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/msdos_fs.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "confine/calls.h"
#include "confine/confine.h"
#include "confine/rules.h"

#define IOPRIO_WHO_PROCESS 1 /* linux/ioprio.h is too new */
#define SETS_ID (S_ISUID | S_ISGID)
#define MAKES_FILE (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
#define TYPE_EXT 'f' /* also encryption and verity, of any file system */
#define TYPE_BTRFS 0x94
#define TYPE_F2FS 0xf5
#define OF_TYPE(type) BITS(1, 0xff00, (type) << 8)

/* Deny new limits; reading those of other processes is allowed. */
static const struct bpf_rule prlimit_rules[] = {
	RULE(ALLOW, WORD(0, 0)),
	RULE(ALLOW, { .arg = 2, .op = OCI_CMP_MASKED_EQ, .mask = UINT64_MAX }),
};

static const struct bpf_rule priority_rules[] = {
	RULE(ALLOW, WORD(0, PRIO_PROCESS), WORD(1, 0)),
};

static const struct bpf_rule io_priority_rules[] = {
	RULE(ALLOW, WORD(0, IOPRIO_WHO_PROCESS), WORD(1, 0)),
};

static const struct bpf_rule scheduler_rules[] = {
	RULE(ALLOW, WORD(0, 0)),
};

const struct others_call others_processes[] = {
	{ "prlimit64", prlimit_rules, COUNT(prlimit_rules) },
	{ "setpriority", priority_rules, COUNT(priority_rules) },
	{ "ioprio_set", io_priority_rules, COUNT(io_priority_rules) },
	{ "sched_setscheduler", scheduler_rules, COUNT(scheduler_rules) },
	{ "sched_setparam", scheduler_rules, COUNT(scheduler_rules) },
	{ "sched_setattr", scheduler_rules, COUNT(scheduler_rules) },
};

const size_t others_nprocesses = COUNT(others_processes);

#define FAST_OPEN(index) RULE(REFUSE, BITS(index, MSG_FASTOPEN, MSG_FASTOPEN))

static const struct bpf_rule flags_third[] = { FAST_OPEN(2) };
static const struct bpf_rule flags_fourth[] = { FAST_OPEN(3) };

const struct others_call others_sends[] = {
	{ "sendto", flags_fourth, COUNT(flags_fourth) },
	{ "sendmsg", flags_third, COUNT(flags_third) },
	{ "sendmmsg", flags_fourth, COUNT(flags_fourth) },
};

const size_t others_nsends = COUNT(others_sends);

/*
 * The kernel uses 16 bits of a mode. mkdir is not listed: it ignores S_ISUID
 * and S_ISGID. Unless open creates a file, the mode is unused and may be junk.
 */
#define WITHOUT_IDS(index) RULE(ALLOW, BITS(index, SETS_ID, 0))

static const struct bpf_rule mode_second[] = { WITHOUT_IDS(1) };
static const struct bpf_rule mode_third[] = { WITHOUT_IDS(2) };

static const struct bpf_rule open_rules[] = {
	RULE(ALLOW, BITS(1, MAKES_FILE, 0)),
	WITHOUT_IDS(2),
};

static const struct bpf_rule openat_rules[] = {
	RULE(ALLOW, BITS(2, MAKES_FILE, 0)),
	WITHOUT_IDS(3),
};

const struct others_call others_modes[] = {
	{ "chmod", mode_second, COUNT(mode_second) },
	{ "fchmod", mode_second, COUNT(mode_second) },
	{ "fchmodat", mode_third, COUNT(mode_third) },
	{ "fchmodat2", mode_third, COUNT(mode_third) },
	{ "mknod", mode_second, COUNT(mode_second) },
	{ "mknodat", mode_third, COUNT(mode_third) },
	{ "creat", mode_second, COUNT(mode_second) },
	{ "open", open_rules, COUNT(open_rules) },
	{ "openat", openat_rules, COUNT(openat_rules) },
};

const size_t others_nmodes = COUNT(others_modes);

/*
 * The effects of these outlast the sandbox: faked input, another line
 * discipline, a terminal that other users cannot open. The last three need
 * CAP_SYS_ADMIN, which a bundle may have. TIOCSCTTY is not listed: programs
 * often pass the argument that steals a terminal without meaning to, and
 * stealing needs that capability, too.
 */
static const struct bpf_rule terminal_rules[] = {
	RULE(REFUSE, WORD(1, TIOCSTI)),
	RULE(REFUSE, WORD(1, TIOCLINUX)),
	RULE(REFUSE, WORD(1, TIOCSETD)),
	RULE(REFUSE, WORD(1, TIOCEXCL)),
	RULE(REFUSE, WORD(1, TIOCCONS)),
	RULE(REFUSE, WORD(1, TIOCVHANGUP)),
	RULE(REFUSE, WORD(1, TIOCSLCKTRMIOS)),
};

const struct others_call others_terminal = {
	"ioctl",
	terminal_rules,
	COUNT(terminal_rules),
};

bool confine_is_terminal(uint64_t request)
{
	for (size_t i = 0; i < COUNT(terminal_rules); i++)
		if (terminal_rules[i].cmps[0].value == (uint32_t)request)
			return true;
	return false;
}

/*
 * The owner of a file may do these with a read-only descriptor, and Landlock
 * does not check them: flags, versions, verity, subvolumes. Requests that copy
 * or only read are allowed.
 */
static const struct bpf_rule ioctl_rules[] = {
	RULE(REFUSE, WORD(1, FS_IOC_FSSETXATTR)),
	RULE(REFUSE, WORD(1, FS_IOC_SETVERSION)),
	RULE(REFUSE, WORD(1, FAT_IOCTL_SET_ATTRIBUTES)),
	RULE(ALLOW, WORD(1, FS_IOC_GETFLAGS)),
	RULE(ALLOW, WORD(1, FS_IOC_FIEMAP)),
	RULE(REFUSE, OF_TYPE(TYPE_EXT)),
	RULE(ALLOW, WORD(1, FICLONE)),
	RULE(ALLOW, WORD(1, FICLONERANGE)),
	RULE(ALLOW, WORD(1, FIDEDUPERANGE)),
	RULE(REFUSE, OF_TYPE(TYPE_BTRFS)),
	RULE(REFUSE, OF_TYPE(TYPE_F2FS)),
};

const struct others_call others_ioctl = {
	"ioctl",
	ioctl_rules,
	COUNT(ioctl_rules),
};

const char *confine_process_call(uint32_t arch, uint64_t number)
{
	for (size_t i = 0; i < COUNT(others_processes); i++)
		if (call_number(arch, others_processes[i].name) == (int)number)
			return others_processes[i].name;
	return NULL;
}
