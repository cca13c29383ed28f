/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/device_bpf.c - compile device rules to the BPF program of cgroup v2.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/internal.h"

/* Contents of the registers. */
enum {
	RESULT = BPF_REG_0,
	CONTEXT = BPF_REG_1,
	TYPE = BPF_REG_2,
	ACCESS = BPF_REG_3, /* requested and not yet allowed */
	MAJOR = BPF_REG_4,
	MINOR = BPF_REG_5,
	SCRATCH = BPF_REG_6,
};

/* A rule needs at most ten instructions, the code around the rules fewer. */
#define RULE_SIZE 10
#define FRAME_SIZE 16
/* Programs attached before: more than one only if another program did that. */
#define OLD_MAX 16

#define ALL_ACCESS \
	(BPF_DEVCG_ACC_READ | BPF_DEVCG_ACC_WRITE | BPF_DEVCG_ACC_MKNOD)

struct assembler {
	struct bpf_insn *at;
	size_t n;
};

static void emit(struct assembler *to, uint8_t code, unsigned int dst,
		 unsigned int src, int16_t off, int32_t imm)
{
	to->at[to->n++] = (struct bpf_insn){
		.code = code,
		.dst_reg = dst & 15,
		.src_reg = src & 15,
		.off = off,
		.imm = imm,
	};
}

static void emit_load(struct assembler *to, unsigned int dst, size_t offset)
{
	emit(to, BPF_LDX | BPF_MEM | BPF_W, dst, CONTEXT, (int16_t)offset, 0);
}

static void emit_exit(struct assembler *to, int result)
{
	emit(to, BPF_ALU64 | BPF_MOV | BPF_K, RESULT, 0, 0, result);
	emit(to, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void emit_start(struct assembler *to)
{
	emit_load(to, TYPE, offsetof(struct bpf_cgroup_dev_ctx, access_type));
	emit(to, BPF_ALU64 | BPF_MOV | BPF_X, ACCESS, TYPE, 0, 0);
	emit(to, BPF_ALU64 | BPF_AND | BPF_K, TYPE, 0, 0, 0xffff);
	emit(to, BPF_ALU64 | BPF_RSH | BPF_K, ACCESS, 0, 0, 16);
	emit_load(to, MAJOR, offsetof(struct bpf_cgroup_dev_ctx, major));
	emit_load(to, MINOR, offsetof(struct bpf_cgroup_dev_ctx, minor));
}

static int32_t access_bits(const struct oci_device_rule *rule)
{
	return (rule->r ? BPF_DEVCG_ACC_READ : 0) |
	       (rule->w ? BPF_DEVCG_ACC_WRITE : 0) |
	       (rule->m ? BPF_DEVCG_ACC_MKNOD : 0);
}

/*
 * Skip the rule unless a register has this value; the target is patched later.
 */
static void emit_match(struct assembler *to, unsigned int reg, int64_t value)
{
	if (value >= 0)
		emit(to, BPF_JMP | BPF_JNE | BPF_K, reg, 0, 0, (int32_t)value);
}

static void emit_rule(struct assembler *to, const struct oci_device_rule *rule)
{
	size_t first = to->n, body;
	int32_t bits = access_bits(rule);

	if (rule->type != 'a')
		emit_match(to, TYPE,
			   rule->type == 'b' ? BPF_DEVCG_DEV_BLOCK :
					       BPF_DEVCG_DEV_CHAR);
	emit_match(to, MAJOR, rule->major);
	emit_match(to, MINOR, rule->minor);
	body = to->n;
	if (rule->allow) {
		emit(to, BPF_ALU64 | BPF_AND | BPF_K, ACCESS, 0, 0,
		     ALL_ACCESS & ~bits);
		emit(to, BPF_JMP | BPF_JNE | BPF_K, ACCESS, 0, 2, 0);
		emit_exit(to, 1);
	} else {
		emit(to, BPF_ALU64 | BPF_MOV | BPF_X, SCRATCH, ACCESS, 0, 0);
		emit(to, BPF_ALU64 | BPF_AND | BPF_K, SCRATCH, 0, 0, bits);
		emit(to, BPF_JMP | BPF_JEQ | BPF_K, SCRATCH, 0, 2, 0);
		emit_exit(to, 0);
	}
	for (size_t i = first; i < body; i++)
		to->at[i].off = (int16_t)(to->n - i - 1);
}

/*
 * Check the rules from last to first, so that the last match wins for each kind
 * of access: an allowed kind is done, a denied one denies the whole request,
 * and a kind that no rule allows is denied in the end.
 */
int device_program(const struct device_rules *rules, struct bpf_insn *ret)
{
	struct assembler to = { .at = ret };
	size_t start = device_rules_start(rules);
	size_t i = device_rules_count(rules);

	if ((i - start) * RULE_SIZE + FRAME_SIZE > DEVICE_PROGRAM_MAX)
		return fail(0,
			    "linux.resources.devices: %zu rules do not fit "
			    "into one BPF program (use fewer rules)",
			    rules->nasked);
	emit_start(&to);
	while (i-- > start) {
		const struct oci_device_rule *rule = device_rule(rules, i);

		if (device_rule_is_reset(rule)) {
			emit_exit(&to, rule->allow);
			return (int)to.n;
		}
		/* The kernel has no such device. */
		if (rule->major > INT32_MAX || rule->minor > INT32_MAX)
			continue;
		emit_rule(&to, rule);
	}
	emit_exit(&to, 0);
	return (int)to.n;
}

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

static int load(const struct device_rules *rules)
{
	struct bpf_insn program[DEVICE_PROGRAM_MAX];
	int n = device_program(rules, program), fd;
	union bpf_attr attr;

	if (n < 0)
		return n;
	memset(&attr, 0, sizeof attr);
	attr.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
	attr.insns = (uintptr_t)program;
	attr.insn_cnt = (uint32_t)n;
	attr.license = (uintptr_t) "Apache-2.0";
	strcpy(attr.prog_name, "devices");
	fd = bpf(BPF_PROG_LOAD, &attr);
	return fd < 0 ? fail(errno, "load the BPF program that restricts the "
				    "container's devices") :
			fd;
}

static size_t query(int cgroup, uint32_t *ret_ids)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.query.target_fd = (uint32_t)cgroup;
	attr.query.attach_type = BPF_CGROUP_DEVICE;
	attr.query.prog_ids = (uintptr_t)ret_ids;
	attr.query.prog_cnt = OLD_MAX;
	return bpf(BPF_PROG_QUERY, &attr) < 0 ? 0 : attr.query.prog_cnt;
}

static int program_of(uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.prog_id = id;
	return bpf(BPF_PROG_GET_FD_BY_ID, &attr);
}

/* Replace `old` atomically, or attach beside existing programs if it is -1. */
static int attach(int cgroup, int program, int old)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.target_fd = (uint32_t)cgroup;
	attr.attach_bpf_fd = (uint32_t)program;
	attr.attach_type = BPF_CGROUP_DEVICE;
	attr.attach_flags = BPF_F_ALLOW_MULTI;
	if (old >= 0) {
		attr.attach_flags |= BPF_F_REPLACE;
		attr.replace_bpf_fd = (uint32_t)old;
	}
	return bpf(BPF_PROG_ATTACH, &attr);
}

static int detach(int cgroup, int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.target_fd = (uint32_t)cgroup;
	attr.attach_bpf_fd = (uint32_t)program;
	attr.attach_type = BPF_CGROUP_DEVICE;
	return bpf(BPF_PROG_DETACH, &attr);
}

/*
 * Replacing leaves no moment without a program. If there are several programs,
 * or the old one was not attached with BPF_F_ALLOW_MULTI, attach the new one
 * first: access needs the consent of all programs, so it only gets stricter.
 */
static int attach_instead(int cgroup, int program, const uint32_t *old,
			  size_t nold)
{
	autoclose int last = nold == 1 ? program_of(old[0]) : -1;

	if (last >= 0 && attach(cgroup, program, last) == 0)
		return 0;
	if (attach(cgroup, program, -1) < 0)
		return fail(
			errno,
			"attach the BPF program that restricts the container's "
			"devices");
	for (size_t i = 0; i < nold; i++) {
		autoclose int gone = program_of(old[i]);

		if (gone < 0 || detach(cgroup, gone) < 0)
			return fail(errno,
				    "detach the old BPF program (id %u) that "
				    "restricts the container's devices",
				    old[i]);
	}
	return 0;
}

int device_program_attach(const char *path, const struct device_rules *rules)
{
	autoclose int cgroup = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint32_t old[OLD_MAX];
	int r;

	if (cgroup < 0)
		return fail(errno, "open cgroup %s to restrict its devices",
			    path);

	autoclose int program = load(rules);

	if (program < 0)
		return program;
	r = attach_instead(cgroup, program, old, query(cgroup, old));
	return r < 0 ? fail_in(r, "%s", path) : 0;
}
