/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/commands.h - the commands of sandlock-oci, one file each. */
#pragma once

#include "runtime/cli/command.h"
#include "runtime/container/session.h"

extern const struct command command_create, command_start, command_state,
	command_kill, command_delete, command_run, command_exec, command_ps,
	command_list, command_pause, command_resume, command_update,
	command_events, command_spec, command_features, command_checkpoint,
	command_restore, command_explain, command_inspect, command_ports;
