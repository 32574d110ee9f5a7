// Re-exports the values and expressions of the language, which every part of it uses.

@_exported public import Expressions
