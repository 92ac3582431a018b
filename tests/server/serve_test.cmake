# SPDX-License-Identifier: Apache-2.0
# gradus serve, with requests over loopback and socket files; skipped without node or libmicrohttpd. It is the
# test of the server's threads, so it runs under the thread sanitizer too.
add_dependencies(thread_tests gradus_command)
add_test(NAME serve COMMAND ${CMAKE_CURRENT_LIST_DIR}/run_tests.sh)
set_tests_properties(serve PROPERTIES SKIP_RETURN_CODE 77 LABELS threads
  ENVIRONMENT "GRADUS=$<TARGET_FILE:gradus_command>")
