// Importing the operators also imports Combine: Apple's on Apple platforms, OpenCombine elsewhere.

@_exported public import CombineShim
