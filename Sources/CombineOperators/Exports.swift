// Who imports the operators gets the publishers that they stand on: Apple's Combine on Apple
// platforms, OpenCombine elsewhere.

@_exported public import CombineShim
