/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/supervisor/notifier.c - listeners, handlers and the filter. */
#include "runtime/supervisor/notifier.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/loop.h"
#include "confine/bpf.h"
#include "confine/confine.h"
#include "oci/oci.h"

/* Newer than the headers that we build with. */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, uint64_t)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 1UL
#endif

int notifier_open(struct arena *arena, struct loop *loop, struct notifier *ret)
{
	struct seccomp_notif_sizes sizes;

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0)
		return fail(errno, "ask for the size of seccomp notifications");
	*ret = (struct notifier){ .loop = loop };
	ret->request_size = sizes.seccomp_notif;
	if (ret->request_size < sizeof(struct seccomp_notif))
		ret->request_size = sizeof(struct seccomp_notif);
	ret->answer_size = sizes.seccomp_notif_resp;
	if (ret->answer_size < sizeof(struct seccomp_notif_resp))
		ret->answer_size = sizeof(struct seccomp_notif_resp);
	ret->request = arena_alloc(arena, ret->request_size);
	ret->answer = arena_alloc(arena, ret->answer_size);
	for (size_t i = 0; i < NOTIFIER_LISTENERS; i++)
		ret->listeners[i].fd = -1;
	return ret->request && ret->answer ? 0 : -ENOMEM;
}

static void stop_listening(struct notifier_listener *listener)
{
	if (listener->fd < 0)
		return;
	loop_remove(listener->notifier->loop, listener->source);
	closep(&listener->fd);
}

void notifier_close(struct notifier *notifier)
{
	for (size_t i = 0; notifier->loop && i < NOTIFIER_LISTENERS; i++)
		stop_listening(&notifier->listeners[i]);
}

static const struct notifier_handler *find(const struct notifier *notifier,
					   int number)
{
	for (size_t i = 0; i < notifier->nhandlers; i++)
		if (notifier->handlers[i].number == number)
			return &notifier->handlers[i];
	return NULL;
}

int notifier_handle(struct notifier *notifier, int number,
		    struct notifier_answer (*answer)(
			    void *ctx, const struct notifier_call *call),
		    void *ctx)
{
	if (find(notifier, number))
		return fail(EEXIST, "handle system call %d twice", number);
	if (notifier->nhandlers == NOTIFIER_HANDLERS)
		return fail(ENOSPC, "handle more than %d system calls",
			    NOTIFIER_HANDLERS);
	notifier->handlers[notifier->nhandlers++] =
		(struct notifier_handler){ number, answer, ctx };
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct bpf_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

int notifier_filter(struct arena *arena, const struct notifier *notifier,
		    struct confine_filter *ret)
{
	/* Each call begins a range, and the one after it. */
	struct bpf_range *ranges =
		arena_array(arena, 2 * notifier->nhandlers + 1, sizeof *ranges);
	struct bpf_arch arch = { .audit_arch = confine_arch(),
				 .ranges = ranges };
	size_t n = 0;
	int r;

	if (!ranges)
		return -ENOMEM;
	if (!find(notifier, 0))
		ranges[n++].otherwise = SECCOMP_RET_ALLOW;
	for (size_t i = 0; i < notifier->nhandlers; i++) {
		int number = notifier->handlers[i].number;

		ranges[n].first = (uint32_t)number;
		ranges[n++].otherwise = SECCOMP_RET_USER_NOTIF;
		if (find(notifier, number + 1))
			continue;
		ranges[n].first = (uint32_t)number + 1;
		ranges[n++].otherwise = SECCOMP_RET_ALLOW;
	}
	qsort(ranges, n, sizeof *ranges, compare);
	arch.nranges = n;
	*ret = (struct confine_filter){
		.flags = SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		.notifies = true,
	};
	/* The filter of the policy kills calls of another architecture. */
	r = bpf_generate(arena, &arch, 1, SECCOMP_RET_KILL_PROCESS, &ret->code,
			 &ret->len);
	return r;
}

int notifier_check(const struct oci_seccomp *profile, const char *key)
{
	if (!profile || !profile->listener_path)
		return 0;
	return fail(0,
		    "%s requires a seccomp listener, but linux.seccomp has "
		    "listenerPath '%s', and a process can have only one: "
		    "remove one of them",
		    key, profile->listener_path);
}

/* ---- one call ---- */

static int send_answer(struct notifier *notifier,
		       const struct notifier_call *call,
		       const struct notifier_answer *given)
{
	struct seccomp_notif_resp *answer = notifier->answer;

	memset(answer, 0, notifier->answer_size);
	answer->id = call->id;
	if (given->kind == NOTIFIER_ERROR)
		answer->error = -(int)given->value;
	if (given->kind == NOTIFIER_VALUE)
		answer->val = given->value;
	if (given->kind == NOTIFIER_KERNEL)
		answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	return ioctl(call->listener, SECCOMP_IOCTL_NOTIF_SEND, answer);
}

/* Install the descriptor and answer in one step, if the kernel can. */
static int send_fd(struct notifier *notifier, const struct notifier_call *call,
		   const struct notifier_answer *given)
{
	autoclose int fd = (int)given->value;
	struct seccomp_notif_addfd add = {
		.id = call->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (uint32_t)fd,
		.newfd_flags = given->cloexec ? O_CLOEXEC : 0,
	};
	struct notifier_answer number;
	int installed = ioctl(call->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);

	if (installed >= 0 || errno == ENOENT)
		return installed;
	if (errno == EINVAL) {
		/* Before Linux 5.14. */
		add.flags = 0;
		installed =
			ioctl(call->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
	}
	number = installed < 0 ? notifier_error(errno) :
				 notifier_value(installed);
	return send_answer(notifier, call, &number);
}

static void answer_call(struct notifier *notifier,
			const struct notifier_call *call)
{
	const struct notifier_handler *handler = find(notifier, call->number);
	struct notifier_answer answer = notifier_error(ENOSYS);
	int r;

	if (handler)
		answer = handler->answer(handler->ctx, call);
	r = answer.kind == NOTIFIER_FD ? send_fd(notifier, call, &answer) :
					 send_answer(notifier, call, &answer);
	/* ENOENT: the caller was killed meanwhile. */
	if (r < 0 && errno != ENOENT)
		log_warning("cannot answer system call %d of process %d: %s",
			    call->number, call->tid, errno_text(errno));
}

static int receive(struct notifier_listener *listener)
{
	struct notifier *notifier = listener->notifier;
	struct seccomp_notif *request = notifier->request;
	struct notifier_call call = { .listener = listener->fd };

	/* The kernel refuses a buffer that is not zero. */
	memset(request, 0, notifier->request_size);
	if (ioctl(listener->fd, SECCOMP_IOCTL_NOTIF_RECV, request) < 0)
		return errno == EINTR || errno == ENOENT ?
			       0 :
			       fail(errno, "receive a system call");
	call.id = request->id;
	call.tid = (pid_t)request->pid;
	call.number = request->data.arch == confine_arch() ? request->data.nr :
							     -1;
	memcpy(call.args, request->data.args, sizeof call.args);
	answer_call(notifier, &call);
	return 0;
}

/* Without a process, RECV fails for ever: the hang-up is the end. */
static int on_listener(void *ctx, short revents)
{
	struct notifier_listener *listener = ctx;

	if (revents & POLLIN)
		return receive(listener);
	if (revents & (POLLHUP | POLLERR))
		stop_listening(listener);
	return 0;
}

/* ---- listeners ---- */

/* A descriptor of another kind answers with another error. */
static bool is_listener(int fd)
{
	uint64_t id = 0;

	return ioctl(fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) < 0 &&
	       errno == ENOENT;
}

int notifier_listen(struct notifier *notifier, int listener)
{
	autoclose int fd = listener;
	struct notifier_listener *place = NULL;
	int r;

	if (!is_listener(fd))
		return fail(EINVAL, "descriptor %d is no seccomp listener", fd);
	for (size_t i = 0; !place && i < NOTIFIER_LISTENERS; i++)
		if (notifier->listeners[i].fd < 0)
			place = &notifier->listeners[i];
	if (!place)
		return fail(ENOSPC,
			    "serve more than %d seccomp listeners (end some "
			    "processes of exec)",
			    NOTIFIER_LISTENERS);
	/* Since Linux 6.6: the caller waits on this processor. */
	(void)ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
		    SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	r = loop_add(notifier->loop, fd, POLLIN, on_listener, place);
	if (r < 0)
		return r;
	*place = (struct notifier_listener){ notifier, take_fd(&fd), r };
	return 0;
}
