/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/bench/floor.c - the least that a run of the default bundle can be.
 *
 * Usage: floor ROOTFS CGROUP PROGRAM
 *
 * The namespaces, mounts, nodes, masks, cgroups and capabilities of
 * `sandlock-oci spec`, pivot_root, exec, wait, remove: no JSON, no state, no
 * choice, no check for attacks. It is linked as sandlock-oci is.
 * Mounts are made by the old interface, which has fewer calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_HIERARCHIES 16
#define CAPABILITIES (1U << 29 | 1U << 10 | 1U << 5)
#define SAFE (MS_NOSUID | MS_NOEXEC | MS_NODEV)

struct hierarchy {
	char name[64]; /* empty: version 2 at the top */
	char path[512];
	int tasks;
};

struct floor {
	const char *rootfs;
	char *program;
	struct hierarchy all[MAX_HIERARCHIES];
	size_t n;
	int unified; /* open on a cgroup of version 2, or -1 */
};

static void die(const char *what)
{
	perror(what);
	_exit(125);
}

/* ---- cgroups ---- */

static void write_text(const char *dir, const char *file, const char *text)
{
	char path[600];
	int fd;

	snprintf(path, sizeof path, "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void copy_up(const char *dir, const char *file)
{
	char path[600], text[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%s/../%s", dir, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, text, sizeof text - 1);
	if (n <= 0)
		die(path);
	text[n] = '\0';
	close(fd);
	write_text(dir, file, text);
}

static void limit_devices(const char *dir)
{
	static const char *const allowed[] = {
		"c *:* m",   "b *:* m",	    "c 1:3 rwm", "c 1:5 rwm",
		"c 1:7 rwm", "c 1:8 rwm",   "c 1:9 rwm", "c 5:0 rwm",
		"c 5:2 rwm", "c 136:* rwm",
	};

	char path[600];
	int fd;

	write_text(dir, "devices.deny", "a");
	snprintf(path, sizeof path, "%s/devices.allow", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	for (size_t i = 0; i < COUNT(allowed); i++)
		if (write(fd, allowed[i], strlen(allowed[i])) < 0)
			die(path);
	close(fd);
}

static void make_cgroup(struct floor *f, struct hierarchy *h)
{
	char path[600];

	if (mkdir(h->path, 0755) < 0)
		die(h->path);
	if (!h->name[0]) {
		f->unified = open(h->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		return;
	}
	if (strcmp(h->name, "cpuset") == 0) {
		copy_up(h->path, "cpuset.cpus");
		copy_up(h->path, "cpuset.mems");
	}
	if (strcmp(h->name, "devices") == 0)
		limit_devices(h->path);
	snprintf(path, sizeof path, "%s/tasks", h->path);
	h->tasks = open(path, O_WRONLY | O_CLOEXEC);
	if (h->tasks < 0)
		die(path);
}

/* A line `N:NAME:PATH` of /proc/self/cgroup; its hierarchy is at NAME. */
static void add_hierarchy(struct floor *f, char *line, const char *cgroup)
{
	struct hierarchy *h = &f->all[f->n];
	char *name = strchr(line, ':'), *path;

	path = name ? strchr(++name, ':') : NULL;
	if (!path || f->n == MAX_HIERARCHIES)
		return;
	*path = '\0';
	if (strncmp(name, "name=", 5) == 0)
		name += 5;
	if (!*name && access("/sys/fs/cgroup/cgroup.procs", F_OK) < 0)
		return;
	snprintf(h->name, sizeof h->name, "%s", name);
	snprintf(h->path, sizeof h->path, "/sys/fs/cgroup/%s%s", name, cgroup);
	make_cgroup(f, h);
	f->n++;
}

static void make_cgroups(struct floor *f, const char *cgroup)
{
	char text[4096], *rest = NULL;
	int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof text - 1);

	if (n <= 0)
		die("/proc/self/cgroup");
	close(fd);
	text[n] = '\0';
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		add_hierarchy(f, line, cgroup);
}

/* A single thread may join by itself, without waiting for others. */
static void join_cgroups(const struct floor *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->all[i].name[0] && write(f->all[i].tasks, "0", 1) < 0)
			die(f->all[i].path);
}

static void remove_cgroups(const struct floor *f)
{
	for (size_t i = 0; i < f->n; i++)
		while (rmdir(f->all[i].path) < 0)
			if (errno != EBUSY)
				die(f->all[i].path);
}

/* ---- mounts ---- */

static void mount_at(const char *type, const char *at, unsigned long flags,
		     const char *data)
{
	if (mount(type, at, type, flags, data) < 0)
		die(at);
}

static void mount_cgroups(const struct floor *f)
{
	char at[128], name[80];

	if (f->unified >= 0) {
		mount_at("cgroup2", "sys/fs/cgroup", SAFE | MS_RDONLY, NULL);
		return;
	}
	mount_at("tmpfs", "sys/fs/cgroup", SAFE, "mode=755");
	for (size_t i = 0; i < f->n; i++) {
		const char *hierarchy = f->all[i].name;

		snprintf(at, sizeof at, "sys/fs/cgroup/%s", hierarchy);
		if (mkdir(at, 0755) < 0)
			die(at);
		snprintf(name, sizeof name, "%s%s",
			 strcmp(hierarchy, "systemd") == 0 ? "none,name=" : "",
			 hierarchy);
		mount_at("cgroup", at, SAFE | MS_RDONLY, name);
	}
	if (mount(NULL, "sys/fs/cgroup", NULL,
		  MS_REMOUNT | MS_BIND | SAFE | MS_RDONLY, NULL) < 0)
		die("sys/fs/cgroup");
}

static void mount_all(const struct floor *f)
{
	mount_at("proc", "proc", 0, NULL);
	mount_at("tmpfs", "dev", MS_NOSUID | MS_STRICTATIME,
		 "mode=755,size=65536k");
	if (mkdir("dev/pts", 0755) < 0 || mkdir("dev/shm", 0755) < 0 ||
	    mkdir("dev/mqueue", 0755) < 0)
		die("dev");
	mount_at("devpts", "dev/pts", MS_NOSUID | MS_NOEXEC,
		 "newinstance,ptmxmode=0666,mode=0620,gid=5");
	mount_at("tmpfs", "dev/shm", SAFE, "mode=1777,size=65536k");
	mount_at("mqueue", "dev/mqueue", SAFE, NULL);
	mount_at("sysfs", "sys", SAFE | MS_RDONLY, NULL);
	mount_cgroups(f);
}

static void make_nodes(void)
{
	static const struct {
		const char *path;
		unsigned int major, minor;
	} nodes[] = {
		{ "dev/null", 1, 3 },	 { "dev/zero", 1, 5 },
		{ "dev/full", 1, 7 },	 { "dev/random", 1, 8 },
		{ "dev/urandom", 1, 9 }, { "dev/tty", 5, 0 },
	};
	static const char *const links[][2] = {
		{ "/proc/self/fd", "dev/fd" },
		{ "/proc/self/fd/0", "dev/stdin" },
		{ "/proc/self/fd/1", "dev/stdout" },
		{ "/proc/self/fd/2", "dev/stderr" },
		{ "/proc/kcore", "dev/core" },
		{ "pts/ptmx", "dev/ptmx" },
	};
	mode_t mask = umask(0);

	for (size_t i = 0; i < COUNT(nodes); i++)
		if (mknod(nodes[i].path, S_IFCHR | 0666,
			  makedev(nodes[i].major, nodes[i].minor)) < 0)
			die(nodes[i].path);
	umask(mask);
	for (size_t i = 0; i < COUNT(links); i++)
		if (symlink(links[i][0], links[i][1]) < 0)
			die(links[i][1]);
}

static void hide(void)
{
	static const char *const masked[] = {
		"proc/acpi",	    "proc/asound",	  "proc/kcore",
		"proc/keys",	    "proc/latency_stats", "proc/timer_list",
		"proc/timer_stats", "proc/sched_debug",	  "sys/firmware",
		"proc/scsi",
	};
	static const char *const readonly[] = { "proc/bus", "proc/fs",
						"proc/irq", "proc/sys",
						"proc/sysrq-trigger" };
	struct stat st;

	for (size_t i = 0; i < COUNT(readonly); i++)
		if (mount(readonly[i], readonly[i], NULL, MS_BIND, NULL) < 0) {
			if (errno != ENOENT)
				die(readonly[i]);
		} else if (mount(NULL, readonly[i], NULL,
				 MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
			die(readonly[i]);
	for (size_t i = 0; i < COUNT(masked); i++) {
		if (stat(masked[i], &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode))
			mount_at("tmpfs", masked[i], MS_RDONLY, "size=0k");
		else if (mount("dev/null", masked[i], NULL, MS_BIND, NULL) < 0)
			die(masked[i]);
	}
}

static void switch_root(const struct floor *f)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0 ||
	    mount(f->rootfs, f->rootfs, NULL, MS_BIND | MS_REC, NULL) < 0 ||
	    chdir(f->rootfs) < 0)
		die(f->rootfs);
	mount_all(f);
	make_nodes();
	hide();
	if (mount(NULL, ".", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) <
		    0 ||
	    syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		die("pivot_root");
}

/* ---- the process ---- */

static void bring_lo_up(void)
{
	struct ifreq request = { .ifr_name = "lo",
				 .ifr_flags = IFF_UP | IFF_LOOPBACK };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		die("lo");
	close(fd);
}

static void drop(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2] = {
		{ CAPABILITIES, CAPABILITIES, CAPABILITIES }, { 0, 0, 0 }
	};
	struct rlimit files = { 1024, 1024 };

	if (setrlimit(RLIMIT_NOFILE, &files) < 0)
		die("rlimit");
	for (unsigned long i = 0; i < 41; i++)
		if (!(CAPABILITIES >> (i & 31) & 1) || i > 31)
			(void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	if (setgroups(0, NULL) < 0 || syscall(SYS_setresgid, 0, 0, 0) < 0 ||
	    syscall(SYS_setresuid, 0, 0, 0) < 0 ||
	    syscall(SYS_capset, &header, data) < 0)
		die("capset");
	for (unsigned long i = 0; i < 32; i++)
		if (CAPABILITIES >> i & 1)
			(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0,
				    0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die("no_new_privs");
}

static void child(const struct floor *f)
{
	char *argv[] = { f->program, NULL };
	char *envp[] = { (char *)"PATH=/bin", (char *)"TERM=xterm", NULL };

	join_cgroups(f);
	if (unshare(CLONE_NEWCGROUP) < 0 || setsid() < 0 ||
	    sethostname("floor", 5) < 0)
		die("unshare");
	bring_lo_up();
	switch_root(f);
	drop();
	execve(argv[0], argv, envp);
	die(argv[0]);
}

int main(int argc, char **argv)
{
	struct floor f = { .unified = -1 };
	struct clone_args args = {
		.flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
			 CLONE_NEWUTS | CLONE_NEWNET,
		.exit_signal = SIGCHLD,
	};
	int status;
	pid_t pid;

	if (argc != 4)
		return 125;
	f.rootfs = argv[1];
	f.program = argv[3];
	make_cgroups(&f, argv[2]);
	if (f.unified >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)f.unified;
	}
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
	if (pid < 0)
		die("clone3");
	if (pid == 0)
		child(&f);
	if (waitpid(pid, &status, 0) < 0)
		die("wait");
	remove_cgroups(&f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
