import Dispatch
import Reprise

let workflow = try Workflow(contentsOf: "hello.yaml")
let run = Engine().start(workflow)

DispatchQueue.global().async {
  while let line = readLine() {
    if line == "r" { run.restart() }
  }
}

for await event in run.events.values {
  if case .step(let id, _, let what) = event.kind {
    print(event.generation, id, what)
  }
}
print(try await run.outcome)
