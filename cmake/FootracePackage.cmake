# `cpack` in the build folder makes footrace_VERSION_amd64.deb and footrace-VERSION-Linux-x86_64.tar.gz; the tarball runs from
# wherever it is unpacked. What is in them is what the folders install; this file adds the documents.
install(FILES README.md LICENSE packages.txt DESTINATION share/doc/footrace)
install(DIRECTORY docs/ DESTINATION share/doc/footrace/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(DIRECTORY examples/ DESTINATION share/doc/footrace/examples USE_SOURCE_PERMISSIONS)

set(CPACK_PACKAGE_NAME footrace)
set(CPACK_PACKAGE_VENDOR "The Footrace project")
set(CPACK_PACKAGE_CONTACT "The Footrace maintainers <maintainers@footrace.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "data-race detector for C and C++")
set(CPACK_PACKAGE_DESCRIPTION "Footrace finds data races in C and C++ programs while they run, precisely, by reading the source, \
and by proving that a program has none. It compiles with Clang 22.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME footrace-${PROJECT_VERSION}-Linux-x86_64)
set(CPACK_PACKAGE_CHECKSUM SHA256)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The libraries by name rather than by dpkg-shlibdeps: that takes Debian's development tools to be there, and finds libLLVM in
# the development package. Then what compiles and links programs.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "libc6 (>= 2.34), libstdc++6 (>= 12), libgcc-s1, libllvm22 (>= 1:22.1), libclang-cpp22 (>= 1:22.1), libz3-4, libsqlite3-0, libzstd1, zlib1g, \
clang-22 (>= 1:22.1), lld-22, libc6-dev, libstdc++-12-dev")
include(CPack)
