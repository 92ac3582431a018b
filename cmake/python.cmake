# SPDX-License-Identifier: Apache-2.0
# The Python package in ${build}/python: the extension gradus._core, and links to the modules of
# python/gradus. Use it with PYTHONPATH=${build}/python; python/setup.py makes the wheel.
#
# The extension contains the static libraries and exports only PyInit__core. It uses Python's stable ABI,
# so that the same file works with Python 3.11 and all later versions.
set(GRADUS_PYTHON AUTO CACHE STRING "build the Python package: AUTO (if Python is there), ON or OFF")
set_property(CACHE GRADUS_PYTHON PROPERTY STRINGS AUTO ON OFF)
if(NOT GRADUS_PYTHON)
  return()
endif()

# the system's Python, which has numpy and the others, unless the user names one
if(NOT Python3_EXECUTABLE AND NOT Python3_ROOT_DIR AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.11 QUIET COMPONENTS Interpreter Development.Module)
if(NOT Python3_FOUND)
  if(GRADUS_PYTHON STREQUAL AUTO)
    message(STATUS "python: not built: python3-dev is missing")
    return()
  endif()
  message(FATAL_ERROR "python: needs Python 3.11 or later with its headers (Debian: python3-dev)")
endif()
message(STATUS "python: ${Python3_EXECUTABLE} (${Python3_VERSION})")

set(python_folder ${PROJECT_BINARY_DIR}/python/gradus)
file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.c)
add_library(gradus_python MODULE ${python_sources})
target_include_directories(gradus_python PRIVATE include python/src)
target_include_directories(gradus_python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
# METH_FASTCALL functions are cast to PyCFunction, and tables of types end with zeros.
target_compile_options(gradus_python PRIVATE -Wno-cast-function-type -Wno-missing-field-initializers)
target_link_libraries(gradus_python PRIVATE gradus_experiments_static m)
set(exported ${PROJECT_SOURCE_DIR}/python/src/exported.map)
target_link_options(gradus_python PRIVATE -Wl,--version-script=${exported})
set_target_properties(gradus_python PROPERTIES PREFIX "" OUTPUT_NAME _core SUFFIX .abi3.so
  LIBRARY_OUTPUT_DIRECTORY ${python_folder} LINK_DEPENDS ${exported})

file(GLOB_RECURSE python_modules CONFIGURE_DEPENDS LIST_DIRECTORIES FALSE
  RELATIVE ${PROJECT_SOURCE_DIR}/python/gradus python/gradus/*.py python/gradus/*.pyi python/gradus/py.typed)
file(GLOB_RECURSE python_links LIST_DIRECTORIES FALSE
  RELATIVE ${python_folder} ${python_folder}/*.py ${python_folder}/*.pyi)
foreach(name ${python_links}) # of modules that have been removed
  if(IS_SYMLINK ${python_folder}/${name} AND NOT EXISTS ${python_folder}/${name})
    file(REMOVE ${python_folder}/${name})
  endif()
endforeach()
foreach(name ${python_modules})
  get_filename_component(folder ${python_folder}/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/gradus/${name} ${python_folder}/${name} SYMBOLIC)
endforeach()

# Stubs of what is made at run time from the parameter tables, for type checkers and editors. An instrumented
# extension cannot be loaded by a plain Python.
if(NOT GRADUS_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  file(GLOB stub_sources CONFIGURE_DEPENDS python/gradus/*.py)
  set(make_stubs ${PROJECT_SOURCE_DIR}/python/tools/make_stubs.py)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/python/stubs.made
    BYPRODUCTS ${python_folder}/_options.pyi ${python_folder}/synth.pyi
    COMMAND ${Python3_EXECUTABLE} -B ${make_stubs} ${python_folder}
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/python/stubs.made
    DEPENDS gradus_python ${make_stubs} ${stub_sources}
    COMMENT "Generating stubs of the Python package" VERBATIM)
  add_custom_target(gradus_python_stubs ALL DEPENDS ${PROJECT_BINARY_DIR}/python/stubs.made)
endif()
