#include "kernels/ordinal.h"

#include "kernels/sigmoid.h"

#define WIDTH 2
#define TARGET
#include "kernels/ordinal_body.h"

#if defined(__x86_64__)
#define WIDTH 4
#define TARGET GR_TARGET_4
#include "kernels/ordinal_body.h"

#define WIDTH 8
#define TARGET GR_TARGET_8
#include "kernels/ordinal_body.h"

const gr_ordinal_kernels *const gr_ordinal_versions[GR_VERSIONS] = { &ordinal_2, &ordinal_4,
                                                                     &ordinal_8 };
#else
const gr_ordinal_kernels *const gr_ordinal_versions[GR_VERSIONS] = { &ordinal_2 };
#endif
