# SPDX-License-Identifier: Apache-2.0
# Installs into a temporary folder and builds programs against it, in each way that users do.
# Then, with any nvcc: whether one that is too old breaks the build.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT GRADUS_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME install
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/install_check.sh ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER})
  set_tests_properties(install PROPERTIES LABELS install)
endif()
add_test(NAME cuda_check COMMAND ${CMAKE_CURRENT_LIST_DIR}/cuda_check.sh ${PROJECT_SOURCE_DIR})
