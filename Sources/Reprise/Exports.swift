// Re-exports for `import Reprise`: the types that its API takes and returns. Without them, clients
// would have to import the inner modules by name.

@_exported public import CombineOperators
@_exported public import Schedules
@_exported public import WorkflowFiles
