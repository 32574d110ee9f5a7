// The state of a folding debounce: one value, the values to fold into it, and its time window.
// Pure.

/// A value that later values are folded into, until it is due.
///
/// It is due when no value has arrived for the quiet time, or when the first of the folded values
/// has waited for the maximum time. It stays due until it is taken; until then, further values may
/// be folded in.
///
/// The caller folds outside of its lock: `add` returns the value, and `nextToFold` returns the
/// values to fold into it, until it takes the value back. In the meantime the value cannot be
/// taken.
struct FoldedValue<Value, Instant: InstantProtocol> where Instant.Duration == Duration {
  private let quiet: Duration
  private let longest: Duration?
  private var value: Value?
  private var coming = Queue<Value>()
  private var isFolding = false
  /// The arrival times of the first and the last folded value; nil if there is no value.
  private var window: (opened: Instant, latest: Instant)?
  /// Whether the window has ended, so that the value may be taken.
  private(set) var isDue = false

  /// Creates an empty window.
  ///
  /// - Parameters:
  ///   - quiet: The time without values after which the window ends.
  ///   - longest: The maximum time that the first value waits.
  init(quiet: Duration, longest: Duration?) {
    self.quiet = quiet
    self.longest = longest
  }

  /// Whether there is no value.
  var isEmpty: Bool { window == nil }

  /// Adds a value, which postpones the end of the window.
  ///
  /// A value that arrives after the end, before the timer has fired, does not postpone it.
  ///
  /// - Parameters:
  ///   - new: The new value.
  ///   - moment: The arrival time.
  /// - Returns: The value to fold into; nil if there is none, or if it is already being folded.
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

  /// Removes the next value to fold.
  ///
  /// - Parameter folded: The value that `add` returned, with the values that were folded into it.
  /// - Returns: The next value to fold into it; nil when the value has been taken back.
  mutating func nextToFold(into folded: Value) -> Value? {
    if let next = coming.popFirst() { return next }
    value = folded
    isFolding = false
    return nil
  }

  /// Returns how long to wait until the value may be due; nil if there is nothing to wait for.
  func rest(at moment: Instant) -> Duration? {
    guard !isDue, let window else { return nil }
    // The time may have been read before the last value arrived, by a thread that was delayed
    // since.
    let moment = max(moment, window.latest)
    let rest = quiet - window.latest.duration(to: moment)
    guard let longest else { return rest }
    return min(rest, longest - window.opened.duration(to: moment))
  }

  /// Makes the value due if its window has ended.
  mutating func close(at moment: Instant) {
    if let rest = rest(at: moment), rest <= .zero { isDue = true }
  }

  /// Makes the value due immediately.
  mutating func close() {
    isDue = !isEmpty
  }

  /// Removes the value if it is due and not being folded.
  mutating func take() -> Value? {
    guard isDue, !isFolding, let value else { return nil }
    self.value = nil
    window = nil
    isDue = false
    return value
  }
}
