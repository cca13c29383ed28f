/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_seccomp.c - our seccomp programs against libseccomp's, call
 * by call, and against the kernel.
 */
#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/confine.h"
#include "tests/unit/bpf_interpreter.h"

#include <cmocka.h>	/* last: its fail() is a macro */

#define ERRNO(e) (SECCOMP_RET_ERRNO | (e))
#define ALLOW SECCOMP_RET_ALLOW
#define X32_BIT 0x40000000U
#define NAMES(...)                                                        \
	{ (const char *[]){ __VA_ARGS__, NULL },                          \
	  sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *) }
#define ARGS(...)                                                         \
	(const struct oci_seccomp_arg[]){ __VA_ARGS__ },                  \
		sizeof((const struct oci_seccomp_arg[]){ __VA_ARGS__ }) / \
			sizeof(struct oci_seccomp_arg)
#define RULES(...)                                                         \
	.rules = (const struct oci_seccomp_rule[]){ __VA_ARGS__ },         \
	.nrules = sizeof((const struct oci_seccomp_rule[]){ __VA_ARGS__ }) / \
		  sizeof(struct oci_seccomp_rule)

static const uint32_t all_x86[] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_I386,
				    OCI_ARCH_X32 };

struct program {
	struct sock_filter code[BPF_MAXINSNS];
	size_t len;
};

static int open_arena(void **state)
{
	struct arena *arena = calloc(1, sizeof *arena);

	*state = arena;
	return arena ? arena_open(arena, 64 << 20) : -1;
}

static int close_arena(void **state)
{
	arena_close(*state);
	free(*state);
	return 0;
}

/* ---- libseccomp's program for the same profile ---- */

static int oracle_add(scmp_filter_ctx ctx, const struct oci_seccomp_rule *rule,
		      const struct oci_seccomp_arg *args, size_t n)
{
	static const enum scmp_compare ops[] = {
		[OCI_CMP_NE] = SCMP_CMP_NE, [OCI_CMP_LT] = SCMP_CMP_LT,
		[OCI_CMP_LE] = SCMP_CMP_LE, [OCI_CMP_EQ] = SCMP_CMP_EQ,
		[OCI_CMP_GE] = SCMP_CMP_GE, [OCI_CMP_GT] = SCMP_CMP_GT,
		[OCI_CMP_MASKED_EQ] = SCMP_CMP_MASKED_EQ,
	};
	struct scmp_arg_cmp cmps[6];

	for (size_t i = 0; i < n; i++)
		cmps[i] = (struct scmp_arg_cmp){
			args[i].index, ops[args[i].op], args[i].value,
			args[i].value_two,
		};
	for (size_t i = 0; i < rule->names.n; i++) {
		int nr = seccomp_syscall_resolve_name(rule->names.items[i]);
		int r = 0;

		if (nr != __NR_SCMP_ERROR)
			r = seccomp_rule_add_array(ctx, rule->action, nr,
						   (unsigned int)n, cmps);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool repeats(const struct oci_seccomp_rule *rule)
{
	for (size_t i = 0; i < rule->nargs; i++)
		for (size_t j = 0; j < i; j++)
			if (rule->args[i].index == rule->args[j].index)
				return true;
	return false;
}

static int oracle_rules(scmp_filter_ctx ctx, const struct oci_seccomp *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->nrules && r == 0; i++) {
		const struct oci_seccomp_rule *rule = &profile->rules[i];

		if (rule->action == profile->default_action)
			continue;
		if (!repeats(rule)) {
			r = oracle_add(ctx, rule, rule->args, rule->nargs);
			continue;
		}
		for (size_t j = 0; j < rule->nargs && r == 0; j++)
			r = oracle_add(ctx, rule, &rule->args[j], 1);
	}
	return r;
}

static void releasep(scmp_filter_ctx *ctx)
{
	seccomp_release(*ctx);
}

/* -EEXIST when libseccomp sees a contradiction it does not want to decide. */
static int oracle(const struct oci_seccomp *profile, struct program *ret)
{
	AUTO(releasep) scmp_filter_ctx ctx =
		seccomp_init(profile->default_action);
	autoclose int fd = memfd_create("oracle", MFD_CLOEXEC);
	ssize_t n;
	int r;

	assert_non_null(ctx);
	for (size_t i = 0; i < profile->narchitectures; i++)
		(void)seccomp_arch_add(ctx, profile->architectures[i]);
	r = oracle_rules(ctx, profile);
	if (r < 0)
		return r;
	assert_int_equal(seccomp_export_bpf(ctx, fd), 0);
	n = pread(fd, ret->code, sizeof ret->code, 0);
	assert_true(n > 0);
	ret->len = (size_t)n / sizeof *ret->code;
	return 0;
}

/* ---- comparing ---- */

/* The largest number named, for calls that have one of their own. */
static int largest(const struct oci_seccomp *profile, uint32_t arch)
{
	int most = -1;

	for (size_t i = 0; i < profile->nrules; i++) {
		const struct oci_strings *names = &profile->rules[i].names;

		for (size_t j = 0; j < names->n; j++) {
			int nr = seccomp_syscall_resolve_name_arch(
				arch, names->items[j]);

			most = nr > most ? nr : most;
		}
	}
	return most;
}

static bool is_newer(const struct oci_seccomp *profile,
		     const struct seccomp_data *call)
{
	uint32_t arch = call->arch;

	if (arch == AUDIT_ARCH_X86_64 && (uint32_t)call->nr >= X32_BIT)
		arch = OCI_ARCH_X32;
	return (uint32_t)call->nr > (uint32_t)largest(profile, arch);
}

static bool same(const struct oci_seccomp *profile,
		 const struct confine_filter *ours, const struct program *theirs,
		 const struct seccomp_data *call)
{
	uint32_t a = bpf_run(ours->code, ours->len, call);
	uint32_t b = bpf_run(theirs->code, theirs->len, call);

	if (a == b)
		return true;
	if (a == ERRNO(ENOSYS) && b == profile->default_action &&
	    is_newer(profile, call))
		return true;
	print_error("arch %x nr %x args %llx %llx %llx %llx %llx %llx: "
		    "ours %x theirs %x\n", call->arch, (unsigned int)call->nr,
		    call->args[0], call->args[1], call->args[2], call->args[3],
		    call->args[4], call->args[5], a, b);
	return false;
}

static uint32_t roll(uint32_t *seed, uint32_t sides)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % sides;
}

/* Values around those the profile compares with, in both words. */
static uint64_t interesting(const struct oci_seccomp *profile, uint32_t *seed)
{
	static const uint64_t odd[] = { 0, 1, UINT32_MAX, 1ULL << 32,
					UINT64_MAX, 1ULL << 31 };
	const struct oci_seccomp_rule *rule;
	const struct oci_seccomp_arg *arg;
	uint64_t value;

	rule = &profile->rules[roll(seed, (uint32_t)profile->nrules)];
	if (!rule->nargs || roll(seed, 8) == 0)
		return odd[roll(seed, COUNT(odd))];
	arg = &rule->args[roll(seed, (uint32_t)rule->nargs)];
	value = arg->op == OCI_CMP_MASKED_EQ ? arg->value_two : arg->value;
	value += roll(seed, 3) - 1ULL;
	if (roll(seed, 4) == 0)
		value ^= 1ULL << roll(seed, 64);
	return value;
}

static void compare_call(const struct oci_seccomp *profile,
			 const struct confine_filter *ours,
			 const struct program *theirs, uint32_t arch,
			 uint32_t nr, int tries, size_t *differences)
{
	struct seccomp_data call = { .arch = arch, .nr = (int)nr };
	uint32_t seed = nr ^ arch;

	for (int i = 0; i < tries; i++) {
		for (size_t j = 0; j < COUNT(call.args); j++)
			call.args[j] = interesting(profile, &seed);
		*differences += !same(profile, ours, theirs, &call);
	}
}

static size_t differences(const struct oci_seccomp *profile,
			  const struct confine_filter *ours,
			  const struct program *theirs, int tries)
{
	static const uint32_t archs[] = {
		AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64,
		AUDIT_ARCH_ARM, OCI_ARCH_X32, 0, UINT32_MAX,
	};
	static const uint32_t odd[] = { UINT32_MAX, UINT32_MAX - 1, X32_BIT - 1,
					1U << 31, 983041, 0x7fffffff };
	size_t n = 0;

	for (size_t a = 0; a < COUNT(archs); a++) {
		for (uint32_t nr = 0; nr < 600; nr++) {
			compare_call(profile, ours, theirs, archs[a], nr, tries,
				     &n);
			compare_call(profile, ours, theirs, archs[a],
				     nr | X32_BIT, tries, &n);
		}
		for (size_t i = 0; i < COUNT(odd); i++)
			compare_call(profile, ours, theirs, archs[a], odd[i],
				     tries, &n);
	}
	return n;
}

/* 0 the same, 1 not to be compared. */
static int judge(struct arena *arena, const struct oci_seccomp *profile,
		 int tries)
{
	struct confine_filter ours;
	struct program theirs;
	int r = oracle(profile, &theirs);

	if (r == -EEXIST)
		return 1;
	assert_int_equal(r, 0);
	assert_int_equal(confine_seccomp(arena, profile, &ours), 0);
	assert_int_equal(differences(profile, &ours, &theirs, tries), 0);
	return 0;
}

/* ---- a profile as engines send it ---- */

static const char *const denied[] = {
	"acct", "add_key", "bpf", "clone", "clone3", "create_module",
	"delete_module", "finit_module", "fsconfig", "fsmount", "fsopen",
	"init_module", "ioperm", "iopl", "kcmp", "kexec_file_load",
	"kexec_load", "keyctl", "mount", "mount_setattr", "move_mount",
	"open_by_handle_at", "open_tree", "perf_event_open", "personality",
	"pivot_root", "process_vm_readv", "process_vm_writev", "ptrace",
	"quotactl", "reboot", "request_key", "setdomainname", "sethostname",
	"setns", "settimeofday", "socket", "swapoff", "swapon", "syslog",
	"umount", "umount2", "unshare", "userfaultfd", "vhangup",
};

static bool is_denied(const char *name)
{
	for (size_t i = 0; i < COUNT(denied); i++)
		if (streq(denied[i], name))
			return true;
	return false;
}

static void allow_known(struct arena *arena, uint32_t arch, int last,
			struct oci_strings *names)
{
	for (int nr = 0; nr <= last; nr++) {
		autofree char *name = seccomp_syscall_resolve_num_arch(arch,
								       nr);

		if (name && !is_denied(name))
			names->items[names->n++] = arena_strdup(arena, name);
	}
}

static struct oci_seccomp engine_profile(struct arena *arena)
{
	static const struct oci_seccomp_arg personalities[] = {
		{ 0, 0, 0, OCI_CMP_EQ }, { 0, 8, 0, OCI_CMP_EQ },
		{ 0, 0x20000, 0, OCI_CMP_EQ }, { 0, 0x20008, 0, OCI_CMP_EQ },
		{ 0, 0xffffffff, 0, OCI_CMP_EQ },
	};
	const struct oci_seccomp_rule rules[] = {
		{ { arena_array(arena, 2000, sizeof(char *)), 0 }, ALLOW, NULL,
		  0 },
		{ NAMES("personality"), ALLOW, personalities,
		  COUNT(personalities) },
		{ NAMES("clone"), ALLOW,
		  ARGS({ 0, 0x7e020000, 0, OCI_CMP_MASKED_EQ }) },
		{ NAMES("clone3"), ERRNO(ENOSYS), NULL, 0 },
		{ NAMES("socket"), ERRNO(EINVAL),
		  ARGS({ 0, 16, 0, OCI_CMP_EQ }, { 2, 9, 0, OCI_CMP_EQ }) },
		{ NAMES("socket"), ALLOW, ARGS({ 2, 9, 0, OCI_CMP_NE }) },
		{ NAMES("socket"), ALLOW, ARGS({ 0, 16, 0, OCI_CMP_NE }) },
		{ NAMES("bdflush", "mount", "io_pgetevents_from_mars"),
		  ERRNO(EPERM), NULL, 0 },
	};
	struct oci_seccomp_rule *copy = arena_alloc(arena, sizeof rules);

	memcpy(copy, rules, sizeof rules);
	for (size_t i = 1; i < COUNT(rules); i++) {
		copy[i].names.items = arena_grow(arena, rules[i].names.items,
						 rules[i].names.n + 1,
						 rules[i].names.n + 1,
						 sizeof(char *));
		copy[i].args = arena_grow(arena, rules[i].args, rules[i].nargs,
					  rules[i].nargs,
					  sizeof *rules[i].args);
	}
	allow_known(arena, AUDIT_ARCH_X86_64, 440, &copy[0].names);
	allow_known(arena, AUDIT_ARCH_I386, 440, &copy[0].names);
	return (struct oci_seccomp){
		.default_action = ERRNO(EPERM), .architectures = all_x86,
		.narchitectures = COUNT(all_x86), .rules = copy,
		.nrules = COUNT(rules),
	};
}

static double microseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void engine_profiles_agree_with_libseccomp(void **state)
{
	struct arena *arena = *state;
	struct oci_seccomp profile = engine_profile(arena);
	struct confine_filter filter;
	double begin;

	for (size_t n = 0; n <= COUNT(all_x86); n++) {
		profile.narchitectures = n;
		assert_int_equal(judge(arena, &profile, /* tries= */ 10), 0);
	}
	profile.default_action = SECCOMP_RET_TRAP;
	assert_int_equal(judge(arena, &profile, /* tries= */ 10), 0);
	begin = microseconds();
	assert_int_equal(confine_seccomp(arena, &profile, &filter), 0);
	print_message("%zu names, %zu architectures: %zu instructions, "
		      "%.0f us\n", profile.rules[0].names.n,
		      profile.narchitectures, filter.len,
		      microseconds() - begin);
	assert_true(filter.len < 1000);
}

/* ---- random rules ---- */

/*
 * At most one that goes through socketcall and one through ipc on i386, and
 * not semop: libseccomp 2.5 may forget the whole architecture over it.
 */
static const char *const some_names[] = {
	"read", "ioctl", "socket", "semget", "clone", "prctl", "openat",
	"fstat64", "_llseek", "arch_prctl", "epoll_wait", "no_such_call",
};

static const uint32_t some_actions[] = {
	ALLOW, ERRNO(1), ERRNO(2), SECCOMP_RET_TRAP, SECCOMP_RET_LOG,
	SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_TRACE | 7,
	SECCOMP_RET_KILL_THREAD,
};

static struct oci_seccomp_arg random_arg(uint32_t *seed, uint32_t index)
{
	static const uint64_t high[] = { 0, 0, 0, 1ULL << 32, 5ULL << 32,
					 ~0ULL << 32 };

	return (struct oci_seccomp_arg){
		.index = index,
		.value = roll(seed, 6) | high[roll(seed, COUNT(high))],
		.value_two = roll(seed, 6) | high[roll(seed, COUNT(high))],
		.op = roll(seed, OCI_CMP_MASKED_EQ + 1),
	};
}

static struct oci_seccomp_rule random_rule(struct arena *arena, uint32_t *seed,
					   size_t name, bool may_repeat)
{
	struct oci_seccomp_arg *args = arena_array(arena, 4, sizeof *args);
	const char **names = arena_array(arena, 2, sizeof *names);
	uint32_t nargs = roll(seed, 4);

	for (uint32_t i = 0; i < nargs; i++)
		args[i] = random_arg(seed, may_repeat ? roll(seed, 6) : 5 - i);
	names[0] = some_names[name];
	return (struct oci_seccomp_rule){
		.names = { names, 1 },
		.action = some_actions[name % COUNT(some_actions)],
		.args = args, .nargs = nargs,
	};
}

/* Give back what one round of a loop took. */
static void rewind_arena(struct arena *arena, size_t used)
{
	memset(arena->memory + used, 0, arena->used - used);
	arena->used = used;
}

static void single_rules_agree_with_libseccomp(void **state)
{
	struct arena *arena = *state;
	uint32_t seed = 1;

	for (int i = 0; i < 40; i++) {
		struct oci_seccomp_rule rules[COUNT(some_names)];
		size_t used = arena->used;
		struct oci_seccomp profile = {
			.default_action = some_actions[roll(&seed, 4)],
			.architectures = all_x86,
			.narchitectures = roll(&seed, COUNT(all_x86) + 1),
			.rules = rules, .nrules = COUNT(rules),
		};

		for (size_t name = 0; name < COUNT(rules); name++)
			rules[name] = random_rule(arena, &seed, name, false);
		assert_int_equal(judge(arena, &profile, /* tries= */ 25), 0);
		rewind_arena(arena, used);
	}
}

/*
 * Two rules for one call that may both hold and say different things. Left
 * out are two NE, where libseccomp's answer depends on the high word.
 */
static void contradictions_are_decided_as_by_libseccomp(void **state)
{
	struct arena *arena = *state;
	uint32_t seed = 3;
	int judged = 0;

	for (int i = 0; i < 200; i++) {
		size_t used = arena->used;
		struct oci_seccomp_rule rules[] = {
			{ NAMES("read"), ERRNO(5), ARGS({ 0 }) },
			{ NAMES("read"), ERRNO(6), ARGS({ 0 }) },
		};
		struct oci_seccomp profile = {
			.default_action = SECCOMP_RET_TRAP,
			.architectures = all_x86,
			.narchitectures = COUNT(all_x86),
			.rules = rules, .nrules = COUNT(rules),
		};
		struct oci_seccomp_arg args[COUNT(rules)];

		for (size_t j = 0; j < COUNT(rules); j++) {
			args[j] = random_arg(&seed, roll(&seed, 2));
			args[j].value &= UINT32_MAX;
			args[j].value_two &= UINT32_MAX;
			rules[j].args = &args[j];
		}
		if (args[0].op != OCI_CMP_NE || args[1].op != OCI_CMP_NE)
			judged += judge(arena, &profile, /* tries= */ 5) == 0;
		rewind_arena(arena, used);
	}
	assert_true(judged > 150);
}

/* ---- what a profile means, said once more in plain C ---- */

static bool holds(const struct oci_seccomp_arg *arg,
		  const struct seccomp_data *call)
{
	uint64_t value = call->args[arg->index];

	switch (arg->op) {
	case OCI_CMP_NE:
		return value != arg->value;
	case OCI_CMP_LT:
		return value < arg->value;
	case OCI_CMP_LE:
		return value <= arg->value;
	case OCI_CMP_EQ:
		return value == arg->value;
	case OCI_CMP_GE:
		return value >= arg->value;
	case OCI_CMP_GT:
		return value > arg->value;
	case OCI_CMP_MASKED_EQ:
		return ((value ^ arg->value_two) & arg->value) == 0;
	}
	return false;
}

static bool rule_holds(const struct oci_seccomp_rule *rule,
		       const struct seccomp_data *call)
{
	size_t n = 0;

	for (size_t i = 0; i < rule->nargs; i++)
		n += holds(&rule->args[i], call);
	return repeats(rule) ? n > 0 : n == rule->nargs;
}

static uint32_t meaning(const struct oci_seccomp *profile,
			const struct seccomp_data *call)
{
	for (size_t i = 0; i < profile->nrules; i++) {
		const struct oci_seccomp_rule *rule = &profile->rules[i];

		if (rule->action != profile->default_action &&
		    seccomp_syscall_resolve_name(rule->names.items[0]) ==
			    call->nr &&
		    rule_holds(rule, call))
			return rule->action;
	}
	return profile->default_action;
}

/* libseccomp 2.5 errs, or never returns, with many rules for one call. */
static void many_rules_mean_what_they_say(void **state)
{
	struct arena *arena = *state;
	uint32_t seed = 2;

	for (int i = 0; i < 150; i++) {
		struct oci_seccomp_rule rules[30];
		size_t used = arena->used;
		struct oci_seccomp profile = {
			.default_action = some_actions[3 * (i % 2)],
			.rules = rules, .nrules = COUNT(rules),
		};
		struct confine_filter filter;

		for (size_t j = 0; j < COUNT(rules); j++)
			rules[j] = random_rule(arena, &seed,
					       roll(&seed, COUNT(some_names)),
					       true);
		assert_int_equal(confine_seccomp(arena, &profile, &filter), 0);
		for (int j = 0; j < 2000; j++) {
			struct seccomp_data call = { .arch = AUDIT_ARCH_X86_64 };
			const char *name =
				some_names[roll(&seed, COUNT(some_names))];

			call.nr = seccomp_syscall_resolve_name(name);
			for (size_t k = 0; k < COUNT(call.args); k++)
				call.args[k] = interesting(&profile, &seed);
			if (call.nr >= 0)
				assert_int_equal(bpf_run(filter.code,
							 filter.len, &call),
						 meaning(&profile, &call));
		}
		rewind_arena(arena, used);
	}
}

/* ---- single promises ---- */

static const struct {
	const char *what;
	struct oci_seccomp profile;
	uint32_t arch;
	uint32_t nr;
	uint64_t arg;
	uint32_t action;
} promises[] = {
	{ "newer than the profile",
	  { .default_action = ERRNO(EPERM),
	    RULES({ NAMES("read", "close_range"), ALLOW, NULL, 0 }) },
	  AUDIT_ARCH_X86_64, 437, 0, ERRNO(ENOSYS) },
	{ "older than the newest one named",
	  { .default_action = ERRNO(EPERM),
	    RULES({ NAMES("read", "close_range"), ALLOW, NULL, 0 }) },
	  AUDIT_ARCH_X86_64, 435, 0, ERRNO(EPERM) },
	{ "newest, named with the default action",
	  { .default_action = ERRNO(EPERM),
	    RULES({ NAMES("read"), ALLOW, NULL, 0 },
		  { NAMES("openat2"), ERRNO(EPERM), NULL, 0 }) },
	  AUDIT_ARCH_X86_64, 437, 0, ERRNO(EPERM) },
	{ "newer, but the default is not an errno",
	  { .default_action = SECCOMP_RET_KILL_PROCESS,
	    RULES({ NAMES("read"), ALLOW, NULL, 0 }) },
	  AUDIT_ARCH_X86_64, 437, 0, SECCOMP_RET_KILL_PROCESS },
	{ "no known name at all",
	  { .default_action = ERRNO(EPERM),
	    RULES({ NAMES("no_such_call"), ALLOW, NULL, 0 }) },
	  AUDIT_ARCH_X86_64, 437, 0, ERRNO(EPERM) },
	{ "newer on x32",
	  { .default_action = ERRNO(EPERM), .architectures = all_x86,
	    .narchitectures = COUNT(all_x86),
	    RULES({ NAMES("read"), ALLOW, NULL, 0 }) },
	  AUDIT_ARCH_X86_64, X32_BIT | 437, 0, ERRNO(ENOSYS) },
	{ "x32 when not listed",
	  { .default_action = ALLOW }, AUDIT_ARCH_X86_64, X32_BIT, 0,
	  SECCOMP_RET_KILL_THREAD },
	{ "no call at all",
	  { .default_action = ALLOW }, AUDIT_ARCH_X86_64, UINT32_MAX, 0,
	  ALLOW },
	{ "i386 when not listed",
	  { .default_action = ALLOW }, AUDIT_ARCH_I386, 3, 0,
	  SECCOMP_RET_KILL_THREAD },
	{ "socket through socketcall",
	  { .default_action = ALLOW, .architectures = all_x86,
	    .narchitectures = COUNT(all_x86),
	    RULES({ NAMES("socket"), ERRNO(1), NULL, 0 }) },
	  AUDIT_ARCH_I386, 102, 1, ERRNO(1) },
	{ "socket itself",
	  { .default_action = ALLOW, .architectures = all_x86,
	    .narchitectures = COUNT(all_x86),
	    RULES({ NAMES("socket"), ERRNO(1), NULL, 0 }) },
	  AUDIT_ARCH_I386, 359, 7, ERRNO(1) },
	{ "something else through socketcall",
	  { .default_action = ALLOW, .architectures = all_x86,
	    .narchitectures = COUNT(all_x86),
	    RULES({ NAMES("socket"), ERRNO(1), NULL, 0 }) },
	  AUDIT_ARCH_I386, 102, 2, ALLOW },
	{ "the first unconditional rule wins",
	  { .default_action = ALLOW,
	    RULES({ NAMES("read"), ERRNO(1), ARGS({ .op = OCI_CMP_EQ }) },
		  { NAMES("read"), ERRNO(2), NULL, 0 },
		  { NAMES("read"), ERRNO(3), NULL, 0 }) },
	  AUDIT_ARCH_X86_64, 0, 0, ERRNO(2) },
	{ "a mask of nothing is no condition",
	  { .default_action = ALLOW,
	    RULES({ NAMES("read"), ERRNO(1),
		    ARGS({ .op = OCI_CMP_MASKED_EQ, .value_two = 1 }) }) },
	  AUDIT_ARCH_X86_64, 0, 5, ERRNO(1) },
	{ "an architecture libseccomp does not know",
	  { .default_action = ALLOW, .architectures = (uint32_t[]){ 0x1234 },
	    .narchitectures = 1 },
	  0x1234, 0, 0, SECCOMP_RET_KILL_THREAD },
};

static void promises_are_kept(void **state)
{
	for (size_t i = 0; i < COUNT(promises); i++) {
		struct seccomp_data call = {
			.arch = promises[i].arch, .nr = (int)promises[i].nr,
			.args = { promises[i].arg },
		};
		struct confine_filter filter;
		uint32_t action;

		assert_int_equal(confine_seccomp(*state, &promises[i].profile,
						 &filter), 0);
		action = bpf_run(filter.code, filter.len, &call);
		if (action != promises[i].action)
			print_error("%s\n", promises[i].what);
		assert_int_equal(action, promises[i].action);
	}
}

static const struct {
	bool has_flags;
	uint32_t flags;
	uint32_t action;
	uint32_t expected;
	bool notifies;
} flag_cases[] = {
	{ false, 0, ALLOW, SECCOMP_FILTER_FLAG_SPEC_ALLOW, false },
	{ true, 0, ALLOW, 0, false },
	{ true, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG, ALLOW,
	  SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG, false },
	{ true, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG,
	  SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_LOG, true },
	{ true, 1U << 5, ALLOW, 0, false },
	{ true, 1U << 5, SECCOMP_RET_USER_NOTIF, 1U << 5, true },
};

static void flags_fit_the_filter(void **state)
{
	for (size_t i = 0; i < COUNT(flag_cases); i++) {
		struct oci_seccomp profile = {
			.default_action = ERRNO(1),
			.has_flags = flag_cases[i].has_flags,
			.flags = flag_cases[i].flags,
			RULES({ NAMES("read"), flag_cases[i].action, NULL,
				0 }),
		};
		struct confine_filter filter;

		assert_int_equal(confine_seccomp(*state, &profile, &filter), 0);
		assert_int_equal(filter.flags, flag_cases[i].expected);
		assert_int_equal(filter.notifies, flag_cases[i].notifies);
	}
}

/* ---- long programs ---- */

static struct oci_seccomp long_profile(struct arena *arena, size_t n)
{
	struct oci_seccomp_rule *rules = arena_array(arena, n, sizeof *rules);
	struct oci_seccomp_arg *args = arena_array(arena, n, sizeof *args);
	static const char *names[] = { "read", NULL };

	for (size_t i = 0; i < n; i++) {
		args[i] = (struct oci_seccomp_arg){ .value = 2 * i,
						    .op = OCI_CMP_EQ };
		rules[i] = (struct oci_seccomp_rule){
			{ names, 1 }, ERRNO(1 + i % 20), &args[i], 1
		};
	}
	return (struct oci_seccomp){ .default_action = ALLOW, .rules = rules,
				     .nrules = n };
}

static void far_jumps_arrive(void **state)
{
	struct oci_seccomp profile = long_profile(*state, 700);
	struct confine_filter filter;

	assert_int_equal(confine_seccomp(*state, &profile, &filter), 0);
	for (uint64_t value = 0; value < 1500; value++) {
		struct seccomp_data call = { .arch = AUDIT_ARCH_X86_64,
					     .args = { value } };

		assert_int_equal(bpf_run(filter.code, filter.len, &call),
				 value % 2 || value >= 1400 ?
				 ALLOW : ERRNO(1 + value / 2 % 20));
	}
}

static void a_program_too_long_is_an_error(void **state)
{
	struct oci_seccomp profile = long_profile(*state, 3000);
	struct confine_filter filter;

	err_clear();
	assert_int_equal(confine_seccomp(*state, &profile, &filter), -E2BIG);
	assert_non_null(strstr(err_text(), "more than 4096 instructions"));
}

static void an_argument_that_does_not_exist_is_an_error(void **state)
{
	struct oci_seccomp profile = {
		.default_action = ALLOW,
		RULES({ NAMES("read"), ERRNO(1), ARGS({ .index = 6 }) }),
	};
	struct confine_filter filter;

	err_clear();
	assert_int_equal(confine_seccomp(*state, &profile, &filter), -EINVAL);
	assert_non_null(strstr(err_text(), "args[0].index: 6"));
}

/* ---- the kernel ---- */

/* In a child that dies with 0 when everything is as the profile says. */
static int try_calls(const struct confine_filter *filter)
{
	struct sock_fprog program = { (unsigned short)filter->len,
				      filter->code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, filter->flags,
		    &program) < 0)
		return 1;
	if (syscall(SYS_getppid) <= 0)
		return 2;
	if (syscall(SYS_pivot_root, NULL, NULL) != -1 || errno != EPERM)
		return 3;
	if (syscall(SYS_clone3, NULL, 0) != -1 || errno != ENOSYS)
		return 4;
	if (syscall(SYS_socket, 16, SOCK_RAW, 9) != -1 || errno != EINVAL)
		return 5;
	if (syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0) < 0)
		return 6;
	if (syscall(SYS_personality, 0x20000000) != -1 || errno != EPERM)
		return 7;
	if (syscall(SYS_personality, 0xffffffff) != 0)
		return 8;
	if (syscall(460) != -1 || errno != ENOSYS)
		return 9;
	return 0;
}

static void the_kernel_agrees(void **state)
{
	struct oci_seccomp profile = engine_profile(*state);
	struct confine_filter filter;
	int status;
	pid_t pid;

	assert_int_equal(confine_seccomp(*state, &profile, &filter), 0);
	pid = fork();
	if (pid == 0)
		_exit(try_calls(&filter));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void words_end_with_null(void **state)
{
	const struct oci_strings lists[] = {
		confine_seccomp_actions(), confine_seccomp_operators(),
		confine_seccomp_archs(), confine_seccomp_known_flags(),
		confine_seccomp_supported_flags(),
	};
	unsigned int major;

	for (size_t i = 0; i < COUNT(lists); i++) {
		assert_true(lists[i].n > 0);
		assert_null(lists[i].items[lists[i].n]);
	}
	assert_int_equal(sscanf(confine_libseccomp_version(*state), "%u.",
				&major), 1);
	assert_true(major >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engine_profiles_agree_with_libseccomp),
		cmocka_unit_test(single_rules_agree_with_libseccomp),
		cmocka_unit_test(contradictions_are_decided_as_by_libseccomp),
		cmocka_unit_test(many_rules_mean_what_they_say),
		cmocka_unit_test(promises_are_kept),
		cmocka_unit_test(flags_fit_the_filter),
		cmocka_unit_test(far_jumps_arrive),
		cmocka_unit_test(a_program_too_long_is_an_error),
		cmocka_unit_test(an_argument_that_does_not_exist_is_an_error),
		cmocka_unit_test(the_kernel_agrees),
		cmocka_unit_test(words_end_with_null),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
