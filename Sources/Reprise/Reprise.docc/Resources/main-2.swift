import Reprise

let workflow = try Workflow(contentsOf: "hello.yaml")
let run = Engine().start(workflow)

for await event in run.events.values {
  if case .step(let id, _, let what) = event.kind {
    print(event.generation, id, what)
  }
}
print(try await run.outcome)
