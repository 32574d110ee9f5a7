import Reprise

let workflow = try Workflow(contentsOf: "hello.yaml")
let run = Engine().start(workflow)
print(try await run.outcome)
