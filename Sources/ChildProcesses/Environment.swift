// The environment variables of a process: what many processes share, prepared once, and what one has of
// its own. Starts nothing itself.

import Platform

/// Environment variables: shared ones in the form in which a program gets them, with changes.
///
/// A step changes some ten of the dozens that it inherits. To hash and to copy all of them for each
/// process would take as long as some of the system calls that start it.
package struct Environment: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  private let shared: SharedVariables
  /// What differs: the value, or nil where a shared variable is removed.
  private var own: [(name: String, value: String?)] = []

  /// Prepares variables.
  ///
  /// - Parameters:
  ///   - variables: The values by name.
  ///   - raw: The variables among them that are not UTF-8: these bytes are passed on in their place.
  package init(_ variables: [String: String], raw: [RawVariable] = []) {
    shared = SharedVariables(variables, raw)
  }

  /// Prepares variables.
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(Dictionary(elements) { $1 })
  }

  /// The value of a variable; setting nil removes it.
  ///
  /// Linear in the number of changes.
  package subscript(name: String) -> String? {
    get {
      guard let change = own.first(where: { $0.name == name }) else { return shared.values[name] }
      return change.value
    }
    set {
      if let position = own.firstIndex(where: { $0.name == name }) {
        own[position].value = newValue
      } else {
        own.append((name, newValue))
      }
    }
  }

  /// All variables.
  package var variables: [String: String] {
    var variables = shared.values
    for (name, value) in own { variables[name] = value }
    return variables
  }

  /// The name of a variable that has a NUL in its name or value, if one has.
  var nameWithNul: String? {
    shared.nameWithNul
      ?? own.first { change in hasNul(change.name) || change.value.map(hasNul) ?? false }?.name
  }

  /// The entries as `exec` takes them.
  var block: StringBlock {
    var block = shared.block
    block.remove(own.compactMap { shared.positions[$0.name] })
    for case (let name, let value?) in own { block.append(name, "=", value) }
    return block
  }

  package static func == (left: Environment, right: Environment) -> Bool {
    left.variables == right.variables
  }
}

/// A variable that is not UTF-8.
package struct RawVariable: Sendable {
  /// Its name; nil where that is not UTF-8 either.
  package let name: String?
  /// The name with what is not UTF-8 replaced, by which it is among the texts.
  package let repaired: String
  /// The name, a sign of equality and the value.
  package let entry: [UInt8]

  /// Names a variable.
  package init(name: String?, repaired: String, entry: [UInt8]) {
    self.name = name
    self.repaired = repaired
    self.entry = entry
  }
}

/// Variables that are never changed.
private final class SharedVariables: Sendable {
  let values: [String: String]
  let block: StringBlock
  /// The positions of the entries in the block.
  let positions: [String: Int]
  let nameWithNul: String?

  init(_ values: [String: String], _ raw: [RawVariable]) {
    self.values = values
    var block = StringBlock()
    var positions: [String: Int] = [:]
    let repaired = Set(raw.map(\.repaired))
    for (name, value) in values where !repaired.contains(name) {
      positions[name] = positions.count
      block.append(name, "=", value)
    }
    for variable in raw {
      if let name = variable.name { positions[name] = block.count }
      block.append(variable.entry)
    }
    self.block = block
    self.positions = positions
    nameWithNul = values.first { hasNul($0.key) || hasNul($0.value) }?.key
  }
}

/// Strings one behind the other, as C takes them: in one piece of memory, since each step needs dozens.
struct StringBlock: Sendable {
  private var bytes: [UInt8] = []
  private var starts: [Int] = []

  /// How many strings there are.
  var count: Int { starts.count }

  /// Adds a string by its bytes, which have no NUL.
  mutating func append(_ string: [UInt8]) {
    starts.append(bytes.count)
    bytes += string
    bytes.append(0)
  }

  /// Adds a string that is made of some parts.
  mutating func append(_ parts: String...) {
    starts.append(bytes.count)
    for part in parts { bytes += part.utf8 }
    bytes.append(0)
  }

  /// Removes strings by their positions.
  mutating func remove(_ positions: [Int]) {
    for position in positions.sorted().reversed() { starts.remove(at: position) }
  }

  /// Lends a null-terminated array of C strings, as `exec` takes it.
  mutating func withPointers<Result>(
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let starts = starts
    return unsafe bytes.withUnsafeMutableBytes { memory in
      let count = starts.count + 1
      return unsafe withUnsafeTemporaryAllocation(
        of: UnsafeMutablePointer<CChar>?.self, capacity: count
      ) { pointers in
        for (position, start) in starts.enumerated() {
          unsafe pointers.initializeElement(
            at: position,
            to: memory.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self))
        }
        unsafe pointers.initializeElement(at: count - 1, to: nil)
        guard let base = unsafe UnsafePointer(pointers.baseAddress) else {
          preconditionFailure("BUG: an array with an element has an address")
        }
        return unsafe body(base)
      }
    }
  }
}
