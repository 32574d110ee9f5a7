// The program that opens an address in the browser of the user, on Linux.

#if canImport(Glibc) || canImport(Musl)
let browserOpener = "xdg-open"
#endif
