import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// Which attempt goes to which kept place, and how many places are requested.
struct PlaceRosterTests {
  private static let run = RunID()
  private static let start = Timestamp(microseconds: 1_000_000_000)

  private static func time(_ seconds: Int64) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  private static func token(_ name: String, _ number: Int) -> AttemptToken {
    AttemptToken(run: run, step: name, generation: 1, attempt: number, random: 7)
  }

  private static func step(_ number: Int) -> AttemptToken { token("a", number) }
  private static func place(_ number: Int) -> AttemptToken { token("place", number) }

  /// Returns a roster with places that have been there since its start.
  private static func roster(_ limits: KeptLimits, places: Int) -> PlaceRoster {
    var roster = PlaceRoster(limits)
    for number in 0..<places {
      roster.add(place(number), at: start)
      roster.ready(place(number), since: start)
    }
    return roster
  }

  @Test func `one place serves all attempts if its slots are not counted`() {
    var roster = PlaceRoster(KeptLimits())
    for number in 1...5 { roster.wait(Self.step(number), for: nil) }
    #expect(roster.settle(at: Self.start) == [.request])
    roster.add(Self.place(0), at: Self.start)
    roster.wait(Self.step(6), for: nil)
    #expect(roster.settle(at: Self.start) == [])
    roster.ready(Self.place(0), since: Self.start)
    #expect(
      roster.settle(at: Self.start) == (1...6).map { .admit(Self.step($0), to: Self.place(0)) })
  }

  @Test func `as many places are requested as the waiting attempts fill`() {
    var roster = PlaceRoster(KeptLimits(places: 3, slots: 2))
    for number in 1...3 { roster.wait(Self.step(number), for: nil) }
    #expect(roster.settle(at: Self.start) == [.request, .request])
    for number in 0..<2 { roster.add(Self.place(number), at: Self.start) }
    roster.wait(Self.step(4), for: nil)
    #expect(roster.settle(at: Self.start) == [])
    for number in 5...9 { roster.wait(Self.step(number), for: nil) }
    #expect(roster.settle(at: Self.start) == [.request])
    roster.add(Self.place(2), at: Self.start)
    // The first one that is there takes the first attempts, whichever was requested first.
    roster.ready(Self.place(1), since: Self.start)
    #expect(
      roster.settle(at: Self.start) == [1, 2].map { .admit(Self.step($0), to: Self.place(1)) })
    roster.forget(Self.step(1), at: Self.start)
    #expect(roster.settle(at: Self.start) == [.admit(Self.step(3), to: Self.place(1))])
  }

  @Test(arguments: [
    (nil, 3000, true), (nil, 3541, false), (600, 2999, true), (600, 3001, false),
    (7200, 59, true), (7200, 61, false),
  ])
  func `no attempt begins where too little time is left for it`(
    _ timeLimit: Int64?, _ now: Int64, _ isAdmitted: Bool
  ) {
    var roster = Self.roster(KeptLimits(time: .seconds(3600)), places: 1)
    roster.wait(Self.step(1), for: timeLimit.map { .seconds($0) })
    // Another one is requested then, and the old one is given back when nothing runs in it.
    #expect(
      roster.settle(at: Self.time(now))
        == (isAdmitted
          ? [.admit(Self.step(1), to: Self.place(0))] : [.giveBack(Self.place(0)), .request]))
  }

  @Test func `a place near its end keeps its attempts, and gets no more`() {
    var roster = Self.roster(KeptLimits(places: 1, slots: 2, time: .seconds(3600)), places: 1)
    roster.wait(Self.step(1), for: nil)
    _ = roster.settle(at: Self.start)
    roster.wait(Self.step(2), for: .seconds(1800))
    #expect(roster.settle(at: Self.time(2000)) == [.request])
    roster.add(Self.place(1), at: Self.time(2000))
    roster.wait(Self.step(3), for: nil)
    #expect(roster.settle(at: Self.time(2000)) == [])
    roster.forget(Self.step(1), at: Self.time(2100))
    #expect(roster.settle(at: Self.time(2100)) == [.giveBack(Self.place(0))])
  }

  @Test func `a place without attempts is given back after a while`() {
    var roster = Self.roster(
      KeptLimits(places: 2, slots: 1, idleAfter: .seconds(60)), places: 2)
    roster.wait(Self.step(1), for: nil)
    _ = roster.settle(at: Self.time(10))
    #expect(roster.nextGivingBack == Self.time(60))
    #expect(roster.settle(at: Self.time(59)) == [])
    #expect(roster.settle(at: Self.time(60)) == [.giveBack(Self.place(1))])
    #expect(roster.nextGivingBack == nil)
    roster.forget(Self.step(1), at: Self.time(100))
    #expect(roster.nextGivingBack == Self.time(160))
    roster.wait(Self.step(2), for: nil)
    #expect(roster.settle(at: Self.time(150)) == [.admit(Self.step(2), to: Self.place(0))])
  }

  @Test func `when no more places can be had, attempts wait for those that there are`() {
    var roster = Self.roster(KeptLimits(places: 4, slots: 1), places: 1)
    for number in 1...3 { roster.wait(Self.step(number), for: nil) }
    let asked = roster.settle(at: Self.start)
    #expect(asked == [.admit(Self.step(1), to: Self.place(0)), .request, .request])
    roster.stopRequesting()
    #expect(roster.settle(at: Self.start) == [])
    roster.forget(Self.step(1), at: Self.start)
    #expect(roster.settle(at: Self.start) == [.admit(Self.step(2), to: Self.place(0))])
    roster.remove(Self.place(0))
    #expect(roster.settle(at: Self.start) == [.request])
    #expect(roster.dismissWaiting() == [Self.step(3)])
  }

  @Test func `in any order of events, slots are kept and none stays free while attempts wait`() {
    var random = SeededGenerator.announced()
    for _ in 0..<300 {
      let slots = Int.random(in: 1...3, using: &random)
      let limits = KeptLimits(
        places: .random(in: 1...3, using: &random), slots: slots, time: .seconds(1000),
        idleAfter: .seconds(20))
      var roster = PlaceRoster(limits)
      var (places, ready): ([AttemptToken], Set<AttemptToken>) = ([], [])
      var inPlaces: [AttemptToken: AttemptToken] = [:]
      var (now, count, requested) = (Int64(0), 0, 0)
      for _ in 0..<60 {
        now += Int64.random(in: 0...60, using: &random)
        switch Int.random(in: 0...4, using: &random) {
        case 0, 1:
          count += 1
          roster.wait(Self.step(count), for: .seconds(Int64.random(in: 0...900, using: &random)))
        case 2:
          guard let place = places.filter({ !ready.contains($0) }).randomElement(using: &random)
          else { break }
          ready.insert(place)
          roster.ready(place, since: Self.time(now))
        case 3:
          guard
            let step = inPlaces.keys.sorted(by: { $0.text < $1.text }).randomElement(using: &random)
          else { break }
          inPlaces[step] = nil
          roster.forget(step, at: Self.time(now))
        default:
          guard let place = places.randomElement(using: &random) else { break }
          places.removeAll { $0 == place }
          inPlaces = inPlaces.filter { $0.value != place }
          roster.remove(place)
        }
        for action in roster.settle(at: Self.time(now)) {
          switch action {
          case .admit(let step, to: let place):
            #expect(ready.contains(place) && inPlaces[step] == nil)
            inPlaces[step] = place
          case .request:
            requested += 1
            places.append(Self.place(requested))
            roster.add(Self.place(requested), at: Self.time(now))
          case .giveBack(let place):
            #expect(!inPlaces.values.contains(place))
            places.removeAll { $0 == place }
          }
        }
        for place in places { #expect(inPlaces.values.count { $0 == place } <= slots) }
        #expect(roster.waiting.isEmpty || !places.isEmpty)
        #expect(roster.settle(at: Self.time(now)) == [])
      }
      #expect(requested > 0)
    }
  }
}
