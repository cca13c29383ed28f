/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bpf_interpreter.h - what the kernel makes of a seccomp program. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* No action has this value; a program that ends with it is not valid. */
#define BPF_INVALID 0x12345678U

/* Whether a conditional jump is taken; -1 for a test seccomp does not have. */
static inline int bpf_test(uint16_t code, uint32_t a, uint32_t k)
{
	switch (code) {
	case BPF_JMP | BPF_JEQ | BPF_K:
		return a == k;
	case BPF_JMP | BPF_JGT | BPF_K:
		return a > k;
	case BPF_JMP | BPF_JGE | BPF_K:
		return a >= k;
	case BPF_JMP | BPF_JSET | BPF_K:
		return (a & k) != 0;
	default:
		return -1;
	}
}

static inline uint32_t bpf_run(const struct sock_filter *code, size_t len,
			       const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (size_t at = 0; at < len; at++) {
		const struct sock_filter *line = &code[at];
		int taken;

		switch (line->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (line->k % 4 || line->k >= sizeof *data)
				return BPF_INVALID;
			memcpy(&a, (const char *)data + line->k, sizeof a);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= line->k;
			break;
		case BPF_JMP | BPF_JA:
			at += line->k;
			break;
		case BPF_RET | BPF_K:
			return line->k;
		default:
			taken = bpf_test(line->code, a, line->k);
			if (taken < 0)
				return BPF_INVALID;
			at += taken ? line->jt : line->jf;
		}
	}
	return BPF_INVALID;
}
