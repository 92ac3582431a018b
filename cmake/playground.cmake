# SPDX-License-Identifier: Apache-2.0
# The playground: the template of offline pages, embedded in libgradus-experiments, and the page that the server
# sends.
set(playground_template ${PROJECT_BINARY_DIR}/playground_template.html)
set(playground_served ${PROJECT_BINARY_DIR}/playground_served.html)
file(GLOB playground_sources CONFIGURE_DEPENDS web/*.html web/*.css web/js/*.js)
add_custom_command(OUTPUT ${playground_template} ${playground_served}
  COMMAND ${CMAKE_COMMAND} -D web=${PROJECT_SOURCE_DIR}/web -D page=${playground_template}
    -P ${PROJECT_SOURCE_DIR}/cmake/playground_page.cmake
  COMMAND ${CMAKE_COMMAND} -D web=${PROJECT_SOURCE_DIR}/web -D page=${playground_served} -D empty=ON
    -P ${PROJECT_SOURCE_DIR}/cmake/playground_page.cmake
  DEPENDS ${playground_sources} cmake/playground_page.cmake cmake/web_modules.cmake
  COMMENT "Generating the playground" VERBATIM)
set_source_files_properties(experiments/report/playground_template.c PROPERTIES
  OBJECT_DEPENDS ${playground_template} COMPILE_DEFINITIONS "PLAYGROUND_FILE=\"${playground_template}\"")
add_custom_target(playground_pages DEPENDS ${playground_template} ${playground_served})
