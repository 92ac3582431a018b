/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sigmoid.h"

#define BODY "kernels/sigmoid_body.h"
#include "kernels/every_version.h"

const gr_sigmoid_kernels *const gr_sigmoid_versions[GR_VERSIONS] = GR_EVERY_VERSION(&kernels);
