// What most steps of a run do not have most of the time: kept apart to save memory.

extension StepState {
  /// What most steps do not have most of the time.
  struct Details: Sendable, Equatable {
    var lastPoolWait: PoolWait?
    var retry: PendingRetry?
    var round: StepRound?
    var pendingRound: PendingRound?
    var waitEnd: Timestamp?
    var approval: String?
    var given: StepOutputs = [:]
    var interventions: [StepIntervention] = []
    var leftBehind: [String] = []
    var written: StepOutputs = [:]
    var placement: StepPlacement?
    var readyAt: Timestamp?
    var readyOutputs: StepOutputs = [:]
    var progress: StepProgress?
  }

  final class Box: Sendable, Equatable {
    let value: Details

    init(_ value: Details) {
      self.value = value
    }

    static func == (left: Box, right: Box) -> Bool { left.value == right.value }
  }

  /// Sets one of the details.
  private mutating func set<Value: Equatable>(
    _ path: WritableKeyPath<Details, Value>, _ value: Value, insteadOf usual: Value
  ) {
    if details == nil, value == usual { return }
    var all = details?.value ?? Details()
    all[keyPath: path] = value
    details = all == Details() ? nil : Box(all)
  }

  /// What it waits for before its next attempt, if that is a place of a pool.
  public var waitsForPool: PoolWait? {
    phase == .waiting && placement?.queuedBecause == nil ? lastPoolWait : nil
  }
  /// The same; kept for an attempt that has started.
  var lastPoolWait: PoolWait? {
    get { details?.value.lastPoolWait }
    set { set(\.lastPoolWait, newValue, insteadOf: nil) }
  }
  /// The failed attempt and the delay, while the step waits for its next attempt.
  public internal(set) var retry: PendingRetry? {
    get { details?.value.retry }
    set { set(\.retry, newValue, insteadOf: nil) }
  }
  /// The current round of a step that repeats; nil in the first one, and for other steps.
  public internal(set) var round: StepRound? {
    get { details?.value.round }
    set { set(\.round, newValue, insteadOf: nil) }
  }
  /// The wait of a step that repeats for its next round.
  public internal(set) var pendingRound: PendingRound? {
    get { details?.value.pendingRound }
    set { set(\.pendingRound, newValue, insteadOf: nil) }
  }
  /// The moment at which the wait of a step that only waits ends; nil once it is over.
  ///
  /// ``Timestamp/whenStopped`` if it waits until the run is stopped.
  public var waitsUntil: Timestamp? { phase == .pending || phase == .waiting ? waitEnd : nil }
  /// The same; kept for a step whose wait is over.
  var waitEnd: Timestamp? {
    get { details?.value.waitEnd }
    set { set(\.waitEnd, newValue, insteadOf: nil) }
  }
  /// The text to approve, while the step waits for approval.
  public internal(set) var approval: String? {
    get { details?.value.approval }
    set { set(\.approval, newValue, insteadOf: nil) }
  }
  /// The values that were given with its approval, which are outputs of the step.
  public internal(set) var given: StepOutputs {
    get { details?.value.given ?? [:] }
    set { set(\.given, newValue, insteadOf: [:]) }
  }
  /// What was asked of this step alone in this generation, in order.
  public internal(set) var interventions: [StepIntervention] {
    get { details?.value.interventions ?? [] }
    set { set(\.interventions, newValue, insteadOf: []) }
  }
  /// The command lines of processes that the current or last attempt has left behind.
  public internal(set) var leftBehind: [String] {
    get { details?.value.leftBehind ?? [] }
    set { set(\.leftBehind, newValue, insteadOf: []) }
  }
  /// The outputs that the program of the current or last attempt had written when it failed or was
  /// stopped.
  public internal(set) var written: StepOutputs {
    get { details?.value.written ?? [:] }
    set { set(\.written, newValue, insteadOf: [:]) }
  }
  /// Where the current or last attempt runs; nil for a plain process on this machine.
  public internal(set) var placement: StepPlacement? {
    get { details?.value.placement }
    set { set(\.placement, newValue, insteadOf: nil) }
  }
  /// When the current or last attempt became ready to be used; nil if it has not.
  public internal(set) var readyAt: Timestamp? {
    get { details?.value.readyAt }
    set { set(\.readyAt, newValue, insteadOf: nil) }
  }
  /// The outputs that it had written until then.
  public internal(set) var readyOutputs: StepOutputs {
    get { details?.value.readyOutputs ?? [:] }
    set { set(\.readyOutputs, newValue, insteadOf: [:]) }
  }
  /// The progress that the step last reported.
  public internal(set) var progress: StepProgress? {
    get { details?.value.progress }
    set { set(\.progress, newValue, insteadOf: nil) }
  }
}
