// A mistake in the program's own options is reported under the name of the function that returned them.
// RUN: %cc -O1 %s -o %t
// RUN: %t 2>&1 | %filecheck %s
// CHECK: __footrace_default_options: 'exitcod' is not an option
const char* __footrace_default_options(void) { return "exitcod=22"; }
int main(void) {}
