/* SPDX-License-Identifier: Apache-2.0 */
/* darwin/elevated.c - refuse to run with rights that the caller lacks. */
#include "runtime/cli/elevated.h"

#include <unistd.h>

#include "base/err.h"

int elevated_refuse(void)
{
	if (!issetugid())
		return 0;
	return fail(0,
		    "refusing to run with elevated privileges (set-user-ID "
		    "or set-group-ID): any caller of this program would gain "
		    "them; remove them from the file (chmod ug-s)");
}
