/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of ranks; ranks_body.h has the loop. */
#include "kernels/ranks.h"

#define BODY "kernels/ranks_body.h"
#include "kernels/every_version.h"
