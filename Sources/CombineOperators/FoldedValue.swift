// What a folding debounce holds: one value, the values to fold into it, and its window of time. A
// plain value.

/// One value that others are folded into, until it is due.
///
/// It is due when nothing has come for the quiet time, or when the first of the folded values has
/// waited for the longest time. It then stays due until it is taken; until then, more may be folded in.
///
/// The caller folds, outside of its lock: `add` hands out the value, and `nextToFold` the values to
/// fold into it, until it takes the value back. In the meantime the value cannot be taken.
struct FoldedValue<Value, Instant: InstantProtocol> where Instant.Duration == Duration {
  private let quiet: Duration
  private let longest: Duration?
  private var value: Value?
  private var coming = Queue<Value>()
  private var isFolding = false
  /// When the first and the last of the folded values came; nil when there is none.
  private var window: (opened: Instant, latest: Instant)?
  /// Whether the window has ended, so that the value may be taken.
  private(set) var isDue = false

  /// Makes an empty window.
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

  /// Adds a value, which moves the end of the window.
  ///
  /// A value that comes after the end, before the timer has noticed it, moves nothing.
  ///
  /// - Parameters:
  ///   - new: The new value.
  ///   - moment: When it came.
  /// - Returns: The value to fold into, if there is one that is not being folded already.
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
  /// - Parameter folded: The value that `add` has handed out, with what was folded into it.
  /// - Returns: The next value to fold into it; nil when it has been taken back.
  mutating func nextToFold(into folded: Value) -> Value? {
    if let next = coming.popFirst() { return next }
    value = folded
    isFolding = false
    return nil
  }

  /// How long to wait until the value may be due; nil when there is nothing to wait for.
  func rest(at moment: Instant) -> Duration? {
    guard !isDue, let window else { return nil }
    // The moment may have been read before the last value came, by a thread that was held up since.
    let moment = max(moment, window.latest)
    let rest = quiet - window.latest.duration(to: moment)
    guard let longest else { return rest }
    return min(rest, longest - window.opened.duration(to: moment))
  }

  /// Makes the value due if its window has ended.
  mutating func close(at moment: Instant) {
    if let rest = rest(at: moment), rest <= .zero { isDue = true }
  }

  /// Makes the value due at once.
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
