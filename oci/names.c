/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/names.c - convert names in config.json and on the command line to
 * numbers.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <strings.h>

#include "base/err.h"
#include "base/util.h"
#include "oci/linux.h"
#include "oci/oci.h"

/* The first real-time signal of `kill -l`: the C library reserves 32 and 33. */
#define FIRST_REALTIME 34
#define LAST_SIGNAL 64

const struct oci_ns_kind oci_ns_kinds[OCI_NAMESPACES] = {
	[OCI_NS_USER] = { "user", "user", CLONE_NEWUSER },
	[OCI_NS_CGROUP] = { "cgroup", "cgroup", CLONE_NEWCGROUP },
	[OCI_NS_IPC] = { "ipc", "ipc", CLONE_NEWIPC },
	[OCI_NS_UTS] = { "uts", "uts", CLONE_NEWUTS },
	[OCI_NS_NETWORK] = { "network", "net", CLONE_NEWNET },
	[OCI_NS_PID] = { "pid", "pid", CLONE_NEWPID },
	[OCI_NS_MOUNT] = { "mount", "mnt", CLONE_NEWNS },
	[OCI_NS_TIME] = { "time", "time", CLONE_NEWTIME },
};

static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "ABRT", SIGABRT },	 { "ALRM", SIGALRM },	  { "BUS", SIGBUS },
	{ "CHLD", SIGCHLD },	 { "CLD", SIGCHLD },	  { "CONT", SIGCONT },
	{ "FPE", SIGFPE },	 { "HUP", SIGHUP },	  { "ILL", SIGILL },
	{ "INT", SIGINT },	 { "IO", SIGIO },	  { "IOT", SIGABRT },
	{ "KILL", SIGKILL },	 { "PIPE", SIGPIPE },	  { "POLL", SIGIO },
	{ "PROF", SIGPROF },	 { "PWR", SIGPWR },	  { "QUIT", SIGQUIT },
	{ "SEGV", SIGSEGV },	 { "STKFLT", SIGSTKFLT }, { "STOP", SIGSTOP },
	{ "SYS", SIGSYS },	 { "TERM", SIGTERM },	  { "TRAP", SIGTRAP },
	{ "TSTP", SIGTSTP },	 { "TTIN", SIGTTIN },	  { "TTOU", SIGTTOU },
	{ "URG", SIGURG },	 { "USR1", SIGUSR1 },	  { "USR2", SIGUSR2 },
	{ "VTALRM", SIGVTALRM }, { "WINCH", SIGWINCH },	  { "XCPU", SIGXCPU },
	{ "XFSZ", SIGXFSZ },
};

const char *oci_hook_point_name(enum hook_point point)
{
	static const char *const names[HOOK_POINTS] = {
		[HOOK_PRESTART] = "prestart",
		[HOOK_CREATE_RUNTIME] = "createRuntime",
		[HOOK_CREATE_CONTAINER] = "createContainer",
		[HOOK_START_CONTAINER] = "startContainer",
		[HOOK_POSTSTART] = "poststart",
		[HOOK_POSTSTOP] = "poststop",
	};

	return names[point];
}

const char *oci_status_name(enum oci_status status)
{
	static const char *const names[] = {
		[OCI_CREATING] = "creating", [OCI_CREATED] = "created",
		[OCI_RUNNING] = "running",   [OCI_PAUSED] = "paused",
		[OCI_STOPPED] = "stopped",
	};

	return names[status];
}

/* Accept at most two digits, which cannot overflow. */
static int small_number(const char *digits)
{
	size_t len = strspn(digits, "0123456789");

	return len < 1 || len > 2 || digits[len] ? -1 : atoi(digits);
}

/* RTMIN, RTMIN+n, RTMAX, RTMAX-n */
static int realtime_signal(const char *name)
{
	bool up = strncasecmp(name, "RTMIN", 5) == 0;
	int base = up ? FIRST_REALTIME : LAST_SIGNAL;
	int n, number;

	if (!up && strncasecmp(name, "RTMAX", 5) != 0)
		return -1;
	if (!name[5])
		return base;
	n = name[5] == (up ? '+' : '-') ? small_number(name + 6) : -1;
	if (n < 0)
		return -1;
	number = up ? base + n : base - n;
	return number < FIRST_REALTIME || number > LAST_SIGNAL ? -1 : number;
}

int oci_signal(const char *text)
{
	const char *name = text;
	int number = small_number(text);

	/* 0 only checks that the process exists, as in kill(2). */
	if (number >= 0)
		return number > LAST_SIGNAL ? -1 : number;
	if (strncasecmp(name, "SIG", 3) == 0)
		name += 3;
	for (size_t i = 0; i < COUNT(signals); i++)
		if (strcasecmp(name, signals[i].name) == 0)
			return signals[i].number;
	return realtime_signal(name);
}

const char *oci_signal_name(int number)
{
	for (size_t i = 0; i < COUNT(signals); i++)
		if (signals[i].number == number)
			return signals[i].name;
	return NULL;
}

/* Parse digits below limit; advance *text. */
static int list_number(const char **text, size_t limit, size_t *ret)
{
	const char *p = *text;
	size_t n = 0;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++) {
		n = n * 10 + (size_t)(*p - '0');
		if (n >= limit)
			return -ERANGE;
	}
	*text = p;
	*ret = n;
	return 0;
}

/* Parse "3" or "0-3", with optional blanks around it; advance *text. */
static int list_range(const char **text, unsigned long *bits, size_t nbits)
{
	const size_t width = 8 * sizeof *bits;
	const char *p = *text;
	size_t first, last;
	int r = list_number(&p, nbits, &first);

	if (r < 0)
		return r;
	last = first;
	if (*p == '-') {
		p++;
		r = list_number(&p, nbits, &last);
		if (r < 0)
			return r;
	}
	p += strspn(p, " \t\n");
	if (last < first || (*p && *p != ','))
		return -EINVAL;
	for (size_t i = first; i <= last; i++)
		bits[i / width] |= 1UL << (i % width);
	*text = p;
	return 0;
}

int oci_bit_list(const char *text, unsigned long *bits, size_t nbits)
{
	const size_t width = 8 * sizeof *bits;
	const char *p = text + strspn(text, ", \t\n");

	memset(bits, 0, (nbits + width - 1) / width * sizeof *bits);
	if (!*p) {
		fail(0, "'%s' is an empty list (write one such as 0-3,7)",
		     text);
		return -EINVAL;
	}
	/* Engines write extra commas and blanks, and runc accepts them. */
	for (; *p; p += strspn(p, ", \t\n")) {
		int r = list_range(&p, bits, nbits);

		if (r == -ERANGE)
			fail(0, "'%s' exceeds the maximum of %zu", text,
			     nbits - 1);
		else if (r < 0)
			fail(0, "'%s' is not a list such as 0-3,7", text);
		if (r < 0)
			return -EINVAL;
	}
	return 0;
}
