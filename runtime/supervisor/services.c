/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/supervisor/services.c - the table of services. */
#include "runtime/supervisor/service.h"

/* A NULL ends the list, so that it may be empty. */
const struct supervisor_service *const supervisor_services[] = {
	&supervisor_control,
	&supervisor_listeners,
	&supervisor_denied_names,
	&supervisor_network,
	NULL,
};

const size_t supervisor_nservices =
	sizeof supervisor_services / sizeof *supervisor_services - 1;
