# Fails when ARCHIVE needs a symbol that ALLOWED does not list, or ALLOWED lists one that nothing needs.
execute_process(COMMAND ${NM} --undefined-only --no-weak --format=just-symbols ${ARCHIVE} OUTPUT_VARIABLE undefined
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NM} --defined-only --extern-only --format=just-symbols ${ARCHIVE} OUTPUT_VARIABLE defined
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" undefined "${undefined}")
string(REGEX MATCHALL "[^\n]+" defined "${defined}")
list(FILTER undefined EXCLUDE REGEX ":$") # names of archive members
list(REMOVE_ITEM undefined ${defined})
list(REMOVE_DUPLICATES undefined)
list(SORT undefined)

file(STRINGS ${ALLOWED} allowed REGEX "^[^#]")
set(surplus ${allowed})
if(undefined)
  list(REMOVE_ITEM surplus ${undefined})
endif()
if(allowed AND undefined)
  list(REMOVE_ITEM undefined ${allowed})
endif()
foreach(symbol ${undefined})
  message(SEND_ERROR "the runtime needs '${symbol}', which ${ALLOWED} does not list: a call into libc or libstdc++ can take "
    "locks, allocate, or end up in our own interceptors")
endforeach()
foreach(symbol ${surplus})
  message(SEND_ERROR "${ALLOWED} lists '${symbol}', which the runtime does not need: remove it")
endforeach()
