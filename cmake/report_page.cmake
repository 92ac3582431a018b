# SPDX-License-Identifier: Apache-2.0
# cmake -D web=FOLDER -D charts=FILE -D notice=FILE -D page=FILE -P report_page.cmake
# Writes the page of gradus report: web/report.html with the style, Chart.js, its licence notice and the
# modules of web/js embedded. Without Chart.js the page is an empty file.
#
# The modules become one script: each file of web/js is wrapped in a function that returns its exports,
# after the files that it imports.
cmake_minimum_required(VERSION 3.25)

if(NOT charts)
  file(WRITE ${page} "")
  return()
endif()

set(order)
set(script)
function(add_module name)
  if(name IN_LIST order)
    return()
  endif()
  file(READ ${web}/js/${name} source)
  string(REGEX MATCHALL "from '\\./[a-z_]+\\.js'" imports "${source}")
  foreach(import ${imports})
    string(REGEX REPLACE "from '\\./(.*)'" "\\1" import "${import}")
    add_module(${import})
  endforeach()
  string(REGEX REPLACE "import ({[^}]*}) from '\\./([a-z_]+)\\.js';" "const \\1 = \\2_module;"
    source "${source}")
  string(REGEX MATCHALL "\nexport [a-z]+ [A-Za-z]+" exports "${source}")
  list(TRANSFORM exports REPLACE ".* " "")
  list(JOIN exports ", " exports)
  string(REGEX REPLACE "\nexport ((function|const) [A-Za-z]+[ (])" "\n\\1" source "${source}")
  if(source MATCHES "\n((import|export) [^\n]*)")
    message(FATAL_ERROR "web/js/${name}: this script cannot combine '${CMAKE_MATCH_1}'; see web/README.md")
  endif()
  string(REPLACE ".js" "_module" variable ${name})
  list(APPEND order ${name})
  set(order "${order}" PARENT_SCOPE)
  set(script "${script}\nconst ${variable} = (() => {\n${source}\nreturn { ${exports} };\n})();\n" PARENT_SCOPE)
endfunction()
add_module(main.js)

set(licence "")
if(notice AND EXISTS ${notice})
  file(READ ${notice} licence)
  string(REPLACE "&" "&amp;" licence "${licence}")
  string(REPLACE "<" "&lt;" licence "${licence}")
endif()
file(READ ${web}/report.html html)
file(READ ${web}/report.css style)
file(READ ${charts} library)
string(REPLACE "@style@" "${style}" html "${html}")
string(REPLACE "@notice@" "${licence}" html "${html}")
string(REPLACE "@script@" "${script}" html "${html}")
string(REPLACE "@charts@" "${library}" html "${html}")
file(WRITE ${page} "${html}")
