import Dispatch
import Reprise

let workflow = try Workflow(contentsOf: "hello.yaml")
let run = Engine().start(workflow)

DispatchQueue.global().async {
  while let line = readLine() {
    switch line {
    case "r": run.restart()
    case "c": run.cancel()
    default: try? run.restart(from: line)
    }
  }
}

for await event in run.events.values {
  if case .step(let id, _, let what) = event.kind {
    print(event.generation, id, what)
  }
}
print(try await run.outcome)
