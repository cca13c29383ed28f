/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_device_bpf.c - the device program, run by hand, says what the rules say. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/util.h"
#include "cgroups/internal.h"

/* Last: it has a macro of the name of our fail(). */
#include <cmocka.h>

#define RANDOM_ROUNDS 500

/* Just the instructions the assembler uses; anything else fails the test. */
static int interpret(const struct bpf_insn *program, int n,
		     const struct bpf_cgroup_dev_ctx *context)
{
	uint64_t reg[11] = { 0 };

	for (int pc = 0; pc < n; pc++) {
		const struct bpf_insn *in = &program[pc];
		uint64_t *dst = &reg[in->dst_reg];
		uint64_t imm = (uint64_t)(int64_t)in->imm;

		switch (in->code) {
		case BPF_LDX | BPF_MEM | BPF_W:
			*dst = *(const uint32_t *)((const char *)context +
						   in->off);
			break;
		case BPF_ALU64 | BPF_MOV | BPF_X:
			*dst = reg[in->src_reg];
			break;
		case BPF_ALU64 | BPF_MOV | BPF_K:
			*dst = imm;
			break;
		case BPF_ALU64 | BPF_AND | BPF_K:
			*dst &= imm;
			break;
		case BPF_ALU64 | BPF_RSH | BPF_K:
			*dst >>= imm;
			break;
		case BPF_JMP | BPF_JNE | BPF_K:
			pc += *dst != imm ? in->off : 0;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += *dst == imm ? in->off : 0;
			break;
		case BPF_JMP | BPF_EXIT:
			return (int)reg[0];
		default:
			fail_msg("instruction %d has code %#x", pc, in->code);
		}
	}
	fail_msg("the program runs off its end");
	return -1;
}

static bool names(const struct oci_device_rule *rule, char type, int64_t major,
		  int64_t minor)
{
	return (rule->type == 'a' || rule->type == type) &&
	       (rule->major == -1 || rule->major == major) &&
	       (rule->minor == -1 || rule->minor == minor);
}

/* The plain meaning: for each kind of access the last rule that names it. */
static bool evaluate(const struct device_rules *rules, char type, int64_t major,
		     int64_t minor, unsigned int access)
{
	unsigned int allowed = 0;

	for (size_t i = 0; i < device_rules_count(rules); i++) {
		const struct oci_device_rule *rule = device_rule(rules, i);
		unsigned int bits = (rule->m ? BPF_DEVCG_ACC_MKNOD : 0) |
				    (rule->r ? BPF_DEVCG_ACC_READ : 0) |
				    (rule->w ? BPF_DEVCG_ACC_WRITE : 0);

		if (!names(rule, type, major, minor))
			continue;
		allowed = rule->allow ? allowed | bits : allowed & ~bits;
	}
	return (access & ~allowed) == 0;
}

static void compare(const struct device_rules *rules)
{
	static const int numbers[] = { 0, 1, 3, 5, 8, 10, 136, 200, 4095 };
	struct bpf_insn program[DEVICE_PROGRAM_MAX];
	int n = device_program(rules, program);

	assert_true(n > 0);
	for (size_t i = 0; i < 2 * COUNT(numbers) * COUNT(numbers) * 7; i++) {
		unsigned int access = 1 + (unsigned int)(i % 7);
		int major = numbers[i / 7 % COUNT(numbers)];
		int minor = numbers[i / 7 / COUNT(numbers) % COUNT(numbers)];
		bool block = i / 7 / COUNT(numbers) / COUNT(numbers);
		struct bpf_cgroup_dev_ctx context = {
			.access_type = access << 16 |
				       (block ? BPF_DEVCG_DEV_BLOCK :
						BPF_DEVCG_DEV_CHAR),
			.major = (uint32_t)major,
			.minor = (uint32_t)minor,
		};

		assert_int_equal(interpret(program, n, &context),
				 evaluate(rules, block ? 'b' : 'c', major,
					  minor, access));
	}
}

static void test_known(void **state)
{
	static const struct oci_device_rule all[] = {
		{ true, 'a', -1, -1, true, true, true },
	};
	static const struct oci_device_rule usual[] = {
		{ false, 'a', -1, -1, true, true, true },
		{ true, 'c', 10, 200, true, true, false },
		{ true, 'b', 8, -1, true, false, false },
	};
	static const struct oci_device_rule hole[] = {
		{ true, 'a', -1, -1, true, true, true },
		{ false, 'b', 8, -1, false, true, false },
		{ true, 'b', 8, 3, false, true, false },
	};
	static const struct oci_device_rule no_such[] = {
		{ true, 'c', INT64_MAX, -1, true, true, true },
	};
	const struct device_rules lists[] = {
		{ NULL, 0 },
		{ all, COUNT(all) },
		{ usual, COUNT(usual) },
		{ hole, COUNT(hole) },
		{ no_such, COUNT(no_such) },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++)
		compare(&lists[i]);
}

static void test_random(void **state)
{
	static const int numbers[] = { -1, -1, 1, 3, 5, 8, 10, 136 };

	(void)state;
	srandom(1);
	for (int round = 0; round < RANDOM_ROUNDS; round++) {
		struct oci_device_rule asked[12];
		struct device_rules rules = { asked,
					      (size_t)random() % COUNT(asked) };

		for (size_t i = 0; i < rules.nasked; i++) {
			long access = 1 + random() % 7;

			asked[i] = (struct oci_device_rule){
				.allow = random() & 1,
				.type = "abc"[random() % 3],
				.major = numbers[random() % 8],
				.minor = numbers[random() % 8],
				.r = access & 1,
				.w = access & 2,
				.m = access & 4,
			};
		}
		compare(&rules);
	}
}

static void test_too_many(void **state)
{
	static struct oci_device_rule asked[DEVICE_PROGRAM_MAX];
	struct bpf_insn program[DEVICE_PROGRAM_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(asked); i++)
		asked[i] = (struct oci_device_rule){ true, 'c',	 1,   1,
						     true, true, true };
	assert_true(
		device_program(&(struct device_rules){ asked, COUNT(asked) },
			       program) < 0);
	compare(&(struct device_rules){ asked, 390 });
}

/* How many programs a cgroup has, and the number of the first. */
static uint32_t programs(const char *path, uint32_t *ret_id)
{
	autoclose int cgroup = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint32_t ids[8] = { 0 };
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.query.target_fd = (uint32_t)cgroup;
	attr.query.attach_type = BPF_CGROUP_DEVICE;
	attr.query.prog_ids = (uintptr_t)ids;
	attr.query.prog_cnt = COUNT(ids);
	assert_int_equal(syscall(SYS_bpf, BPF_PROG_QUERY, &attr, sizeof attr),
			 0);
	*ret_id = ids[0];
	return attr.query.prog_cnt;
}

/* Where the kernel lets us: a new program is there instead of the old one. */
static void test_replaced(void **state)
{
	static const char *const mounts[] = { "/sys/fs/cgroup/unified",
					      "/sys/fs/cgroup" };
	const struct device_rules rules = { NULL, 0 };
	char path[64], file[96];
	uint32_t first, second;
	bool made = false;

	(void)state;
	for (size_t i = 0; !made && i < COUNT(mounts); i++) {
		snprintf(file, sizeof file, "%s/cgroup.procs", mounts[i]);
		snprintf(path, sizeof path, "%s/sandlock-test-bpf-%d",
			 mounts[i], getpid());
		made = access(file, W_OK) == 0 && mkdir(path, 0755) == 0;
	}
	if (!made)
		return;
	if (device_program_attach(path, &rules) >= 0) {
		assert_int_equal(programs(path, &first), 1);
		assert_true(device_program_attach(path, &rules) >= 0);
		assert_int_equal(programs(path, &second), 1);
		assert_int_not_equal(first, second);
	}
	assert_int_equal(rmdir(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
