/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/child/process.c - give the child the scheduling, user, capabilities
 * and directory of config.json.
 *
 * On entry the child sees the container's files and is root of the user
 * namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/proc.h"
#include "base/root.h"
#include "base/sys.h"
#include "runtime/child/child.h"

#define IOPRIO_WHO_PROCESS 1
#define PASSWD_MAX (1 << 20)
#define NULL_DEVICE makedev(1, 3)

static int write_proc(struct child *child, const struct step *step)
{
	autoclose int fd =
		proc_open_at(child->slots[SLOT_PROC], step->text, O_WRONLY);
	size_t len = strlen(step->text2);

	if (fd < 0)
		return -1;
	return write(fd, step->text2, len) == (ssize_t)len ? 0 : -1;
}

static int set_scheduler(struct child *child, const struct oci_scheduler *s)
{
	struct kernel_sched_attr attr = {
		.size = sizeof attr,
		.sched_policy = s->policy,
		.sched_flags = s->flags,
		.sched_nice = s->nice,
		.sched_priority = (uint32_t)s->priority,
		.sched_runtime = s->runtime,
		.sched_deadline = s->deadline,
		.sched_period = s->period,
	};

	if (syscall(SYS_sched_setattr, 0, &attr, 0) == 0)
		return 0;
	if (errno == EPERM)
		child_note(child, "requires CAP_SYS_NICE, and a cgroup with "
				  "realtime budget and all CPUs");
	if (errno == EINVAL)
		child_note(child, s->policy == SCHED_DEADLINE ?
					  "the period is outside "
					  "/proc/sys/kernel/"
					  "sched_deadline_period_{min,max}_us, "
					  "or a flag is unknown" :
					  "the kernel does not support this "
					  "policy, or not with these flags");
	if (errno == EBUSY)
		child_note(child, "runtime and period request more CPU time "
				  "than the kernel grants to deadlines");
	return -1;
}

static bool is_null(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == NULL_DEVICE;
}

static int look_at_stdio(struct child *child, int fd, bool *ret_null)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	child->stdio_is_pipe[fd] = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	*ret_null = is_null(&st);
	return 0;
}

/*
 * Give pipes and sockets to the container's user, so that it can reopen
 * /dev/stdout. Devices and files are shared with the host and keep their owner.
 */
static int hand_over_stdio(struct child *child, const struct oci_user *user)
{
	bool null;

	for (int fd = 0; fd <= 2; fd++) {
		if (!child->knows_stdio && look_at_stdio(child, fd, &null) < 0)
			return -1;
		if (!child->stdio_is_pipe[fd])
			continue;
		/*
		 * fchown fails for a pipe that belongs to another user
		 * namespace.
		 */
		(void)fchown(fd, user->uid, (gid_t)-1);
	}
	return 0;
}

/*
 * Errors that files of an image can cause; all others are errors of the host.
 */
static bool is_absent(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP ||
	       error == EACCES || error == ENXIO || error == ENODEV ||
	       error == EXDEV;
}

/*
 * A descriptor of the host's null device would lead to a host mount, so open
 * the container's. Check the file first: opening some devices has side effects.
 */
static int open_null(void)
{
	static const char path[] = "/dev/null";
	autoclose int null = -1;
	struct stat st;

	errno = ENODEV;
	if (fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !is_null(&st))
		return -1;
	null = open(path, O_RDWR | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	if (null < 0 || fstat(null, &st) < 0)
		return -1;
	errno = ENODEV;
	return is_null(&st) ? take_fd(&null) : -1;
}

static int reopen_null(struct child *child)
{
	autoclose int null = -1;

	for (int fd = 0; fd <= 2; fd++) {
		bool reopen;

		if (look_at_stdio(child, fd, &reopen) < 0)
			return -1;
		if (!reopen)
			continue;
		if (null < 0)
			null = open_null();
		if (null < 0)
			return is_absent(errno) ? 0 : -1;
		if (dup2(null, fd) < 0)
			return -1;
	}
	child->knows_stdio = true;
	return 0;
}

struct reader {
	int fd;
	size_t left; /* bytes that may still be read, of PASSWD_MAX */
	bool failed;
	char bytes[512];
	size_t at, len;
};

/* Return the next byte, or -1 at the end. */
static int next_byte(struct reader *r)
{
	if (r->at == r->len) {
		ssize_t n;

		if (r->left == 0)
			return -1;
		n = read(r->fd, r->bytes, sizeof r->bytes);
		r->failed = n < 0;
		if (n <= 0)
			return -1;
		r->at = 0;
		r->len = (size_t)n;
		r->left -= r->left < r->len ? r->left : r->len;
	}
	return (unsigned char)r->bytes[r->at++];
}

/*
 * Parse one line name:password:uid:gid:gecos:home:shell. Return false at the
 * end of the file. ret_uid is -1 unless the third field is a number; the home
 * directory is truncated to fit.
 */
static bool next_user(struct reader *r, int64_t *ret_uid, char *ret_home,
		      size_t size)
{
	const size_t by = 2; /* index of the uid field */
	size_t field = 0, n = 0, digits = 0;
	int64_t uid = 0;
	int c;

	while ((c = next_byte(r)) >= 0 && c != '\n') {
		if (c == ':')
			field++;
		else if (field == by && c >= '0' && c <= '9' && digits++ < 10)
			uid = uid * 10 + (c - '0');
		else if (field == by)
			digits = 99;
		else if (field == 5 && n + 1 < size)
			ret_home[n++] = (char)c;
	}
	ret_home[n] = '\0';
	*ret_uid = field >= 5 && digits > 0 && digits <= 10 ? uid : -1;
	return c >= 0 || field > 0;
}

/*
 * The container may have prepared its passwd file, so require a regular file,
 * read a limited number of bytes, and never block.
 */
static int find_home(const struct child *child, const struct step *step)
{
	int root = child->slots[SLOT_ROOT];
	autoclose int here =
		root < 0 ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	char home[PATH_MAX] = "", *to = step->buffer.text + strlen("HOME=");
	struct reader r = { .fd = -1, .left = PASSWD_MAX };
	struct stat st;
	int64_t uid;

	if (root < 0)
		root = here;
	if (root < 0)
		return -1;
	memcpy(step->buffer.text, "HOME=/", sizeof "HOME=/");
	r.fd = root_open(root, "/etc/passwd", O_RDONLY | O_NOCTTY | O_NONBLOCK);
	if (r.fd < 0)
		return is_absent(errno) ? 0 : -1;
	r.failed = fstat(r.fd, &st) < 0;
	if (!r.failed && S_ISREG(st.st_mode))
		while (next_user(&r, &uid, home,
				 step->buffer.size - sizeof "HOME="))
			if (uid == step->number && home[0] == '/') {
				memcpy(to, home, strlen(home) + 1);
				break;
			}
	close(r.fd);
	return r.failed ? -1 : 0;
}

static int drop_bounding(const struct step_caps *caps)
{
	for (unsigned int cap = 0; cap < 64; cap++) {
		if (caps->bounding & 1ULL << cap)
			continue;
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0) {
			if (errno == EINVAL)
				return 0;
			return -1;
		}
	}
	return 0;
}

static bool setgroups_denied(struct child *child)
{
	autoclose int fd = proc_open_at(child->slots[SLOT_PROC],
					"self/setgroups", O_RDONLY);
	char word[8] = "";

	return fd >= 0 && read(fd, word, sizeof word - 1) >= 4 &&
	       memcmp(word, "deny", 4) == 0;
}

static int change_user(struct child *child, const struct step *step)
{
	const struct oci_user *user = step->user;

	/*
	 * STEP_CAPS sets capabilities; the change from root to another user
	 * must not drop them.
	 */
	if (user->uid != 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		return -1;
	/*
	 * Set the groups first: after the change of user that is not permitted.
	 */
	if (!(step->flags & KEEP_GROUPS) &&
	    setgroups(user->ngroups, (const gid_t *)user->groups) < 0 &&
	    !(errno == EPERM && setgroups_denied(child)))
		return -1;
	if (setresgid(user->gid, user->gid, user->gid) < 0 ||
	    setresuid(user->uid, user->uid, user->uid) < 0)
		return -1;
	return user->uid != 0 ? prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) : 0;
}

static int set_caps(const struct step_caps *caps)
{
	uint64_t admin = caps->keep_admin ? 1ULL << CAP_SYS_ADMIN : 0;
	uint64_t effective = caps->effective | admin;
	uint64_t permitted = caps->permitted | admin;
	/* Leave out those that are not both inheritable and permitted. */
	uint64_t ambient = caps->ambient & caps->inheritable & permitted;
	uint64_t inheritable = caps->inheritable;
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ (uint32_t)effective, (uint32_t)permitted,
		  (uint32_t)inheritable },
		{ (uint32_t)(effective >> 32), (uint32_t)(permitted >> 32),
		  (uint32_t)(inheritable >> 32) },
	};

	if (syscall(SYS_capset, &header, data) < 0)
		return -1;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -1;
	for (unsigned int cap = 0; cap < 64; cap++)
		/* EINVAL: the kernel does not know this capability. */
		if (ambient & 1ULL << cap &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) <
			    0 &&
		    errno != EINVAL)
			return -1;
	return 0;
}

/* getcwd returns "(unreachable)…" for a directory outside the root. */
static int check_cwd(void)
{
	char path[PATH_MAX];

	if (syscall(SYS_getcwd, path, sizeof path) < 0)
		return -1;
	if (path[0] != '/') {
		errno = EXDEV;
		return -1;
	}
	return 0;
}

static int change_directory(struct child *child, const struct step *step)
{
	bool first = step->flags & CWD_TRY;

	if (chdir(step->text) < 0) {
		if (errno != EACCES && errno != EPERM)
			return -1;
		if (!first && !child->in_cwd)
			return -1;
	} else if (first) {
		child->in_cwd = true;
	}
	return first ? 0 : check_cwd();
}

static int set_personality(unsigned long domain)
{
	return personality(domain) < 0 ? -1 : 0;
}

static int set_memory_policy(struct child *child, const struct step *step)
{
	if (syscall(SYS_set_mempolicy, step->number, step->cpus.bits,
		    step->cpus.nbits) == 0)
		return 0;
	if (errno == EINVAL)
		child_note(child,
			   "invalid memory policy: the node does not exist, or "
			   "the kernel does not support the mode");
	return -1;
}

static int attribute_step(struct child *child, const struct step *step)
{
	switch ((enum step_op)step->op) {
	case STEP_WRITE_PROC:
		return write_proc(child, step);
	case STEP_AFFINITY:
		return syscall(SYS_sched_setaffinity, 0, step->cpus.nbits / 8,
			       step->cpus.bits) < 0 ?
			       -1 :
			       0;
	case STEP_SCHEDULER:
		return set_scheduler(child, step->sched);
	case STEP_IO_PRIORITY:
		return (int)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
				    step->number);
	case STEP_MEMORY_POLICY:
		return set_memory_policy(child, step);
	case STEP_PERSONALITY:
		return set_personality((unsigned long)step->number);
	default:
		errno = ENOSYS;
		return -1;
	}
}

int child_process_step(struct child *child, const struct step *step)
{
	switch ((enum step_op)step->op) {
	case STEP_STDIO_OWNER:
		return hand_over_stdio(child, step->user);
	case STEP_STDIO_NULL:
		return reopen_null(child);
	case STEP_HOME:
		return find_home(child, step);
	case STEP_UMASK:
		(void)umask((mode_t)step->number);
		return 0;
	case STEP_NO_HUGE_PAGES:
		return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	case STEP_NO_NEW_PRIVS:
		return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	case STEP_BOUNDING:
		return drop_bounding(step->caps);
	case STEP_USER:
		return change_user(child, step);
	case STEP_CAPS:
		return set_caps(step->caps);
	case STEP_CWD:
		return change_directory(child, step);
	default:
		return attribute_step(child, step);
	}
}
