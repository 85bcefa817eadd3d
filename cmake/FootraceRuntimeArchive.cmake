# lib/footrace/libfootrace_rt.a: the objects of every freestanding library in one archive, because the link line names one
# file; and libfootrace_rt.syms: the symbols the executable must export, so that shared libraries reach the runtime too.
set(FOOTRACE_RUNTIME_PARTS base clocks check runtime interceptors)

function(footrace_make_runtime_archive)
  set(objects)
  foreach(part ${FOOTRACE_RUNTIME_PARTS})
    if(NOT TARGET footrace_${part})
      message(STATUS "No runtime archive: target footrace_${part} is not part of this build")
      return()
    endif()
    get_target_property(type footrace_${part} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:footrace_${part}>)
    endif()
  endforeach()

  set(archive ${FOOTRACE_LIB_DIR}/libfootrace_rt.a)
  set(symbols ${FOOTRACE_LIB_DIR}/libfootrace_rt.syms)
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${FOOTRACE_LLVM_BIN}/llvm-ar rcsD ${archive} ${objects}
    DEPENDS ${objects}
    COMMAND_EXPAND_LISTS
    COMMENT "Merging libfootrace_rt.a")
  add_custom_command(OUTPUT ${symbols}
    COMMAND ${CMAKE_COMMAND} -D READELF=${FOOTRACE_LLVM_BIN}/llvm-readelf -D ARCHIVE=${archive} -D OUTPUT=${symbols}
      -P ${PROJECT_SOURCE_DIR}/cmake/DynamicList.cmake
    DEPENDS ${archive} ${PROJECT_SOURCE_DIR}/cmake/DynamicList.cmake
    COMMENT "Listing what libfootrace_rt.a exports")
  add_custom_target(footrace_runtime_archive ALL DEPENDS ${archive} ${symbols})
  install(FILES ${archive} ${symbols} DESTINATION lib/footrace)
endfunction()
