// What `import Reprise` brings along: the workflow types it takes and the publishers it hands out.
// Without these lines every embedder would have to know the names of the inner targets.

@_exported public import CombineOperators
@_exported public import Schedules
@_exported public import WorkflowLanguage
