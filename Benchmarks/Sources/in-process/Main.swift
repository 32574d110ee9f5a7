// in-process KIND [ARGUMENT…]: measures the library in a separate process, and prints one line with
// the figures and their values, separated by spaces.

import Dispatch
import Glibc

@main
struct InProcess {
  // Wait for a task instead of being asynchronous: otherwise the first thread would end, which
  // tools that count instructions do not support.
  static func main() {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await measure()
      } catch {
        fatalError("the run cannot be measured: \(error)")
      }
      isDone.signal()
    }
    isDone.wait()
  }

  private static func measure() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let count = arguments.dropFirst().last.flatMap { Int($0) } ?? 1
    let figures: [String: Double]
    switch arguments.first {
    case "layers": figures = try await measureEngine(layers(count))
    case "chain": figures = try await measureEngine(chain(count))
    case "fan-out": figures = try await measureEngine(fanOut(count))
    case "fan-in": figures = try await measureEngine(fanIn(count))
    case "dense": figures = try await measureEngine(dense(count))
    case "allocations": figures = try await countAllocations(count)
    case "restart": figures = try await measureRestart(count)
    case "record": figures = try await recordRuns(count, in: arguments.dropFirst().first ?? "")
    case "operator": figures = await measureOperator(arguments.dropFirst().first ?? "", count)
    default:
      print("usage: in-process KIND [ARGUMENT…]; see Main.swift")
      exit(64)
    }
    let fields = figures.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    print(fields.joined(separator: " "))
  }
}
