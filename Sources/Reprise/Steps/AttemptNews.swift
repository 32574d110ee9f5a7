// What an attempt reports while it is in progress, and its result.

/// One thing that an attempt reports while it is in progress.
public enum AttemptNews: Sendable, Equatable {
  /// It waits where it runs, for this reason, which may be empty.
  case queued(String)
  /// Its program starts, on this machine.
  case started(host: String)
  /// It wrote whole lines, joined by line feeds, with secrets masked.
  ///
  /// `isPartial` marks the current state of an unfinished line, which the next output replaces.
  case output(OutputChannel, text: String, isPartial: Bool)
  /// It reported its progress: a fraction from 0 to 1 and the current activity.
  case progress(Double, String)
  /// It is ready to be used while it goes on.
  case ready
  /// It did not succeed, and had written these outputs before; its end follows.
  case written(StepOutputs)
  /// It has left this process behind, which is being ended.
  case leftBehind(String)
  /// It has used this; its end follows.
  case used(ResourceUse)
  /// Nothing can be said about it for now, for this reason; it may go on.
  case outOfSight(String)
  /// It ended, and nothing of it is left.
  case ended(AttemptResult)
}

/// The result of an attempt.
public enum AttemptResult: Sendable, Equatable {
  /// The program succeeded, with these outputs.
  case succeeded(StepOutputs)
  /// It failed, or was not started, for this reason.
  case failed(FailureReason)
  /// It was stopped on request before it ended by itself.
  case stopped
}
