# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the examples in the comments of the public headers.
file(GLOB header_parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/gradus/*.h)
foreach(header gradus gradus_experiments)
  set(path ${PROJECT_SOURCE_DIR}/include/${header}.h)
  set(program ${PROJECT_BINARY_DIR}/examples_of_${header}.c)
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/header_examples.sh ${path} ${program}
    DEPENDS ${path} ${header_parts} ${CMAKE_CURRENT_LIST_DIR}/header_examples.sh VERBATIM)
  add_executable(examples_of_${header} ${program})
  target_link_libraries(examples_of_${header} PRIVATE gradus_experiments_static m)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/examples_of_${header}.files)
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME examples_of_${header} COMMAND examples_of_${header} WORKING_DIRECTORY ${folder})
endforeach()
