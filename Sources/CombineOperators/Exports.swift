// Importing the operators also imports Combine: Apple's on Apple platforms, ours elsewhere.

@_exported public import ReactiveCore
