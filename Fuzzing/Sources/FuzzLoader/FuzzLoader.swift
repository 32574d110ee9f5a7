// Has whatever bytes the fuzzer thinks of read as a workflow file. Judges nothing: a crash, a leak, a time-out
// or too much memory is what the fuzzer looks for.

import FuzzMain
import Reprise

/// Has the entry point linked.
let entryPoint = FuzzLoader_main

/// Called by libFuzzer for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  // No input may lead to a file of this machine.
  let sources = SourceFiles.kept(["used.yaml": "params: { x: {} }\nsteps: [{ id: a, run: x }]\n"])
  do throws(WorkflowError) {
    let workflow = try Workflow(
      bytes: bytes, file: "fuzz.yaml", sources: sources,
      with: Arguments(leavesOpen: count.isMultiple(of: 2)))
    _ = workflow.rendered(as: .json)
    for warning in workflow.warnings { _ = warning.description }
  } catch {
    _ = error.description
  }
  return 0
}
