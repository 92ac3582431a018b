# SPDX-License-Identifier: Apache-2.0
# Programs for scripts/soak.sh: one damages files, one hides CPU features.
add_executable(soak_mutate ${CMAKE_CURRENT_LIST_DIR}/mutate.c)
target_link_libraries(soak_mutate PRIVATE gradus_test_support m)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_executable(gradus_limited ${CMAKE_CURRENT_LIST_DIR}/limited_main.c
    $<TARGET_OBJECTS:gradus_cli> ${CMAKE_CURRENT_LIST_DIR}/../web/no_page.c)
  target_include_directories(gradus_limited PRIVATE ${PROJECT_SOURCE_DIR}/cli)
  target_link_libraries(gradus_limited PRIVATE gradus_server gradus_test_support m)
endif()
