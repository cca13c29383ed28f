/* SPDX-License-Identifier: Apache-2.0 */
/* base/elf.c - find the loader of a program in headers that are not trusted. */
#include "base/elf.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Program headers that are read by one call; few programs have more. */
#define AT_ONCE 16

bool elf_is(const char *header, size_t len)
{
	return len >= sizeof(Elf64_Ehdr) &&
	       memcmp(header, ELFMAG, SELFMAG) == 0;
}

static void read_text(int fd, uint64_t offset, uint64_t size, char *ret)
{
	ssize_t n = pread(fd, ret,
			  size < ELF_INTERPRETER ? (size_t)size :
						   ELF_INTERPRETER - 1,
			  (off_t)offset);

	ret[n > 0 ? n : 0] = '\0';
}

void elf_interpreter(int fd, const char *header, size_t len, char *ret)
{
	union {
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} h;
	union {
		Elf64_Phdr p64;
		Elf32_Phdr p32;
	} p;
	char headers[AT_ONCE * sizeof p];
	unsigned int count;
	ssize_t have = 0;
	uint64_t at;
	size_t size;
	bool wide;

	ret[0] = '\0';
	if (!elf_is(header, len))
		return;
	memcpy(&h, header, sizeof h);
	wide = header[EI_CLASS] == ELFCLASS64;
	at = wide ? h.e64.e_phoff : h.e32.e_phoff;
	count = wide ? h.e64.e_phnum : h.e32.e_phnum;
	size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	for (unsigned int i = 0; i < count; i++) {
		if (i % AT_ONCE == 0)
			have = pread(fd, headers, AT_ONCE * size,
				     (off_t)(at + i * size));
		if (have < (ssize_t)((i % AT_ONCE + 1) * size))
			return;
		memcpy(&p, headers + i % AT_ONCE * size, size);
		if ((wide ? p.p64.p_type : p.p32.p_type) != PT_INTERP)
			continue;
		read_text(fd, wide ? p.p64.p_offset : p.p32.p_offset,
			  wide ? p.p64.p_filesz : p.p32.p_filesz, ret);
		return;
	}
}

void elf_script_interpreter(const char *header, size_t len, char *ret)
{
	size_t i = 2, n = 0;

	ret[0] = '\0';
	if (len < 3 || header[0] != '#' || header[1] != '!')
		return;
	while (i < len && (header[i] == ' ' || header[i] == '\t'))
		i++;
	while (i < len && n + 1 < ELF_INTERPRETER && header[i] &&
	       header[i] != '\n' && header[i] != ' ' && header[i] != '\t')
		ret[n++] = header[i++];
	ret[n] = '\0';
}
