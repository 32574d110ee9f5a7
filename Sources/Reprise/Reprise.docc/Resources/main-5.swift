import Dispatch
import Reprise

nonisolated struct Person: Decodable { let name: String }

var engine = Engine()
engine.register("greet", taking: Person.self) { context, person in
  ["greeting": "hello \(person.name)"]
}
let run = engine.start(try engine.workflow(contentsOf: "hello.yaml"))

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
  if case .step(let id, _, let what) = event.kind { print(event.generation, id, what) }
}
print(try await run.outcome)
