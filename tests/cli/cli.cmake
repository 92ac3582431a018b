# SPDX-License-Identifier: Apache-2.0
# The command, tried as a user would: one test for each tests/cli/*.bats.
find_program(BATS bats)
if(NOT BATS)
  message(FATAL_ERROR "bats is not installed (Debian: bats), and the tests of the command need it; "
    "-DGRADUS_TESTS=OFF builds without tests")
endif()
file(GLOB cli_tests CONFIGURE_DEPENDS cli/*.bats)
foreach(file ${cli_tests})
  get_filename_component(name ${file} NAME_WE)
  add_test(NAME cli_${name} COMMAND ${BATS} ${file})
  set_tests_properties(cli_${name} PROPERTIES ENVIRONMENT
    "GRADUS=$<TARGET_FILE:gradus_command>;SOURCE=${PROJECT_SOURCE_DIR};${few_compilers}")
endforeach()
# Label text: tests of messages, help, paths and pages, which compute little. Sanitizers watch them in the
# stage debug; the stage clang compares the output of each command in cli_docs_examples.
foreach(name ascii bad_input bad_regressors bad_training commands docs feature_names help help_pages inputs
    letor_note max_memory options page paths renamed report reports show_ensembles signals terminal version)
  set_tests_properties(cli_${name} PROPERTIES LABELS text)
endforeach()
set_tests_properties(cli_tally PROPERTIES LABELS source)
