// Combine on Apple platforms, OpenCombine elsewhere, under one name. OpenCombine has such a module of its
// own; that one brings Foundation's networking along, and with it thirty shared libraries.

#if canImport(Combine)
@_exported import Combine
#else
@_exported import OpenCombine
#endif
