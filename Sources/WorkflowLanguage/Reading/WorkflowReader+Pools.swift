// Reads the pools of a file, and what its steps take of them.

import YAML

extension PoolClaim {
  /// The maximum size of a pool.
  static let sizeMax = 1000
}

extension WorkflowReader {
  /// Reads `pools`.
  mutating func readPools(_ node: Node, _ context: Context) -> [String: Int] {
    var pools: [String: Int] = [:]
    for (name, _, value) in readers[context.file].named(node, "pools", .identifier) {
      pools[name] = size(value, "the size of \"\(name)\"", upTo: PoolClaim.sizeMax, context) ?? 1
    }
    return pools
  }

  /// Reads `pool` of a step, a name or a map.
  mutating func readPool(_ node: Node, _ context: Context) -> PoolClaim? {
    let file = context.file
    var (nameNode, takeNode): (Node?, Node?) = (node, nil)
    if case .mapping = node.content {
      guard let fields = readers[file].fields(of: node, .pool) else { return nil }
      (nameNode, takeNode) = (fields["name"], fields["take"])
      if fields.lacks("name") { readers[file].report(.missing(.nameOfPool), at: node) }
    }
    guard let nameNode, let name = text(nameNode, "pool", context) else { return nil }
    let pools = scopes[context.scope].pools
    guard let size = pools[name] else {
      readers[file].report(
        .unknownPool(name, Alternatives(to: name, among: pools.keys.sorted())), at: nameNode)
      return nil
    }
    guard let takeNode else { return PoolClaim(pool: name, count: 1, size: size) }
    return self.size(takeNode, "take", upTo: size, context).map {
      PoolClaim(pool: name, count: $0, size: size)
    }
  }

  private mutating func size(
    _ node: Node, _ what: String, upTo maximum: Int, _ context: Context
  ) -> Int? {
    guard let size = number(node, what, context) else { return nil }
    guard size <= maximum else {
      readers[context.file].report(.aboveMaximum(what, maximum), at: node)
      return nil
    }
    return size
  }
}
