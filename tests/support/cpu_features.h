/* SPDX-License-Identifier: Apache-2.0 */
/* Hides features of the CPU from __builtin_cpu_supports. */
#ifndef GR_TESTS_CPU_FEATURES_H
#define GR_TESTS_CPU_FEATURES_H

/* Feature bits, as in gcc's cpuinfo.h: POPCNT, SSE4.2 and AVX2; all of AVX-512; VBMI. */
#define HIDDEN_AVX2 (1u << 2 | 1u << 8 | 1u << 10)
#define HIDDEN_AVX512 (1u << 15 | 0xfff00000u)
#define HIDDEN_AVX512_VBMI (1u << 26)

/* 0: shows all features again. Not thread-safe. */
void hide_cpu_features(unsigned bits);

#endif
