#include "kernels/sigmoid.h"

#define WIDTH 2
#define TARGET
#include "kernels/sigmoid_body.h"

#if defined(__x86_64__)
#define WIDTH 4
#define TARGET GR_TARGET_4
#include "kernels/sigmoid_body.h"

#define WIDTH 8
#define TARGET GR_TARGET_8
#include "kernels/sigmoid_body.h"

const gr_sigmoid_kernels *const gr_sigmoid_versions[GR_VERSIONS] = { &kernels_2, &kernels_4,
                                                                     &kernels_8 };
#else
const gr_sigmoid_kernels *const gr_sigmoid_versions[GR_VERSIONS] = { &kernels_2 };
#endif
