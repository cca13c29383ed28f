# SPDX-License-Identifier: Apache-2.0
# dev.mk - targets for those who change the code.

ROOMS = base oci policy confine cgroups network cow hooks control runtime systemd resolve
LINT_FLAGS = -D_GNU_SOURCE -I. -std=gnu11 \
	-Wall -Wextra -O2 -D_FORTIFY_SOURCE=2 $(CAP_CFLAGS) $(SECCOMP_CFLAGS) $(YAJL_CFLAGS)
FIND_C = find $(ROOMS) tests -name '*.c'
FIND_FORMATTED = find $(ROOMS) tests -name '*.[ch]'
FIND_SHELL = find $$(ls -d .ci 2>/dev/null) autogen.sh quickstart contrib/completion tests -type f \
	'(' -name '*.bats' -o -name '*.bash' -o \
	-perm -100 -exec grep -Iq '^\#!.*sh' {} ';' ')'

# Other versions of clang-format lay out some lines differently.
CLANG_FORMAT_VERSION = 14
format:
	cd $(srcdir) && $(FIND_FORMATTED) -exec $(CLANG_FORMAT) -i {} +

lint: lint-format lint-tidy lint-cppcheck lint-shell

lint-format:
	@$(CLANG_FORMAT) --version | \
		grep -q 'version $(CLANG_FORMAT_VERSION)\.' || { \
		echo "the tree is formatted by clang-format" \
			"$(CLANG_FORMAT_VERSION)" >&2; exit 1; }
	cd $(srcdir) && $(FIND_FORMATTED) -exec $(CLANG_FORMAT) --dry-run \
		-Werror {} +

lint-tidy:
	cd $(srcdir) && $(FIND_C) -print0 | xargs -0 -n 4 -P $$(nproc) \
		sh -c '$(CLANG_TIDY) --quiet "$$@" -- $(LINT_FLAGS) \
			2>/dev/null' tidy

# snprintf may have no buffer when it only counts.
lint-cppcheck:
	cd $(srcdir) && $(CPPCHECK) --quiet --error-exitcode=1 --std=c11 \
		-j $$(nproc) --enable=warning,performance,portability \
		--suppress=nullPointer:runtime/plan/print.c \
		-D_GNU_SOURCE -I. \
		-D'__attribute__(x)=' $(ROOMS)

lint-shell:
	cd $(srcdir) && $(FIND_SHELL) -print0 | \
		xargs -0 $(SHELLCHECK) --shell=bash --external-sources

# A second build beside this one, from a copy of the sources: this directory
# may be configured itself. Only what changed is compiled again.
copied = \
	chmod -R u+w build-$(1).new 2>/dev/null; rm -rf build-$(1).new; \
	$(MAKE) $(AM_MAKEFLAGS) distdir distdir=build-$(1).new && \
	mkdir -p build-$(1) && cp -Rpu build-$(1).new/. build-$(1) && \
	rm -rf build-$(1).new && cd build-$(1)
instrumented = \
	$(call copied,$(1)) && \
	{ test -f config.status || ./configure --quiet \
		--disable-static-binary --disable-hardening \
		CFLAGS='$(2)'; } && \
	$(MAKE) $(AM_MAKEFLAGS) check

ASAN_CFLAGS = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
asan:
	+$(call instrumented,asan,$(ASAN_CFLAGS))

# The sources and what is built of them, for patches that take defences out.
breakable:
	+$(call copied,breakable) && \
	{ test -f config.status || ./configure --quiet; } && \
	$(MAKE) $(AM_MAKEFLAGS) sandlock-oci$(EXEEXT) sandlock$(EXEEXT) \
		sandlock-resolve$(EXEEXT)

# What ends by _exit or exec writes no counts: the child's side shows as
# untouched although the behaviour tests walk through it. gcc's own execve
# would try, inside the container, and tell everybody that it cannot.
coverage:
	-+$(call instrumented,coverage,-O0 -g --coverage -fno-builtin-execve)
	cd build-coverage && $(GCOVR) --root . --exclude tests/ \
		--print-summary --html-details coverage.html

# valgrind knows too few system calls for more than pure code, and is slow.
IMPURE = tests/fuzz/% %_kernel %container %control_server %device_bpf %foreground %hooks %idmap %netdev \
	%seccomp
valgrind: $(check_PROGRAMS)
	for t in $(filter-out $(IMPURE),$(check_PROGRAMS)); do \
		$(VALGRIND) --quiet --error-exitcode=1 --leak-check=full \
			./$$t || exit 1; \
	done

# Any bytes to a target of tests/fuzz, for FUZZ_TIME seconds: all of them, or
# fuzz-NAME. What was interesting is kept in build-fuzz/corpus.
CLANG = clang
FUZZ_TIME = 300
FUZZ_CFLAGS = $(ASAN_CFLAGS) -fsanitize=fuzzer-no-link
fuzz-build:
	+$(call copied,fuzz) && \
	{ test -f config.status || ./configure --quiet \
		--disable-static-binary --disable-hardening --disable-systemd \
		--disable-werror CC='$(CLANG)' CFLAGS='$(FUZZ_CFLAGS)' \
		LIB_FUZZING_ENGINE=-fsanitize=fuzzer; } && \
	$(MAKE) $(AM_MAKEFLAGS) $(FUZZ_TARGETS)

fuzz: fuzz-build
	FUZZ_TIME='$(FUZZ_TIME)' $(srcdir)/tests/fuzz/run build-fuzz \
		$(notdir $(FUZZ_TARGETS))

fuzz-%: fuzz-build
	FUZZ_TIME='$(FUZZ_TIME)' $(srcdir)/tests/fuzz/run build-fuzz $*

# For another processor, in an emulator of it; see tests/cross/build.
aarch64: sandlock-oci$(EXEEXT)
	+$(call copied,aarch64) && tests/cross/build . && \
	SANDLOCK_NATIVE='$(abs_builddir)/sandlock-oci' SANDLOCK_EMULATED=1 \
		LD=aarch64-linux-gnu-ld $(MAKE) $(AM_MAKEFLAGS) check \
		AM_LOG_FLAGS=./emulate \
		TESTS='$(SHELL_TESTS) $(UNIT_TESTS) tests/cross/aarch64.bats'

# For macOS, by zig; see tests/cross/darwin.
darwin:
	$(srcdir)/tests/cross/darwin build-darwin

# With musl, whose programs start sooner; see tests/cross/musl.
MUSL_TESTS = tests/cross/musl.bats tests/exec.bats tests/failures.bats \
	tests/lifecycle.bats tests/sandlock-run.bats tests/signals.bats
musl: sandlock-oci$(EXEEXT)
	+if ! command -v musl-gcc gperf >/dev/null; then \
		echo "musl: skipped: musl-tools or gperf is not installed"; \
	else \
		$(call copied,musl) && tests/cross/musl . && \
		SANDLOCK_NATIVE='$(abs_builddir)/sandlock-oci' \
			$(MAKE) $(AM_MAKEFLAGS) check \
			TESTS='$(SHELL_TESTS) $(UNIT_TESTS) $(MUSL_TESTS)'; \
	fi

clean-local:
	-chmod -R u+w build-* 2>/dev/null
	rm -rf build-aarch64 build-asan build-breakable build-coverage \
		build-fuzz build-musl build-*.new

.PHONY: aarch64 asan bench bench-gate bench-programs breakable coverage \
	darwin format fuzz fuzz-build lint lint-format lint-tidy lint-cppcheck lint-shell musl valgrind
