# SPDX-License-Identifier: Apache-2.0
# Lints of the sources and of the built library, each a script that reports violations. Instrumented
# builds have their own symbols and state.
set(lints layers base_names declared definitions quiet sizes selftest null_rows comments format heads
  phrases nolint)
if(NOT CMAKE_C_FLAGS_DEBUG MATCHES coverage)
  list(APPEND lints symbols)
  if(NOT GRADUS_SANITIZE)
    list(APPEND lints state)
  endif()
endif()
foreach(lint ${lints})
  add_test(NAME lint_${lint} COMMAND ${CMAKE_CURRENT_LIST_DIR}/${lint}.sh
    ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endforeach()
set_tests_properties(lint_format PROPERTIES SKIP_RETURN_CODE 77)
