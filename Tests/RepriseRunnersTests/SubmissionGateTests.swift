import Reprise
import Testing

@testable import RepriseRunners

/// Which jobs are submitted next, and which of them together.
struct SubmissionGateTests {
  private static func time(_ milliseconds: Int64) -> Timestamp {
    Timestamp(microseconds: milliseconds * 1000)
  }

  private static func job(
    _ id: Int, _ group: String? = "g", at milliseconds: Int64 = 0
  ) -> PendingJob {
    let token = AttemptToken(
      run: RunID("8w0ev0rzs6") ?? RunID(), step: "a", generation: 1, attempt: id, random: 7)
    return PendingJob(id: id, token: token, group: group, addedAt: Self.time(milliseconds))
  }

  /// A gate whose answers can be compared at once.
  private final class Gate {
    private var gate: SubmissionGate

    var limit: String? { gate.limit }

    init(every pace: Duration = .zero) { gate = SubmissionGate(every: pace) }

    /// A gate with jobs of one group, which are due at 100 ms.
    init(_ count: Int, _ group: String? = "g") {
      gate = SubmissionGate(every: .zero)
      for id in 1...count { gate.add(SubmissionGateTests.job(id, group)) }
    }

    func add(_ job: PendingJob) { gate.add(job) }
    func remove(_ id: Int) -> Bool { gate.remove(id) }
    func refusal(of token: AttemptToken) -> String? { gate.refusal(of: token) }
    func takeUninformed() -> [PendingJob] { gate.takeUninformed() }
    func delayed(at milliseconds: Int64) -> [Int] {
      gate.takeDelayed(at: SubmissionGateTests.time(milliseconds)).jobs.map(\.id)
    }
    func ended(_ token: AttemptToken) { gate.ended(token) }
    func retry() { gate.retry() }
    func next(at milliseconds: Int64) -> SubmissionGate.Next {
      gate.next(at: SubmissionGateTests.time(milliseconds))
    }
    func note(
      _ answer: SubmissionGate.Answer, to jobs: [PendingJob], wanted: Set<Int>? = nil
    ) -> SubmissionGate.Outcome {
      gate.note(answer, to: jobs, wanted: wanted ?? Set(jobs.map(\.id)))
    }

    func submitted(at milliseconds: Int64 = 100) -> [Int]? {
      guard case .submit(let jobs) = next(at: milliseconds) else { return nil }
      return jobs.map(\.id)
    }

    /// Submits all that can be, answers each time, and returns the sizes of the submissions.
    func sizes(_ answer: (Int) -> SubmissionGate.Answer) -> [Int] {
      var sizes: [Int] = []
      while sizes.count < 100, case .submit(let jobs) = next(at: 1000) {
        sizes.append(jobs.count)
        _ = note(answer(jobs.count), to: jobs)
      }
      return sizes
    }
  }

  @Test func `equal jobs that arrive shortly after each other are submitted together`() {
    let gate = Gate()
    gate.add(Self.job(1, at: 0))
    #expect(gate.next(at: 0) == .wait(until: Self.time(50)))
    gate.add(Self.job(2, at: 40))
    #expect(gate.next(at: 50) == .wait(until: Self.time(90)))
    gate.add(Self.job(3, "other", at: 60))
    #expect(gate.submitted(at: 90) == [1, 2])
    #expect(gate.submitted(at: 110) == [3])
    #expect(gate.next(at: 110) == .nothing)
  }

  @Test func `the first of equal jobs waits for a second at most`() {
    let gate = Gate()
    for id in 0...24 { gate.add(Self.job(id, at: Int64(id) * 40)) }
    #expect(gate.next(at: 990) == .wait(until: Self.time(1000)))
    #expect(gate.submitted(at: 1000)?.count == 25)
  }

  @Test func `equal jobs that arrive while some are being submitted are submitted together`() {
    let gate = Gate(3)
    #expect(gate.submitted() == [1, 2, 3])
    for id in 4...9 { gate.add(Self.job(id, at: Int64(id) * 200)) }
    #expect(gate.next(at: 5000) == .nothing)
    gate.add(Self.job(10, nil))
    #expect(gate.submitted(at: 5000) == [10], "a job alone does not wait")
    #expect(gate.note(.final, to: (1...3).map { Self.job($0) }) == .isFinal)
    #expect(gate.submitted(at: 5000) == [4, 5, 6, 7, 8, 9])
  }

  @Test func `a job alone does not wait, nor for others that do`() {
    let gate = Gate()
    gate.add(Self.job(1))
    gate.add(Self.job(2, nil))
    gate.add(Self.job(3, nil))
    #expect(gate.submitted(at: 0) == [2])
    #expect(gate.submitted(at: 0) == [3])
    #expect(gate.next(at: 0) == .wait(until: Self.time(50)))
  }

  @Test func `an array has a thousand elements at most`() {
    let gate = Gate(2500)
    #expect(gate.sizes { _ in .final } == [1000, 1000, 500])
  }

  @Test func `four submissions are in flight at most`() {
    let gate = Gate(6, nil)
    #expect((1...6).map { _ in gate.submitted() } == [[1], [2], [3], [4], nil, nil])
    _ = gate.note(.final, to: [Self.job(1)])
    #expect(gate.submitted() == [5])
  }

  @Test func `an array is one submission for the distance between submissions`() {
    let gate = Gate(every: .seconds(1))
    for id in 1...5 { gate.add(Self.job(id)) }
    #expect(gate.submitted() == [1, 2, 3, 4, 5])
    #expect(gate.note(.final, to: (1...5).map { Self.job($0) }) == .isFinal)
    gate.add(Self.job(6))
    #expect(gate.next(at: 300) == .wait(until: Self.time(1100)))
    #expect(gate.submitted(at: 1100) == [6])
  }

  @Test func `an array that is too large is submitted in parts, and so are the next ones`() {
    let gate = Gate(1000)
    #expect(gate.sizes { $0 > 300 ? .tooMany : .final } == [1000, 500, 250, 250, 250, 250])
    gate.add(Self.job(2000))
    for id in 2001...2300 { gate.add(Self.job(id)) }
    #expect(gate.sizes { $0 > 300 ? .tooMany : .final } == [250, 51])
  }

  @Test func `where there are no arrays, jobs are submitted one by one`() {
    let gate = Gate(20)
    let sizes = gate.sizes { $0 > 1 ? .tooMany : .final }
    #expect(sizes == [20, 10, 5, 2] + Array(repeating: 1, count: 20))
    gate.add(Self.job(30, at: 1000))
    #expect(gate.submitted(at: 1000) == [30], "nothing to wait for")
  }

  @Test func `elements count for the limit of the queue`() {
    let gate = Gate(100)
    var room = 40
    let sizes = gate.sizes { count in
      guard count <= room else { return .full("full") }
      room -= count
      return .final
    }
    // Twice as many as fit are tried at most, and all of the room is used.
    #expect(sizes == [100, 50, 25, 25, 12, 12, 6, 3, 3, 1])
    #expect(room == 0 && gate.limit == "full")
    // The others are informed, and come again.
    #expect(gate.takeUninformed().count == 59)
    for id in 42...100 { gate.add(Self.job(id)) }
    #expect(gate.next(at: 1000) == .nothing)
    for id in 1...7 { gate.ended(Self.job(id).token) }
    #expect(gate.submitted(at: 1000)?.count == 7)
    #expect(gate.next(at: 1000) == .nothing)
  }

  @Test func `a full queue is tried with one job after a while`() {
    let gate = Gate(3)
    _ = gate.sizes { _ in .full("full") }
    #expect(gate.refusal(of: Self.job(9).token) == "full")
    #expect(gate.refusal(of: Self.job(9).token) == nil, "it knows")
    _ = gate.takeUninformed()
    gate.add(Self.job(8))
    gate.add(Self.job(9))
    #expect(gate.next(at: 1000) == .nothing)
    gate.retry()
    #expect(gate.submitted(at: 1000) == [8])
    #expect(gate.note(.final, to: [Self.job(8)]) == .isFinal)
    #expect(gate.submitted(at: 1000) == [9], "there was room for one")
    #expect(gate.note(.final, to: [Self.job(9)]) == .isFinal)
    #expect(gate.limit == nil)
  }

  @Test func `a job that is not wanted any more is not submitted again`() {
    let gate = Gate(4)
    #expect(gate.submitted() == [1, 2, 3, 4])
    #expect(!gate.remove(2))
    let jobs = (1...4).map { Self.job($0) }
    #expect(gate.note(.tooMany, to: jobs, wanted: [1, 3, 4]) == .again)
    #expect(gate.remove(3))
    #expect(gate.submitted() == [1, 4])
  }

  // MARK: Waits for a turn

  @Test func `a job whose turn comes late says so once`() {
    let gate = Gate(every: .seconds(5))
    for id in 1...3 { gate.add(Self.job(id, nil)) }
    #expect(gate.delayed(at: 0) == [2, 3])
    #expect(gate.submitted(at: 0) == [1])
    for id in 2...3 { gate.add(Self.job(id, nil)) }
    #expect(gate.delayed(at: 1000) == [])
    #expect(gate.submitted(at: 1000) == nil)
    #expect(gate.submitted(at: 5000) == [2])
    // An attempt that is over is forgotten.
    gate.ended(Self.job(3, nil).token)
    #expect(gate.delayed(at: 6000) == [3])
  }

  @Test func `equal jobs wait for one turn, and short waits are not shown`() {
    let gate = Gate(every: .milliseconds(400))
    for id in 1...100 { gate.add(Self.job(id, "g")) }
    for id in 101...104 { gate.add(Self.job(id, nil)) }
    #expect(gate.delayed(at: 0) == [103, 104])
    #expect(Gate(100).delayed(at: 0) == [])
  }
}
