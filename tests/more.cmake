# SPDX-License-Identifier: Apache-2.0
# Lints of the sources and of the built library, each a script that reports violations. Instrumented
# builds have their own symbols and state.
set(lints layers quiet sizes selftest null_rows comments format heads phrases nolint)
if(NOT CMAKE_C_FLAGS_DEBUG MATCHES coverage)
  list(APPEND lints symbols)
  if(NOT GRADUS_SANITIZE)
    list(APPEND lints state)
  endif()
endif()
foreach(lint ${lints})
  add_test(NAME lint_${lint} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/lint/${lint}.sh
    ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endforeach()
set_tests_properties(lint_format PROPERTIES SKIP_RETURN_CODE 77)

# Makes the n-th allocation of the library fail, for every n.
foreach(function malloc calloc realloc aligned_alloc strdup strndup mmap mremap)
  foreach(program test_allocation test_allocation_training test_allocation_experiments)
    target_link_options(${program} PRIVATE -Wl,--wrap=${function})
  endforeach()
endforeach()
