// Reads the fuzzer's input as a workflow file. The fuzzer detects crashes, leaks, timeouts and
// excessive memory use.

import FuzzMain
import Reprise

/// Forces the entry point to be linked.
let entryPoint = FuzzLoader_main

/// Called by libFuzzer for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  // No input may refer to a file of this machine.
  let sources = SourceFiles.kept(["used.yaml": "params: { x: {} }\nsteps: [{ id: a, run: x }]\n"])
  do throws(WorkflowError) {
    let workflow = try Workflow(
      bytes: bytes, file: "fuzz.yaml", sources: sources,
      with: Arguments(allowsMissing: count.isMultiple(of: 2)))
    _ = workflow.rendered(as: .json)
    for warning in workflow.warnings { _ = warning.description }
  } catch {
    _ = error.description
  }
  return 0
}
