#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/subreaper.py - run a script as an engine's shim does, and reap init.

subreaper.py PIDFILE SCRIPT: be a subreaper, run the script with sh, and print
"exited N" or "killed N" for the process that PIDFILE names. All other orphans
are reaped, too; one that lives on after it for ten seconds is an error.
"""

import ctypes
import os
import signal
import subprocess
import sys

PR_SET_CHILD_SUBREAPER = 36


def main():
    pid_file, script = sys.argv[1:]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if subprocess.call(["sh", "-c", script]) != 0:
        return 1
    with open(pid_file, encoding="ascii") as file:
        init = int(file.read())
    signal.alarm(60)
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return 0
        if pid == init and os.WIFEXITED(status):
            print("exited", os.WEXITSTATUS(status), flush=True)
        elif pid == init:
            print("killed", os.WTERMSIG(status), flush=True)
        if pid == init:
            signal.alarm(10)


sys.exit(main())
