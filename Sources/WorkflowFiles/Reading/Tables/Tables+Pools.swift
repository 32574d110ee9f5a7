// The maps of pools, and of what is taken of them.

import WorkflowReading
import YAML

extension Tables {
  /// The keys of `pool`.
  struct Pool: Sendable {
    var claim: PoolClaim?
    var count: Int?
  }

  static let pool = Table(
    "a pool", Pool(), example: "{ name: %, take: 2 }", missing: .missingName,
    [
      Field(
        "name", \.claim, .nameOfPool, "the name of the pool", isRequired: true, called: "pool"),
      Field(
        "take", \.count, .whole(1...PoolClaim.sizeMax).computed,
        "the number of places that it takes"),
    ]
  ) { fields, pool, context, reader in
    guard let node = fields["take"], let count = pool.count, let size = pool.claim?.size else {
      return
    }
    pool.claim?.count = count
    if count > size {
      reader.readers[context.file].report(.aboveMaximum("take", size), at: node)
    }
  }
}

extension PoolClaim {
  /// The maximum size of a pool.
  static let sizeMax = 1000
}

extension Form where Content == PoolClaim {
  /// The name of a pool, of which one place is taken.
  fileprivate static let nameOfPool = Form(
    .template,
    read: { node, site, reader in
      guard let name = reader.text(node, site.what, site.context) else { return nil }
      let pools = reader.scopes[site.context.scope].pools
      if let size = pools[name] { return PoolClaim(pool: name, count: 1, size: size) }
      reader.readers[site.context.file].report(
        .unknownPool(name, Alternatives(to: name, among: pools.keys.sorted())), at: node)
      return nil
    },
    write: { claim in
      .map(["name": .text(claim.pool), "take": .number(Double(claim.count))])
    })

  /// A name, or a map.
  fileprivate static let one = nameOfPool.or(Form<Tables.Pool>.map(Tables.pool).map { $0.claim })
}

extension Form where Content == [PoolClaim] {
  /// `pool`: one pool, or a list of pools.
  ///
  /// The order of their names is that in which they are taken, so that steps cannot wait for one
  /// another.
  static let pool = Form(
    .either([Form<PoolClaim>.one.shape, .list(Form<PoolClaim>.one.shape, minimum: 1)]),
    read: { node, site, reader in
      guard case .sequence(let nodes) = node.content else {
        return Form<PoolClaim>.one.read(node, site, &reader).map { [$0] }
      }
      if nodes.isEmpty {
        reader.readers[site.context.file].report(.emptyList(of: "pool", .unsearched), at: node)
      }
      var claims: [PoolClaim] = []
      for node in nodes {
        guard let claim = Form<PoolClaim>.one.read(node, site, &reader) else { continue }
        if claims.contains(where: { $0.pool == claim.pool }) {
          reader.readers[site.context.file].report(.poolTwice(claim.pool), at: node)
        }
        claims.append(claim)
      }
      return claims.sorted { $0.pool.utf8.lexicographicallyPrecedes($1.pool.utf8) }
    },
    write: { claims in
      let values = claims.compactMap(Form<PoolClaim>.one.write)
      return values.count < 2 ? values.first : .list(values)
    })
}

extension Form where Content == [String: Int] {
  /// `pools`: sizes by name.
  static let pools = Form(
    .named(.identifier, .computed(.whole(1...PoolClaim.sizeMax))),
    read: { node, site, reader in
      var pools: [String: Int] = [:]
      for (name, _, value) in reader.readers[site.context.file].named(
        node, site.what, .identifier)
      {
        let own = WorkflowReader.Site(
          what: "the size of \"\(name)\"", context: site.context, draft: nil)
        pools[name] =
          Form<Int>.whole(1...PoolClaim.sizeMax).computed.read(value, own, &reader) ?? 1
      }
      return pools
    }, write: { .map($0.mapValues { .number(Double($0)) }) })
}
