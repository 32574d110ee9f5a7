// The workflows under `workflows` of a file: their short forms, and what a file of workflows shares.

import WorkflowReading
import YAML

extension Tables {
  /// The keys of a file that has workflows, but no steps of its own: what is not its own applies to each
  /// workflow that does not set it.
  static let collection: KeyTable = {
    let own = ["name", "description", "workflows"]
    let all = workflow.keys
    return KeyTable(
      place: "a file of workflows",
      keys: all.keys.filter { own.contains($0.name) || shared.contains($0.name) })
  }()

  fileprivate static let shared = [
    "params", "env", "dotenv", "secrets", "shell", "dir", "runner", "runners", "grace", "defaults",
  ]
}

extension Node {
  /// Whether this root of a file has workflows, but no steps of its own.
  var isCollection: Bool {
    guard case .mapping(let pairs) = content else { return false }
    return Node.position(of: "steps", in: pairs) == nil
      && pairs.contains { $0.key.text == "workflows" }
  }

  /// The names of the workflows under the key `workflows` of this root of a file.
  var namesOfWorkflows: [String] { workflowPairs.compactMap(\.key.text) }

  private var workflowPairs: [Node.Pair] {
    guard case .mapping(let pairs) = content,
      let position = Node.position(of: "workflows", in: pairs),
      case .mapping(let workflows) = pairs[position].value.content
    else { return [] }
    return workflows
  }

  /// The workflows under the key `workflows` of this root of a file, each as a map.
  var namedWorkflows: [Node.Pair] {
    workflowPairs.map { Node.Pair(key: $0.key, value: $0.value.workflow(called: $0.key)) }
  }

  /// Returns the map of a workflow under `workflows`, with what the file shares; nil if there is none of
  /// that name.
  func workflow(named name: String) -> Node? {
    let named = workflowPairs
    guard let position = Node.position(of: name, in: named) else { return nil }
    let workflow = named[position].value.workflow(called: named[position].key)
    guard isCollection, case .mapping(let pairs) = content else { return workflow }
    return workflow.adding(pairs.filter { Tables.shared.contains($0.key.text ?? "") })
  }

  /// Returns the map of a workflow of which only a script or the steps may be written.
  func workflow(called name: Node) -> Node {
    func text(_ text: String) -> Node {
      Node(content: .scalar(text, isPlain: true), mark: mark, length: length)
    }
    let steps: Node
    switch content {
    case .mapping: return self
    case .sequence: steps = self
    case .scalar:
      let pairs = [
        Node.Pair(key: text("id"), value: name), Node.Pair(key: text("run"), value: self),
      ]
      let step = Node(content: .mapping(pairs), mark: mark, length: length)
      steps = Node(content: .sequence([step]), mark: mark, length: length)
    }
    return Node(
      content: .mapping([Node.Pair(key: text("steps"), value: steps)]), mark: mark, length: length)
  }

  /// Returns a map with the pairs of others that it does not have; of maps in both, the pairs of both.
  private func adding(_ others: [Node.Pair]) -> Node {
    guard case .mapping(var pairs) = content else { return self }
    for other in others {
      guard let key = other.key.text, let position = Node.position(of: key, in: pairs) else {
        pairs.append(other)
        continue
      }
      if case .mapping(let inner) = other.value.content {
        pairs[position].value = pairs[position].value.adding(inner)
      }
    }
    return Node(content: .mapping(pairs), mark: mark, length: length)
  }
}
