// The publishers that everything else builds on: Apple's Combine where the platform has it. The
// other files named "+Linux" provide the same names elsewhere.

#if canImport(Combine)
@_exported public import Combine
#endif
