// `PlaceRoster`: decides which attempt goes to which kept place, and how many places a run needs.

import Reprise

/// How many places a run keeps, and for how much.
package struct KeptLimits: Sendable, Equatable {
  /// The number of places at once.
  package var places = 1
  /// The number of attempts in a place at once; nil for any.
  package var slots: Int?
  /// How long a place lasts; nil if that is unknown.
  package var time: Duration?
  /// How long a place without attempts is kept while its run goes on; nil until the end of the run.
  package var idleAfter: Duration?

  /// Creates limits; by default of one place for everything.
  package init(
    places: Int = 1, slots: Int? = nil, time: Duration? = nil, idleAfter: Duration? = nil
  ) {
    (self.places, self.slots, self.time) = (places, slots, time)
    self.idleAfter = idleAfter
  }

  /// The time before the end of a place in which no attempt begins there.
  var margin: Duration { min(.seconds(60), (time ?? .zero) / 10) }
}

/// The attempts of a run that wait for a place or are in one, and its places.
///
/// A value without side effects: inputs change it, and ``settle(at:)`` returns what must be done then.
struct PlaceRoster: Sendable {
  /// What must be done.
  enum Action: Sendable, Equatable {
    /// The attempt may begin in the place, where it has a slot until it is forgotten.
    case admit(AttemptToken, to: AttemptToken)
    /// Another place is needed; ``add(_:at:)`` must follow.
    case request
    /// The place is not needed any more, and is not known any more.
    case giveBack(AttemptToken)
  }

  private struct Place: Sendable {
    let token: AttemptToken
    var attempts: Set<AttemptToken> = []
    /// When it was there; nil until then.
    var since: Timestamp?
    /// Whether no attempt begins there any more, since its end is near.
    var isClosing = false
    /// Since when it has had no attempts.
    var idleSince: Timestamp
  }

  private struct Waiter: Sendable {
    let token: AttemptToken
    let timeLimit: Duration?
  }

  private(set) var limits: KeptLimits
  private var places: [Place] = []
  private var waiters: [Waiter] = []

  init(_ limits: KeptLimits) { self.limits = limits }

  /// Whether there is no place, wanted or not.
  var isEmpty: Bool { places.isEmpty }

  /// The attempts that wait, in their order.
  var waiting: [AttemptToken] { waiters.map(\.token) }

  /// The place that an attempt is in; nil if it is in none.
  func place(of attempt: AttemptToken) -> AttemptToken? {
    places.first { $0.attempts.contains(attempt) }?.token
  }

  /// The first place that is not there yet; nil if none is awaited.
  var awaited: AttemptToken? { places.first { $0.since == nil }?.token }

  // MARK: Inputs

  /// Notes a place that was requested, or was found.
  mutating func add(_ place: AttemptToken, at now: Timestamp) {
    guard !places.contains(where: { $0.token == place }) else { return }
    places.append(Place(token: place, idleSince: now))
  }

  /// Notes that a place is there, and since when.
  mutating func ready(_ place: AttemptToken, since time: Timestamp) {
    change(place) { $0.since = $0.since ?? time }
  }

  /// Notes that a place is gone; its attempts that never began there must wait again.
  mutating func remove(_ place: AttemptToken) { places.removeAll { $0.token == place } }

  /// Notes that no more places can be had than there are.
  mutating func stopRequesting() { limits.places = max(1, places.count) }

  /// Has an attempt wait for a place, unless it does or is in one.
  mutating func wait(_ attempt: AttemptToken, for timeLimit: Duration?) {
    guard place(of: attempt) == nil, !waiters.contains(where: { $0.token == attempt }) else {
      return
    }
    waiters.append(Waiter(token: attempt, timeLimit: timeLimit))
  }

  /// Forgets the attempts that wait, for which there will be no place, and returns them.
  mutating func dismissWaiting() -> [AttemptToken] {
    defer { waiters = [] }
    return waiting
  }

  /// Notes an attempt that an earlier engine has begun in a place.
  mutating func put(_ attempt: AttemptToken, in place: AttemptToken) {
    change(place) { $0.attempts.insert(attempt) }
  }

  /// Forgets an attempt, which is over.
  mutating func forget(_ attempt: AttemptToken, at now: Timestamp) {
    waiters.removeAll { $0.token == attempt }
    guard let place = place(of: attempt) else { return }
    change(place) { place in
      place.attempts.remove(attempt)
      if place.attempts.isEmpty { place.idleSince = now }
    }
  }

  // MARK: Decisions

  /// Returns what must be done now.
  mutating func settle(at now: Timestamp) -> [Action] {
    var actions: [Action] = []
    var left: [Waiter] = []
    for waiter in waiters {
      if let place = admission(of: waiter, at: now) {
        actions.append(.admit(waiter.token, to: place))
      } else {
        left.append(waiter)
      }
    }
    waiters = left
    actions += givenBack(at: now).map(Action.giveBack)
    let isLimited = limits.slots != nil
    let awaited = places.count { $0.since == nil }
    var open = places.count { !$0.isClosing }
    // What is awaited serves as many as it has slots.
    var rest =
      isLimited ? waiters.count - awaited * (limits.slots ?? 1) : awaited > 0 ? 0 : waiters.count
    while rest > 0, open < limits.places {
      actions.append(.request)
      open += 1
      rest = isLimited ? rest - (limits.slots ?? 1) : 0
    }
    return actions
  }

  /// When a place will have been idle for too long; nil if none will be.
  var nextGivingBack: Timestamp? {
    guard let idleAfter = limits.idleAfter, waiters.isEmpty else { return nil }
    return places.filter { $0.attempts.isEmpty }.map { $0.idleSince.advanced(by: idleAfter) }.min()
  }

  /// Gives an attempt a slot of a place that is there, and lasts for it.
  private mutating func admission(of waiter: Waiter, at now: Timestamp) -> AttemptToken? {
    for index in places.indices where !places[index].isClosing {
      guard let since = places[index].since else { continue }
      if let time = limits.time {
        let wanted = min(max(waiter.timeLimit ?? .zero, limits.margin), time - limits.margin)
        guard time - (now - since) >= wanted else {
          places[index].isClosing = true
          continue
        }
      }
      guard places[index].attempts.count < limits.slots ?? .max else { continue }
      places[index].attempts.insert(waiter.token)
      return places[index].token
    }
    return nil
  }

  /// Removes the places that are closing or idle, and returns them.
  private mutating func givenBack(at now: Timestamp) -> [AttemptToken] {
    let unneeded = places.filter { place in
      guard place.attempts.isEmpty else { return false }
      if place.isClosing { return true }
      guard let idleAfter = limits.idleAfter, waiters.isEmpty else { return false }
      return now - place.idleSince >= idleAfter
    }
    places.removeAll { place in unneeded.contains { $0.token == place.token } }
    return unneeded.map(\.token)
  }

  private mutating func change(_ token: AttemptToken, _ change: (inout Place) -> Void) {
    guard let index = places.firstIndex(where: { $0.token == token }) else { return }
    change(&places[index])
  }
}
