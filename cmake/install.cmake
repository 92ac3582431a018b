# SPDX-License-Identifier: Apache-2.0
# Installs the command, the static and shared libraries, headers, pkg-config files, CMake package,
# manual pages, completion, licence and documentation.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gradus)

# A release is installed stripped, as by `cmake --install --strip`: the command and the shared libraries,
# not the static ones. This must come before the targets.
if(CMAKE_BUILD_TYPE STREQUAL Release)
  install(CODE "set(CMAKE_INSTALL_DO_STRIP TRUE)")
endif()

install(TARGETS gradus_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(mpi_plugins)
  install(TARGETS ${mpi_plugins} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gradus)
endif()
install(FILES include/gradus.h include/gradus_experiments.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/gradus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The folders are those of the sources, so that links between the pages work.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")

# One export per form: linking the shared library requires neither zlib nor zstd.
foreach(form static shared)
  add_library(gradus::${form} ALIAS gradus_${form})
  install(TARGETS gradus_${form} gradus_experiments_${form} EXPORT gradus_${form}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT gradus_${form} NAMESPACE gradus:: FILE gradus-${form}.cmake
    DESTINATION ${package_folder})
endforeach()
add_library(gradus::gradus ALIAS gradus_shared)
add_library(gradus::experiments ALIAS gradus_experiments_shared)
add_library(gradus::experiments_static ALIAS gradus_experiments_static)

configure_package_config_file(cmake/gradusConfig.cmake.in gradusConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(gradusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gradusConfig.cmake
  ${PROJECT_BINARY_DIR}/gradusConfigVersion.cmake DESTINATION ${package_folder})

# The pkg-config files derive the prefix from their own location, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
foreach(package gradus gradus-experiments)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# The command generates the pages from its tables, so it must run on this machine and at full speed.
if(EXISTS ${PROJECT_SOURCE_DIR}/cli/cmd_help.c AND CMAKE_BUILD_TYPE STREQUAL Release
    AND NOT CMAKE_CROSSCOMPILING AND NOT GRADUS_SANITIZE)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/pages/made
    COMMAND ${CMAKE_COMMAND} -D command=$<TARGET_FILE:gradus_command>
      -D folder=${PROJECT_BINARY_DIR}/pages -P ${PROJECT_SOURCE_DIR}/cmake/pages.cmake
    DEPENDS gradus_command ${PROJECT_SOURCE_DIR}/cmake/pages.cmake
    COMMENT "Generating manual pages and completion" VERBATIM)
  add_custom_target(gradus_pages ALL DEPENDS ${PROJECT_BINARY_DIR}/pages/made)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/pages/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(DIRECTORY ${PROJECT_BINARY_DIR}/pages/completions
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion)
endif()
