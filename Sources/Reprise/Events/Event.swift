// One fact about a run. Knows nothing of who tells it or who listens.

/// One fact about a run, never changed once written.
///
/// Events are all that displays, journals and other programs see of a run; folding them into a
/// ``RunState`` gives its present state.
public struct Event: Sendable, Equatable {
  /// When it happened.
  ///
  /// Within one run times never go back, even when the system's clock does.
  public var time: Timestamp
  /// The run that it is about.
  public var run: RunID
  /// The generation of the run: 1, then one more after each restart.
  public var generation: Int
  /// What happened.
  public var kind: Kind

  /// Puts an event together.
  ///
  /// - Parameters:
  ///   - time: When it happened.
  ///   - run: The run that it is about.
  ///   - generation: The generation of the run, from 1.
  ///   - kind: What happened.
  public init(time: Timestamp, run: RunID, generation: Int, kind: Kind) {
    self.time = time
    self.run = run
    self.generation = generation
    self.kind = kind
  }

  /// What an event tells.
  public enum Kind: Sendable, Equatable {
    /// The run began; always the first event.
    case runStarted(RunPlan)
    /// Somebody took up the run again after it had ended, or after its engine had died: this is what
    /// is to be run from now on. What had succeeded stays; steps that were under way were interrupted.
    case runResumed(RunPlan)
    /// A restart was asked for: the steps named are being stopped, or all of them when nil.
    case runRestarting(from: [String]?)
    /// What had to stop is gone and a new generation begins: the steps named are pending again,
    /// or all of them when nil.
    case generationStarted(reset: [String]?)
    /// The run is being stopped: no step starts any more and those that run are told to end.
    case runCancelling(CancellationCause)
    /// The run is over; always the last event.
    case runEnded(RunOutcome)
    /// Something about one step, in one attempt: 0 before its first start, then from 1.
    case step(String, attempt: Int, StepEvent)
  }

  /// What an event tells of a step.
  public enum StepEvent: Sendable, Equatable {
    /// All that it needs has succeeded; it waits for a free place.
    case ready
    /// It waits for somebody to approve what the text says.
    case waiting(String)
    /// Somebody has approved it.
    case approved
    /// Its action began.
    case started
    /// It told how far it is: a part from 0 to 1, and what it is doing.
    case progress(Double, String)
    /// It wrote one or more whole lines, joined by line feeds, without one at the end.
    ///
    /// `isPartial` marks the present state of a line that has not ended, such as a progress bar:
    /// what comes next on the stream replaces it.
    case output(OutputChannel, text: String, isPartial: Bool)
    /// Its action ended well, and left these outputs.
    case succeeded(StepOutputs)
    /// An attempt has failed, and the next one begins after a while.
    case retrying(FailureReason, after: Duration)
    /// Its last attempt has failed, or it could not be started at all.
    case failed(FailureReason)
    /// It was stopped, or never came to start, because of what is named.
    case cancelled(CancellationCause)
    /// It was not to be run, for the reason given; what it left when it last ran counts as its outputs.
    case skipped(String, StepOutputs)
  }
}
