/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the logistic and softmax losses; sigmoid_body.h has the loops. */
#include "kernels/sigmoid.h"

#define BODY "kernels/sigmoid_body.h"
#include "kernels/every_version.h"
