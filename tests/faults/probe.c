/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/probe.c - the program in the container: it writes what holds it
 * to its standard output, in one piece, and ends, or waits to be killed.
 *
 * Usage: probe once|hold|quiet|mark NAME|key NAME
 *
 * `quiet` only ends, and `mark` only says that it ran, before it waits. `key`
 * is no container's: it leaves a keyring of that name, for the census to find.
 * Two programs that are confined alike write the same, except the numbers of
 * their namespaces.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MOST 65536

struct text {
	char bytes[MOST];
	size_t len;
};

static void __attribute__((format(printf, 2, 3)))
add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->bytes + t->len, MOST - t->len, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < MOST - t->len)
		t->len += (size_t)n;
}

/* The lines of a file that begin with one of the words, or all of them. */
static void add_lines(struct text *t, const char *path,
		      const char *const *words)
{
	FILE *f = fopen(path, "re");
	char line[4096];

	if (!f) {
		add(t, "%s: %s\n", path, strerror(errno));
		return;
	}
	while (fgets(line, sizeof line, f)) {
		if (!words)
			add(t, "%s", line);
		for (size_t i = 0; words && words[i]; i++)
			if (strncmp(line, words[i], strlen(words[i])) == 0)
				add(t, "%s", line);
	}
	(void)fclose(f);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_namespaces(struct text *t)
{
	static const char *const names[] = { "cgroup", "ipc",  "mnt",  "net",
					     "pid",    "time", "user", "uts" };
	char path[64], target[64];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		ssize_t n;

		snprintf(path, sizeof path, "/proc/self/ns/%s", names[i]);
		n = readlink(path, target, sizeof target - 1);
		target[n > 0 ? n : 0] = '\0';
		add(t, "%s\n", target);
	}
}

/* The kernel chooses the numbers of a mount; the runtime all other fields. */
static void add_mounts(struct text *t)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[4096], root[1024], where[1024], options[1024], type[64];

	while (f && fgets(line, sizeof line, f)) {
		const char *dash = strstr(line, " - ");

		if (!dash ||
		    sscanf(line, "%*s %*s %*s %1023s %1023s %1023s", root,
			   where, options) != 3 ||
		    sscanf(dash, " - %63s", type) != 1)
			continue;
		/* A node that may not be made is bound: it is the same one. */
		if (strncmp(where, "/dev/", 5) == 0 &&
		    strcmp(type, "devtmpfs") == 0)
			continue;
		add(t, "mount %s %s %s %s%s%s\n", where, root, options, type,
		    strstr(line, " shared:") ? " shared" : "",
		    strstr(line, " master:") ? " slave" : "");
	}
	if (f)
		(void)fclose(f);
}

/* A null device must be the container's own. */
static void add_descriptors(struct text *t)
{
	struct stat null = { 0 }, st;

	(void)stat("/dev/null", &null);
	for (int fd = 0; fd < 1024; fd++)
		if (fstat(fd, &st) == 0)
			add(t, "descriptor %d%s\n", fd,
			    S_ISCHR(st.st_mode) && st.st_dev != null.st_dev ?
				    ", a device of the host" :
				    "");
}

/* By its name: the number is another one each time. */
static void add_keyring(struct text *t)
{
	char text[256] = "";
	long n = syscall(SYS_keyctl, KEYCTL_DESCRIBE, KEY_SPEC_SESSION_KEYRING,
			 text, sizeof text - 1);

	add(t, "keyring %s\n", n < 0 ? strerror(errno) : text);
}

/* Which of the limits are there to be seen. */
static void add_cgroups(struct text *t)
{
	static const char *const files[] = { "pids.max", "memory.max",
					     "memory.limit_in_bytes",
					     "devices.list" };
	struct dirent **names;
	int n = scandir("/sys/fs/cgroup", &names, NULL, by_name);
	char path[512];

	for (int i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
			snprintf(path, sizeof path, "/sys/fs/cgroup/%s/%s",
				 names[i]->d_name, files[k]);
			if (strcmp(names[i]->d_name, "..") != 0 &&
			    access(path, R_OK) == 0) {
				add(t, "%s:\n", path);
				add_lines(t, path, NULL);
			}
		}
}

static void add_attempt(struct text *t, const char *what, int r)
{
	add(t, "%s: %s\n", what, r >= 0 ? "done" : strerror(errno));
}

static void add_attempts(struct text *t)
{
	const dev_t zero = makedev(1, 5), kmsg = makedev(1, 11);

	add_attempt(t, "write /new", open("/new", O_WRONLY | O_CREAT, 0600));
	add_attempt(t, "read /denied", open("/denied", O_RDONLY));
	add_attempt(t, "write /bound",
		    open("/bound/new", O_WRONLY | O_CREAT, 0600));
	add_attempt(t, "write /proc/sys",
		    open("/proc/sys/kernel/domainname", O_WRONLY));
	add_attempt(t, "sethostname", sethostname("x", 1));
	add_attempt(t, "chroot", chroot("/"));
	add_attempt(t, "raw socket", socket(AF_INET, SOCK_RAW, 1));
	add_attempt(t, "mkdir", mkdir("/dev/shm/folder", 0700));
	add_attempt(t, "mknod", mknod("/dev/shm/zero", S_IFCHR | 0666, zero));
	/* That one can make a node is a default which may have to be left out. */
	(void)mknod("/dev/shm/kmsg", S_IFCHR | 0666, kmsg);
	add(t, "open kmsg: %s\n",
	    open("/dev/shm/kmsg", O_RDONLY) < 0 ? "refused" : "done");
	add_attempt(t, "setgid", setgid(0));
	add_attempt(t, "setuid", setuid(0));
	/* No more, or the next one would be held differently. */
	(void)unlink("/dev/shm/zero");
	(void)unlink("/dev/shm/kmsg");
	(void)rmdir("/dev/shm/folder");
}

static void add_all(struct text *t)
{
	static const char *const status[] = {
		"Umask",  "Uid",	 "Gid",	       "Groups",
		"Cap",	  "Seccomp",	 "NoNewPrivs", "SigIgn",
		"SigBlk", "THP_enabled", NULL
	};
	char name[256] = "", cwd[256] = "";

	/* First: the rest opens some. */
	add_descriptors(t);
	add_lines(t, "/proc/self/status", status);
	add_lines(t, "/proc/self/limits", NULL);
	add_lines(t, "/proc/self/cgroup", NULL);
	add_lines(t, "/proc/self/oom_score_adj", NULL);
	add_lines(t, "/proc/sys/net/ipv4/ip_forward", NULL);
	add_lines(t, "/proc/self/personality", NULL);
	add_lines(t, "/proc/self/timens_offsets", NULL);
	add_lines(t, "/proc/self/uid_map", NULL);
	add_keyring(t);
	add_namespaces(t);
	add_mounts(t);
	add_cgroups(t);
	(void)gethostname(name, sizeof name - 1);
	add(t, "host %s, in %s\n", name, getcwd(cwd, sizeof cwd) ? cwd : "?");
	for (char **e = environ; *e; e++)
		add(t, "variable %s\n", *e);
	add_attempts(t);
	add(t, "end\n");
}

static int leave_key(const char *name)
{
	return syscall(SYS_add_key, "keyring", name, NULL, 0,
		       KEY_SPEC_USER_KEYRING) < 0;
}

int main(int argc, char **argv)
{
	static struct text t;
	const char *how = argc > 1 ? argv[1] : "";

	if (strcmp(how, "key") == 0)
		return leave_key(argc > 2 ? argv[2] : "?");
	if (strcmp(how, "quiet") == 0)
		return 0;
	if (strcmp(how, "mark") == 0)
		add(&t, "ran %s\n", argc > 2 ? argv[2] : "?");
	else
		add_all(&t);
	if (write(STDOUT_FILENO, t.bytes, t.len) != (ssize_t)t.len)
		return 1;
	while (strcmp(how, "once") != 0)
		pause();
	return 0;
}
