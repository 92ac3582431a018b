/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of losses for ordered grades; ordinal_body.h has the loops. */
#include "kernels/ordinal.h"

#include "kernels/sigmoid.h"

#define BODY "kernels/ordinal_body.h"
#include "kernels/every_version.h"
