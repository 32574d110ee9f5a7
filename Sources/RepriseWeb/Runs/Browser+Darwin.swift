// The program that opens an address in the browser of the user, on macOS.

#if canImport(Darwin)
let browserOpener = "open"
#endif
