# SPDX-License-Identifier: Apache-2.0
# libgradus-experiments: tuning, the papers' experiments and report pages, over the public headers.
#
# It also uses a few pure functions of src/base (the row /experiments of tests/lint/layers.txt): JSON,
# number formatting, random streams. libgradus.so does not export them, so the shared library has
# its own hidden copy; the static library finds them in libgradus.a.
set(experiments_base decimal error json json_scan json_write math memory names rng sort special table text)
list(TRANSFORM experiments_base REPLACE "(.+)" "src/base/\\1.c")

file(GLOB_RECURSE experiments_sources CONFIGURE_DEPENDS experiments/*.c)
# the papers' published figures and claims
set(published ${PROJECT_BINARY_DIR}/published_data.c)
file(GLOB published_tables CONFIGURE_DEPENDS experiments/data/*.tsv experiments/claims/*.tsv)
add_custom_command(OUTPUT ${published}
  COMMAND ${CMAKE_COMMAND} -D folder=${PROJECT_SOURCE_DIR}/experiments/data
    -D claims=${PROJECT_SOURCE_DIR}/experiments/claims -D output=${published}
    -P ${PROJECT_SOURCE_DIR}/cmake/published.cmake
  DEPENDS ${published_tables} cmake/published.cmake COMMENT "Embedding published figures" VERBATIM)
add_library(gradus_experiments_objects OBJECT ${experiments_sources} ${published})
add_library(gradus_experiments_static STATIC $<TARGET_OBJECTS:gradus_experiments_objects>)
add_library(gradus_experiments_shared SHARED $<TARGET_OBJECTS:gradus_experiments_objects>
  ${experiments_base} src/api/api_arguments.c)
foreach(target objects shared)
  target_include_directories(gradus_experiments_${target} PRIVATE include src .)
endforeach()
foreach(form static shared)
  set_target_properties(gradus_experiments_${form} PROPERTIES OUTPUT_NAME gradus-experiments)
  target_link_libraries(gradus_experiments_${form} PUBLIC gradus_${form} PRIVATE Threads::Threads m)
endforeach()
set_target_properties(gradus_experiments_static PROPERTIES EXPORT_NAME experiments_static)
# found next to libgradus.so, wherever the prefix is
set_target_properties(gradus_experiments_shared PROPERTIES EXPORT_NAME experiments
  VERSION ${PROJECT_VERSION} SOVERSION ${soversion} INSTALL_RPATH "$ORIGIN")
include(cmake/report.cmake)
add_dependencies(gradus_experiments_objects playground_pages)
