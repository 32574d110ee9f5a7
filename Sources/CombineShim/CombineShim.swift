// Combine on Apple platforms, OpenCombine elsewhere, under one name. OpenCombineShim does the same,
// but also links Foundation's networking and its thirty shared libraries.

#if canImport(Combine)
@_exported import Combine
#else
@_exported import OpenCombine
#endif
