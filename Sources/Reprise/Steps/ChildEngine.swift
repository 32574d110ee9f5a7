// The engine of a step, for runs that the step starts.

/// The engine of a step.
///
/// Steps do not know what an engine is; `StepContext.run` does, which is part of the API.
protocol ChildEngine: Sendable {}
