/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/child/console.c - make a terminal from the container's own devpts.
 *
 * The child opens the slave through the master (TIOCGPTPEER), never by a name
 * below /dev/pts that a process inside could have replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/root.h"
#include "base/sys.h"
#include "runtime/child/child.h"
#include "runtime/plan/protocol.h"

#define PTMX_DEVICE makedev(5, 2)
#define PTY_SLAVE_MAJOR 136
#define PTY_SLAVE_MAJORS 8

static bool is_pty_slave(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
	       major(st.st_rdev) >= PTY_SLAVE_MAJOR &&
	       major(st.st_rdev) < PTY_SLAVE_MAJOR + PTY_SLAVE_MAJORS;
}

/* Opening some devices has side effects, so check the file first. */
static int open_ptmx(int root, const char *path)
{
	autoclose int place = root_open(root, path, O_PATH);
	struct stat st;

	if (place < 0 || fstat(place, &st) < 0)
		return -1;
	if (!S_ISCHR(st.st_mode) || st.st_rdev != PTMX_DEVICE) {
		errno = ENODEV;
		return -1;
	}
	return root_open(root, path, O_RDWR | O_NOCTTY);
}

static int open_master(struct child *child)
{
	int root = child->slots[SLOT_ROOT];
	int fd = open_ptmx(root, "/dev/pts/ptmx");

	if (fd < 0)
		fd = open_ptmx(root, "/dev/ptmx");
	if (fd < 0)
		child_note(child, "a terminal requires devpts at /dev/pts");
	return fd;
}

static int open_slave(int master)
{
	int unlock = 0;
	int slave;

	if (ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return -1;
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave >= 0 && !is_pty_slave(slave)) {
		close(slave);
		errno = ENODEV;
		return -1;
	}
	return slave;
}

/* With ONLCR, every line read from the master would end in CR LF. */
static int clear_onlcr(int slave)
{
	struct termios t;

	if (tcgetattr(slave, &t) < 0)
		return -1;
	t.c_oflag &= ~(tcflag_t)ONLCR;
	return tcsetattr(slave, TCSANOW, &t);
}

static int set_up(int slave, const struct step *step)
{
	struct winsize size = {
		.ws_row = step->console.height,
		.ws_col = step->console.width,
	};

	if (clear_onlcr(slave) < 0)
		return -1;
	if (step->console.has_size && ioctl(slave, TIOCSWINSZ, &size) < 0)
		return -1;
	return fchown(slave, step->console.uid, (gid_t)-1);
}

/* Do not follow links: one at this name would put the terminal elsewhere. */
static int console_point(int root)
{
	char name[NAME_MAX + 1];
	autoclose int dev = root_make_parent(root, "/dev/console", name);
	autoclose int made = -1;

	if (dev < 0)
		return -1;
	made = openat(dev, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (made < 0 && errno != EEXIST)
		return -1;
	return openat(dev, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static int bind_console(struct child *child, int slave)
{
	autoclose int point = console_point(child->slots[SLOT_ROOT]);
	autoclose int tree =
		sys_open_tree(slave, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);

	if (point < 0 || tree < 0)
		return -1;
	return sys_move_mount(tree, point);
}

static int make_standard(int slave)
{
	if (ioctl(slave, TIOCSCTTY, 0) < 0)
		return -1;
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(slave, fd) < 0)
			return -1;
	return 0;
}

int child_console_step(struct child *child, const struct step *step)
{
	autoclose int master = open_master(child);
	autoclose int slave = -1;

	if (master < 0)
		return -1;
	slave = open_slave(master);
	if (slave < 0 || set_up(slave, step) < 0)
		return -1;
	if (step->console.mount && bind_console(child, slave) < 0)
		return -1;
	if (child_say(child, WORD_CONSOLE, &master, 1) < 0)
		return -1;
	return make_standard(slave);
}
