# SPDX-License-Identifier: Apache-2.0
# The server of `gradus serve`, linked into the command. It needs libmicrohttpd (LGPL, linked dynamically);
# without it the command is built with a server that only says so.
pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd)
file(GLOB server_sources CONFIGURE_DEPENDS server/*.c)
if(MICROHTTPD_FOUND)
  list(FILTER server_sources EXCLUDE REGEX "/no_http\\.c$")
else()
  message(STATUS "gradus serve: libmicrohttpd not found (Debian: libmicrohttpd-dev); building without it")
  set(server_sources ${PROJECT_SOURCE_DIR}/server/no_http.c)
endif()
add_library(gradus_server OBJECT ${server_sources})
target_include_directories(gradus_server PRIVATE server include src)
if(MICROHTTPD_FOUND)
  target_link_libraries(gradus_server PUBLIC PkgConfig::MICROHTTPD ZLIB::ZLIB Threads::Threads)
  set(schemas ${PROJECT_SOURCE_DIR}/server/schemas.json)
  set_source_files_properties(server/openapi.c PROPERTIES OBJECT_DEPENDS ${schemas}
    COMPILE_DEFINITIONS "SCHEMAS_FILE=\"${schemas}\"")
  set_source_files_properties(server/playground.c PROPERTIES OBJECT_DEPENDS ${playground_served}
    COMPILE_DEFINITIONS "PLAYGROUND_FILE=\"${playground_served}\"")
  add_dependencies(gradus_server playground_pages)
endif()
