// Re-exports the values and expressions of the language, which every part of the model uses.

@_exported public import Expressions
