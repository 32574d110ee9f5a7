// `for` of `retry` and `restart`: exit statuses, and words for what ends an attempt from outside.

import WorkflowReading
import Workflows
import YAML

extension Form where Content == Set<Retry.Failure> {
  /// Exit statuses and causes, one or a list.
  static let failures = Form(
    .either([one, .list(one, minimum: 1)]),
    read: { node, site, reader in
      let file = site.context.file
      var nodes = [node]
      if case .scalar = node.content {
      } else {
        guard let list = reader.readers[file].list(node, of: "an exit status or a list of them")
        else { return nil }
        nodes = list
      }
      if nodes.isEmpty {
        reader.readers[file].report(.emptyList(of: "exit status", .unsearched), at: node)
      }
      return Set(nodes.compactMap { failure($0, file, &reader) })
    },
    write: { failures in
      let statuses = failures.compactMap {
        if case .status(let status) = $0 { status } else { nil }
      }
      let causes = failures.compactMap {
        if case .lost(let cause) = $0 { cause.rawValue } else { nil }
      }
      return .list(
        statuses.sorted().map { .number(Double($0)) } + causes.sorted().map(Value.text))
    })

  private static let statuses = 1...255
  private static let words = LossCause.allCases.map(\.rawValue)
  private static let one = Shape.either([.whole(statuses), .choice(words)])

  private static func failure(
    _ node: Node, _ file: Int, _ reader: inout WorkflowReader
  ) -> Retry.Failure? {
    guard let text = node.text, text.contains(where: \.isLetter) else {
      return reader.readers[file].number(
        node, "an exit status", from: statuses.lowerBound, upTo: statuses.upperBound
      ).map { .status($0) }
    }
    return reader.readers[file].choice(node, "failure", of: words)
      .flatMap { LossCause(rawValue: $0) }.map { .lost($0) }
  }
}
