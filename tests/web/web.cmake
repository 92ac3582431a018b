# SPDX-License-Identifier: Apache-2.0
# Tests of reports in a headless browser; skipped if there is none.
add_test(NAME web_report COMMAND ${CMAKE_CURRENT_LIST_DIR}/run.sh
  $<TARGET_FILE:gradus_command> ${PROJECT_BINARY_DIR}/web)
set_tests_properties(web_report PROPERTIES SKIP_RETURN_CODE 77 LABELS web)

add_test(NAME web_playground COMMAND ${CMAKE_CURRENT_LIST_DIR}/playground.sh
  $<TARGET_FILE:gradus_command> ${PROJECT_BINARY_DIR}/web)
set_tests_properties(web_playground PROPERTIES SKIP_RETURN_CODE 77 LABELS web)

# The command as built without Chart.js.
add_executable(gradus_without_charts ${PROJECT_SOURCE_DIR}/cli/main.c
  $<TARGET_OBJECTS:gradus_cli> ${CMAKE_CURRENT_LIST_DIR}/no_page.c)
target_include_directories(gradus_without_charts PRIVATE ${PROJECT_SOURCE_DIR}/cli
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
target_link_libraries(gradus_without_charts PRIVATE gradus_server gradus_experiments_static m)
set_property(TEST cli_report APPEND PROPERTY ENVIRONMENT
  "WITHOUT_CHARTS=$<TARGET_FILE:gradus_without_charts>")
