// What a debounce with a fold holds: one value, what is still to be folded into it, and the window of
// time in which that is done. Plain value: knows no lock, no clock and no subscriber.

/// One value that others are folded into, until it is due.
///
/// It is due when nothing has come for the quiet time, or when the first of what was folded has waited
/// the longest time. From then on it stays due until it is taken, and more may be folded in.
///
/// Folding is done by whoever uses this, outside of a lock: `add` hands out the value, and
/// `nextToFold` what to fold into it, until it takes the value back. Meanwhile the value cannot be
/// taken.
struct FoldedValue<Value, Instant: InstantProtocol> where Instant.Duration == Duration {
  private let quiet: Duration
  private let longest: Duration?
  private var value: Value?
  private var coming = Queue<Value>()
  private var isFolding = false
  /// When the first and the last came of what is folded; nil when there is nothing.
  private var window: (opened: Instant, latest: Instant)?
  /// Whether the time is over, so that it may be taken.
  private(set) var isDue = false

  /// Makes it empty.
  ///
  /// - Parameters:
  ///   - quiet: How long nothing must come.
  ///   - longest: How long the first value may wait at most.
  init(quiet: Duration, longest: Duration?) {
    self.quiet = quiet
    self.longest = longest
  }

  /// Whether it holds nothing.
  var isEmpty: Bool { window == nil }

  /// Takes a value in, which moves the end of the window.
  ///
  /// A value that comes when the time is over already, because nobody has looked, moves nothing.
  ///
  /// - Parameters:
  ///   - new: What has come.
  ///   - moment: When it has come.
  /// - Returns: The value to fold into, where there is one and nobody is folding.
  mutating func add(_ new: Value, at moment: Instant) -> Value? {
    close(at: moment)
    let (opened, latest) = window ?? (moment, moment)
    window = (opened, max(latest, moment))
    close(at: moment)
    guard !isFolding, let value else {
      if isFolding { coming.append(new) } else { value = new }
      return nil
    }
    coming.append(new)
    self.value = nil
    isFolding = true
    return value
  }

  /// Takes out what is to be folded next.
  ///
  /// - Parameter folded: What has become of the value that `add` has handed out.
  /// - Returns: The next one to fold into it, or nil: then it has been taken back.
  mutating func nextToFold(into folded: Value) -> Value? {
    if let next = coming.popFirst() { return next }
    value = folded
    isFolding = false
    return nil
  }

  /// How long to wait until it may be due, or nil when there is nothing to wait for.
  func rest(at moment: Instant) -> Duration? {
    guard !isDue, let window else { return nil }
    let rest = quiet - window.latest.duration(to: moment)
    guard let longest else { return rest }
    return min(rest, longest - window.opened.duration(to: moment))
  }

  /// Makes it due if the time is over.
  mutating func close(at moment: Instant) {
    if let rest = rest(at: moment), rest <= .zero { isDue = true }
  }

  /// Makes it due whatever the time.
  mutating func close() {
    isDue = !isEmpty
  }

  /// Takes the value where it is due and nobody is folding.
  mutating func take() -> Value? {
    guard isDue, !isFolding, let value else { return nil }
    self.value = nil
    window = nil
    isDue = false
    return value
  }

  /// Takes everything, whether it is due or not.
  ///
  /// - Returns: What is to be let go of.
  mutating func removeAll() -> (Value?, Queue<Value>) {
    defer {
      value = nil
      coming = Queue()
      window = nil
      isDue = false
    }
    return (value, coming)
  }
}
