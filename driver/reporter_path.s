# Room for the path of footrace-reporter. The driver puts the path into a copy of the object made from this file and links
# that copy; the marker tells it where. driver/reporter_object.cpp knows the size.
        .section .rodata.__footrace_reporter_path,"a",@progbits
        .globl  __footrace_reporter_path
        .type   __footrace_reporter_path,@object
        .size   __footrace_reporter_path, 4096
__footrace_reporter_path:
        .ascii  "@footrace-reporter-path@"
        .zero   4096 - 24
        .section .note.GNU-stack,"",@progbits
