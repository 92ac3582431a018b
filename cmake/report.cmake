# SPDX-License-Identifier: Apache-2.0
# The template of report pages. Chart.js, which draws the charts, is taken from the system and embedded
# in libgradus-experiments; without it gradus_report fails and says that it is missing.
find_file(GRADUS_CHARTS NAMES chart.min.js chart.umd.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
  DOC "Chart.js, for gradus report (Debian: libjs-chart.js)" NO_DEFAULT_PATH)
find_file(GRADUS_CHARTS_NOTICE NAMES copyright
  PATHS /usr/share/doc/libjs-chart.js /usr/share/doc/node-chart.js
  DOC "the licence of Chart.js" NO_DEFAULT_PATH)
if(NOT GRADUS_CHARTS)
  message(STATUS "gradus report: Chart.js not found (Debian: libjs-chart.js); building without it")
endif()
set(charts $<$<BOOL:${GRADUS_CHARTS}>:${GRADUS_CHARTS}>)
set(notice $<$<BOOL:${GRADUS_CHARTS_NOTICE}>:${GRADUS_CHARTS_NOTICE}>)

set(page ${PROJECT_BINARY_DIR}/report_page.html)
file(GLOB page_sources CONFIGURE_DEPENDS web/*.html web/*.css web/js/*.js)
add_custom_command(OUTPUT ${page}
  COMMAND ${CMAKE_COMMAND} -D web=${PROJECT_SOURCE_DIR}/web "-Dcharts=${charts}"
    "-Dnotice=${notice}" -D page=${page} -P ${PROJECT_SOURCE_DIR}/cmake/report_page.cmake
  DEPENDS ${page_sources} ${charts} cmake/report_page.cmake cmake/web_modules.cmake
  COMMENT "Generating the report page" VERBATIM)
set_source_files_properties(experiments/report/page_template.c PROPERTIES OBJECT_DEPENDS ${page}
  COMPILE_DEFINITIONS "PAGE_FILE=\"${page}\"")
