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
      await measure()
      isDone.signal()
    }
    isDone.wait()
  }

  private static func measure() async {
    let arguments = CommandLine.arguments.dropFirst()
    let count = arguments.dropFirst().last.flatMap { Int($0) } ?? 1
    let figures: [String: Double]
    switch arguments.first {
    case "layers": figures = await measureEngine(layers(count))
    case "chain": figures = await measureEngine(chain(count))
    case "fan-out": figures = await measureEngine(fanOut(count))
    case "fan-in": figures = await measureEngine(fanIn(count))
    case "dense": figures = await measureEngine(dense(count))
    case "allocations": figures = await countAllocations(count)
    case "restart": figures = await measureRestart(count)
    case "operator": figures = await measureOperator(arguments.dropFirst().first ?? "", count)
    default:
      print("usage: in-process KIND [ARGUMENT…]; see Main.swift")
      exit(64)
    }
    let fields = figures.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    print(fields.joined(separator: " "))
  }
}
