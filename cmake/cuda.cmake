# SPDX-License-Identifier: Apache-2.0
# The plug-in for NVIDIA GPUs, libgradus-cuda.so, if nvcc is installed. The command opens it at run time and
# does not need CUDA otherwise; neither does the build. Sanitizers do not reach it, so builds with one leave
# it out: the tests run the bodies of its kernels as C.
option(GRADUS_CUDA "build the plug-in for CUDA if nvcc is found" ON)
set(cuda_plugin)
find_program(NVCC nvcc HINTS /usr/local/cuda/bin)
# -fmad=false and -ffp-contract=off: the same bits as on the processor.
set(cuda_flags -O3 -std=c++17 -fmad=false -lineinfo
  -Xcompiler=-fPIC,-fvisibility=hidden,-ffp-contract=off,-Wall,-Wextra
  -gencode arch=compute_80,code=sm_80
  -gencode arch=compute_90,code=[sm_90,compute_90])

# Whether nvcc can compile and link for CUDA what the plug-in needs; an old one, or one that does not support
# the C++ compiler, must not break the build of the rest. Tried again if nvcc or the flags have changed.
function(gradus_cuda_usable result)
  execute_process(COMMAND ${NVCC} --version OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
  set(version "of unknown version")
  if(found MATCHES "release ([0-9.]+)")
    set(version ${CMAKE_MATCH_1})
  endif()
  set(probe ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda_probe.cu)
  file(SHA256 ${probe} sum)
  string(SHA256 key "${NVCC} ${found} ${cuda_flags} ${sum}")
  if(NOT GRADUS_CUDA_PROBED STREQUAL key)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cuda)
    execute_process(
      COMMAND ${NVCC} ${cuda_flags} -shared -Xlinker=-z,defs ${probe} -o ${PROJECT_BINARY_DIR}/cuda/probe.so
      OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
    file(WRITE ${PROJECT_BINARY_DIR}/cuda/probe.log "${output}\n${failed}\n")
    if(NOT failed EQUAL 0)
      message(STATUS "nvcc ${version} cannot build the plug-in for CUDA (needs 12.4 or later); building without it "
        "(reason: cuda/probe.log)")
      set(${result} FALSE PARENT_SCOPE)
      return()
    endif()
    set(GRADUS_CUDA_PROBED ${key} CACHE INTERNAL "nvcc and flags that can build the plug-in for CUDA")
  endif()
  set(${result} TRUE PARENT_SCOPE)
endfunction()

set(cuda_usable FALSE)
if(GRADUS_CUDA AND NOT GRADUS_SANITIZE AND NVCC)
  gradus_cuda_usable(cuda_usable)
elseif(GRADUS_CUDA AND NOT GRADUS_SANITIZE)
  message(STATUS "gradus train --device cuda: nvcc not found (CUDA toolkit); building without that plug-in")
endif()
if(cuda_usable)
  list(APPEND cuda_flags
    -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/plugins/cuda -I${PROJECT_SOURCE_DIR})
  set(cuda_objects)
  file(GLOB cuda_sources CONFIGURE_DEPENDS plugins/cuda/*.cu)
  # The plug-in gives out the tables of the files that are there.
  foreach(part trees boost score valid)
    if(EXISTS ${PROJECT_SOURCE_DIR}/plugins/cuda/cuda_${part}.cu)
      string(TOUPPER ${part} name)
      list(APPEND cuda_flags -DGR_CUDA_${name})
    endif()
  endforeach()
  foreach(source ${cuda_sources})
    get_filename_component(base ${source} NAME_WE)
    set(object ${PROJECT_BINARY_DIR}/cuda/${base}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/cuda
      COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${NVCC} ${cuda_flags} -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d VERBATIM COMMENT "Compiling ${base}.cu")
    list(APPEND cuda_objects ${object})
  endforeach()
  # cudart is linked statically: the plug-in needs only the driver.
  set(cuda_plugin ${PROJECT_BINARY_DIR}/libgradus-cuda.so)
  add_custom_command(OUTPUT ${cuda_plugin}
    COMMAND ${NVCC} -shared -Xlinker=-z,defs ${cuda_objects} -o ${cuda_plugin}
    DEPENDS ${cuda_objects} VERBATIM COMMENT "Linking libgradus-cuda.so")
  add_custom_target(gradus_cuda ALL DEPENDS ${cuda_plugin})
  add_dependencies(gradus_command gradus_cuda)
  install(FILES ${cuda_plugin} DESTINATION ${CMAKE_INSTALL_LIBDIR}/gradus)
endif()
