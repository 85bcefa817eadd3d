// Calls routine(), and then(argument) however it ends: by returning, by an exception or by cancellation.
#pragma once

#ifdef __cplusplus
extern "C"
#endif
    void footrace_call_then(void (*routine)(void), void (*then)(void*), void* argument);
