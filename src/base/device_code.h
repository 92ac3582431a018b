/* SPDX-License-Identifier: Apache-2.0 */
/* How a function is declared that both the library and kernels of a device call: the same source
 * gives the same bits. GR_HOST_AND_DEVICE: also called by the host code of a plug-in. */
#ifndef GR_BASE_DEVICE_CODE_H
#define GR_BASE_DEVICE_CODE_H

#ifdef __CUDACC__
#define GR_DEVICE static __device__ __forceinline__
#define GR_HOST_AND_DEVICE static __host__ __device__ __forceinline__
#else
#define GR_DEVICE static inline
#define GR_HOST_AND_DEVICE static inline
#endif

#endif
