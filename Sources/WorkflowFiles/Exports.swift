// Re-exports the model, which workflow files are read into.

@_exported public import Workflows
