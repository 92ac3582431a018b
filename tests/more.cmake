# Lints of the sources and of the built library: each a script that says what is wrong.
set(lints layers symbols quiet sizes selftest)
if(NOT GRADUS_SANITIZE AND NOT CMAKE_C_FLAGS_DEBUG MATCHES coverage)
  list(APPEND lints state)
endif()
foreach(lint ${lints})
  add_test(NAME lint_${lint} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/lint/${lint}.sh
    ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endforeach()

# The n-th allocation of the library fails, for every n.
foreach(function malloc calloc realloc strdup mmap mremap)
  target_link_options(test_allocation PRIVATE -Wl,--wrap=${function})
endforeach()
