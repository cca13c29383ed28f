#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# autogen.sh - make ./configure from configure.ac.
set -e
cd "$(dirname "$0")"
exec autoreconf --force --install
