# Finds every library the runtime stands on and says, for each one that is missing, what to install.
# Result: the interface target `sandstorm_dependencies`.

find_package(PkgConfig)
if(NOT PkgConfig_FOUND)
  message(FATAL_ERROR "pkg-config is missing. On Debian: apt install pkg-config")
endif()
find_package(Threads REQUIRED)

add_library(sandstorm_dependencies INTERFACE)
target_link_libraries(sandstorm_dependencies INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)

macro(sandstorm_find module minimum package)
  pkg_check_modules(DEP_${module} QUIET IMPORTED_TARGET "${module}>=${minimum}")
  if(NOT DEP_${module}_FOUND)
    message(FATAL_ERROR "${module} >= ${minimum} is missing. On Debian: apt install ${package}")
  endif()
endmacro()

# sandstorm_library(<pkg-config name> <minimum version> <Debian package>)
function(sandstorm_library module minimum package)
  sandstorm_find(${module} ${minimum} ${package})
  target_link_libraries(sandstorm_dependencies INTERFACE PkgConfig::DEP_${module})
endfunction()

# The same for a library that is loaded when it is first needed (runtime/late_library.h). <NAME>_LIBRARY is the name that
# its file has where the program runs. A package of the program has to say itself that it depends on it.
function(sandstorm_late_library module minimum package)
  sandstorm_find(${module} ${minimum} ${package})
  list(GET DEP_${module}_LINK_LIBRARIES 0 file)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file} OUTPUT_VARIABLE headers RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT headers MATCHES "SONAME +([^\n ]+)")
    message(FATAL_ERROR "objdump finds no name in ${file}")
  endif()
  string(TOUPPER ${module} name)
  target_compile_definitions(sandstorm_dependencies INTERFACE ${name}_LIBRARY="${CMAKE_MATCH_1}")
  target_include_directories(sandstorm_dependencies SYSTEM INTERFACE ${DEP_${module}_INCLUDE_DIRS})
endfunction()

sandstorm_library(lua5.4 5.4.4 liblua5.4-dev)
sandstorm_library(libuv 1.40 libuv1-dev)
sandstorm_library(libcrypto 3.0 libssl-dev)
sandstorm_late_library(libcurl 7.85 libcurl4-openssl-dev)
sandstorm_library(sqlite3 3.37 libsqlite3-dev)
sandstorm_late_library(libgit2 1.3 libgit2-dev)

# lua-cjson is a Lua C module; it is linked in so that scripts can require "cjson".
find_library(LUA_CJSON_LIBRARY NAMES lua5.4-cjson)
if(NOT LUA_CJSON_LIBRARY)
  message(FATAL_ERROR "lua-cjson for Lua 5.4 is missing. On Debian: apt install lua-cjson-dev")
endif()
target_link_libraries(sandstorm_dependencies INTERFACE ${LUA_CJSON_LIBRARY})

# llhttp: a library where the distribution has one, else Debian's node-llhttp sources.
pkg_check_modules(LLHTTP QUIET IMPORTED_TARGET libllhttp)
if(LLHTTP_FOUND)
  target_link_libraries(sandstorm_dependencies INTERFACE PkgConfig::LLHTTP)
else()
  find_path(LLHTTP_SOURCE_DIR llhttp.c PATHS /usr/share/llhttp NO_DEFAULT_PATH)
  find_path(LLHTTP_INCLUDE_DIR llhttp.h PATHS /usr/share/include/llhttp /usr/include NO_DEFAULT_PATH)
  if(NOT LLHTTP_SOURCE_DIR OR NOT LLHTTP_INCLUDE_DIR)
    message(FATAL_ERROR "llhttp is missing. On Debian 12: apt install node-llhttp; on newer releases: libllhttp-dev")
  endif()
  add_library(llhttp STATIC ${LLHTTP_SOURCE_DIR}/llhttp.c ${LLHTTP_SOURCE_DIR}/api.c ${LLHTTP_SOURCE_DIR}/http.c)
  target_compile_definitions(llhttp PRIVATE LLHTTP_STRICT_MODE=1) # a line ends in CR LF, in chunk sizes too
  target_include_directories(llhttp SYSTEM PUBLIC ${LLHTTP_INCLUDE_DIR})
  target_link_libraries(sandstorm_dependencies INTERFACE llhttp)
endif()
