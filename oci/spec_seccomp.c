/* SPDX-License-Identifier: Apache-2.0 */
/* oci/spec_seccomp.c - convert linux.seccomp to numbers of the kernel. */
#include "oci/parse.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/linux.h"
#include "oci/oci.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef AUDIT_ARCH_LOONGARCH64
#define AUDIT_ARCH_LOONGARCH64 0xc0000102U
#endif

#define KERNEL_MAX_ERRNO 4095

/* An action as written, without its errno. */
struct written_action {
	bool set;
	uint32_t number;
	struct oci_u64 errno_ret;
};

static JSON_READER(read_action)
{
	static const struct json_choice actions[] = {
		{ "SCMP_ACT_KILL", SECCOMP_RET_KILL_THREAD },
		{ "SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS },
		{ "SCMP_ACT_KILL_THREAD", SECCOMP_RET_KILL_THREAD },
		{ "SCMP_ACT_TRAP", SECCOMP_RET_TRAP },
		{ "SCMP_ACT_ERRNO", SECCOMP_RET_ERRNO },
		{ "SCMP_ACT_TRACE", SECCOMP_RET_TRACE },
		{ "SCMP_ACT_ALLOW", SECCOMP_RET_ALLOW },
		{ "SCMP_ACT_LOG", SECCOMP_RET_LOG },
		{ "SCMP_ACT_NOTIFY", SECCOMP_RET_USER_NOTIF },
	};
	struct written_action *action = ret;
	uint64_t number = 0;
	int r = json_expect(v, JSON_STRING);

	(void)arena;
	if (r < 0 || !*v->text)
		return r;
	r = json_choose(v, actions, COUNT(actions), &number);
	action->set = true;
	action->number = (uint32_t)number;
	return r;
}

static int finish_action(const struct written_action *action,
			 const struct json_value *v, const char *errno_key,
			 uint32_t *ret)
{
	bool is_errno = action->number == SECCOMP_RET_ERRNO;
	bool is_trace = action->number == SECCOMP_RET_TRACE;
	uint64_t max = is_errno ? KERNEL_MAX_ERRNO : SECCOMP_RET_DATA;
	uint64_t data = action->errno_ret.set ? action->errno_ret.value : EPERM;

	if (action->errno_ret.set && !is_errno && !is_trace)
		return json_fail_key(
			v, errno_key,
			"allowed only for SCMP_ACT_ERRNO and SCMP_ACT_TRACE");
	if (data > max)
		return json_fail_key(v, errno_key,
				     "%llu is not in the range 0 to %llu",
				     (unsigned long long)data,
				     (unsigned long long)max);
	*ret = action->number;
	if (is_errno || is_trace)
		*ret |= (uint32_t)data;
	return 0;
}

static JSON_READER(read_arch)
{
	static const struct json_choice archs[] = {
		{ "SCMP_ARCH_X86", AUDIT_ARCH_I386 },
		{ "SCMP_ARCH_X86_64", AUDIT_ARCH_X86_64 },
		{ "SCMP_ARCH_X32", OCI_ARCH_X32 },
		{ "SCMP_ARCH_ARM", AUDIT_ARCH_ARM },
		{ "SCMP_ARCH_AARCH64", AUDIT_ARCH_AARCH64 },
		{ "SCMP_ARCH_LOONGARCH64", AUDIT_ARCH_LOONGARCH64 },
		{ "SCMP_ARCH_M68K", AUDIT_ARCH_M68K },
		{ "SCMP_ARCH_MIPS", AUDIT_ARCH_MIPS },
		{ "SCMP_ARCH_MIPS64", AUDIT_ARCH_MIPS64 },
		{ "SCMP_ARCH_MIPS64N32", AUDIT_ARCH_MIPS64N32 },
		{ "SCMP_ARCH_MIPSEL", AUDIT_ARCH_MIPSEL },
		{ "SCMP_ARCH_MIPSEL64", AUDIT_ARCH_MIPSEL64 },
		{ "SCMP_ARCH_MIPSEL64N32", AUDIT_ARCH_MIPSEL64N32 },
		{ "SCMP_ARCH_PARISC", AUDIT_ARCH_PARISC },
		{ "SCMP_ARCH_PARISC64", AUDIT_ARCH_PARISC64 },
		{ "SCMP_ARCH_PPC", AUDIT_ARCH_PPC },
		{ "SCMP_ARCH_PPC64", AUDIT_ARCH_PPC64 },
		{ "SCMP_ARCH_PPC64LE", AUDIT_ARCH_PPC64LE },
		{ "SCMP_ARCH_RISCV64", AUDIT_ARCH_RISCV64 },
		{ "SCMP_ARCH_S390", AUDIT_ARCH_S390 },
		{ "SCMP_ARCH_S390X", AUDIT_ARCH_S390X },
		{ "SCMP_ARCH_SH", AUDIT_ARCH_SHEL },
		{ "SCMP_ARCH_SHEB", AUDIT_ARCH_SH },
	};
	uint64_t arch = 0;
	int r = json_choose(v, archs, COUNT(archs), &arch);

	(void)arena;
	*(uint32_t *)ret = (uint32_t)arch;
	return r;
}

static JSON_READER(read_flags)
{
	static const struct json_choice words[] = {
		{ "SECCOMP_FILTER_FLAG_TSYNC", SECCOMP_FILTER_FLAG_TSYNC },
		{ "SECCOMP_FILTER_FLAG_LOG", SECCOMP_FILTER_FLAG_LOG },
		{ "SECCOMP_FILTER_FLAG_SPEC_ALLOW",
		  SECCOMP_FILTER_FLAG_SPEC_ALLOW },
		{ "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV",
		  SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV },
	};
	struct oci_seccomp *seccomp = ret;
	uint64_t flags = 0;
	int r = json_choose_all(v, words, COUNT(words), &flags);

	(void)arena;
	seccomp->has_flags = true;
	seccomp->flags = (uint32_t)flags;
	return r;
}

static JSON_READER(read_names)
{
	struct strings *names = ret;
	int r = json_strings(arena, v, names);

	if (r == 0 && names->n == 0)
		return json_fail(v, "must have at least one entry");
	return r;
}

static JSON_READER(read_op)
{
	static const struct json_choice ops[] = {
		{ "SCMP_CMP_NE", OCI_CMP_NE },
		{ "SCMP_CMP_LT", OCI_CMP_LT },
		{ "SCMP_CMP_LE", OCI_CMP_LE },
		{ "SCMP_CMP_EQ", OCI_CMP_EQ },
		{ "SCMP_CMP_GE", OCI_CMP_GE },
		{ "SCMP_CMP_GT", OCI_CMP_GT },
		{ "SCMP_CMP_MASKED_EQ", OCI_CMP_MASKED_EQ },
	};
	uint64_t op = 0;
	int r = json_choose(v, ops, COUNT(ops), &op);

	(void)arena;
	*(enum oci_seccomp_op *)ret = (enum oci_seccomp_op)op;
	return r;
}

static JSON_READER(read_index)
{
	uint32_t *index = ret;
	int r = json_u32(arena, v, index);

	if (r < 0 || *index <= 5)
		return r;
	return json_fail(v, "%s is not in the range 0 to 5", v->text);
}

static JSON_READER(read_arg)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("index", read_index, struct oci_seccomp_arg,
			      index),
		JSON_REQUIRED("value", json_u64, struct oci_seccomp_arg, value),
		JSON_FIELD("valueTwo", json_u64, struct oci_seccomp_arg,
			   value_two),
		JSON_REQUIRED("op", read_op, struct oci_seccomp_arg, op),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

/* A rule and its action as written. */
struct written_rule {
	struct oci_seccomp_rule rule;
	struct written_action action;
};

static JSON_READER(read_args)
{
	struct oci_seccomp_rule *rule = ret;

	return json_array(arena, v, read_arg, sizeof *rule->args, &rule->args,
			  &rule->nargs);
}

/* The runtime itself makes this call between filter and listener. */
static int check_notify(const struct json_value *v,
			const struct oci_seccomp_rule *rule)
{
	if (rule->action != SECCOMP_RET_USER_NOTIF)
		return 0;
	for (size_t i = 0; i < rule->names.n; i++)
		if (streq(rule->names.items[i], "write"))
			return json_fail_key(v, "action",
					     "SCMP_ACT_NOTIFY cannot be used "
					     "for the write syscall");
	return 0;
}

static JSON_READER(read_rule)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("names", read_names, struct written_rule,
			      rule.names),
		JSON_REQUIRED("action", read_action, struct written_rule,
			      action),
		JSON_FIELD("errnoRet", json_optional_u64, struct written_rule,
			   action.errno_ret),
		JSON_FIELD("args", read_args, struct written_rule, rule),
	};
	struct written_rule written = { 0 };
	int r = json_object(arena, v, fields, COUNT(fields), &written);

	if (r < 0)
		return r;
	if (!written.action.set)
		return json_fail_key(v, "action", "must not be empty");
	r = finish_action(&written.action, v, "errnoRet", &written.rule.action);
	if (r < 0)
		return r;
	*(struct oci_seccomp_rule *)ret = written.rule;
	return check_notify(v, &written.rule);
}

struct written_seccomp {
	struct oci_seccomp seccomp;
	struct written_action action;
};

static JSON_READER(read_archs)
{
	struct oci_seccomp *seccomp = ret;

	return json_array(arena, v, read_arch, sizeof *seccomp->architectures,
			  &seccomp->architectures, &seccomp->narchitectures);
}

static JSON_READER(read_rules)
{
	struct oci_seccomp *seccomp = ret;

	return json_array(arena, v, read_rule, sizeof *seccomp->rules,
			  &seccomp->rules, &seccomp->nrules);
}

static int finish_default(const struct json_value *v,
			  const struct written_action *action, uint32_t *ret)
{
	if (!action->set)
		return json_fail_key(v, "defaultAction", "required");
	if (action->number == SECCOMP_RET_USER_NOTIF)
		return json_fail_key(v, "defaultAction",
				     "SCMP_ACT_NOTIFY cannot be the default");
	return finish_action(action, v, "defaultErrnoRet", ret);
}

JSON_READER(oci_read_seccomp)
{
	static const struct json_field fields[] = {
		JSON_FIELD("defaultAction", read_action, struct written_seccomp,
			   action),
		JSON_FIELD("defaultErrnoRet", json_optional_u64,
			   struct written_seccomp, action.errno_ret),
		JSON_FIELD("architectures", read_archs, struct written_seccomp,
			   seccomp),
		JSON_FIELD("flags", read_flags, struct written_seccomp,
			   seccomp),
		JSON_FIELD("listenerPath", json_word, struct written_seccomp,
			   seccomp.listener_path),
		JSON_FIELD("listenerMetadata", json_word,
			   struct written_seccomp, seccomp.listener_metadata),
		JSON_FIELD("syscalls", read_rules, struct written_seccomp,
			   seccomp),
	};
	struct written_seccomp *written = arena_alloc(arena, sizeof *written);
	int r;

	if (!written)
		return -ENOMEM;
	r = json_object(arena, v, fields, COUNT(fields), written);
	if (r < 0)
		return r;
	if (!written->action.set && written->seccomp.nrules == 0)
		return 0;
	r = finish_default(v, &written->action,
			   &written->seccomp.default_action);
	if (r < 0)
		return r;
	*(const struct oci_seccomp **)ret = &written->seccomp;
	return 0;
}
