// Environment variables of a process: variables shared by many processes, prepared once, and
// changes for one process.

import Platform

/// Environment variables: shared ones in the form that `exec` takes, with changes.
///
/// A step changes about ten of the dozens of variables that it inherits. Hashing and copying all of
/// them for each process would take as long as some of the system calls that start it.
package struct Environment: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  private let shared: SharedVariables
  /// The changes: the new value, or nil if a shared variable is removed.
  private var own: [(name: String, value: String?)] = []

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - variables: The values by name.
  ///   - raw: The variables that are not UTF-8; their bytes are passed on instead of the values.
  package init(_ variables: [String: String], raw: [RawVariable] = []) {
    shared = SharedVariables(variables, raw)
  }

  /// Creates an environment.
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

  /// The name of a variable whose name or value contains a NUL, if any.
  var nameWithNul: String? {
    shared.nameWithNul
      ?? own.first { change in hasNul(change.name) || change.value.map(hasNul) ?? false }?.name
  }

  /// The entries in the form that `exec` takes.
  var block: StringBlock {
    let room = own.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 2 }
    var block = StringBlock(shared.block, roomFor: own.count, bytes: room)
    block.remove(own.compactMap { shared.positions[$0.name] })
    for case (let name, let value?) in own { block.append(name: name, value: value) }
    return block
  }

  package static func == (left: Environment, right: Environment) -> Bool {
    left.variables == right.variables
  }
}

/// An environment variable that is not UTF-8.
package struct RawVariable: Sendable {
  /// The name; nil if it is not UTF-8 either.
  package let name: String?
  /// The name with invalid UTF-8 replaced, which is its key in the dictionary of variables.
  package let repaired: String
  /// The bytes of the name, an equals sign and the value.
  package let entry: [UInt8]

  /// Creates a variable.
  package init(name: String?, repaired: String, entry: [UInt8]) {
    self.name = name
    self.repaired = repaired
    self.entry = entry
  }
}

/// Immutable variables, shared by many environments.
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
      block.append(name: name, value: value)
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

/// C strings in one contiguous block of memory, because each step needs dozens of them.
struct StringBlock: Sendable {
  private var bytes: [UInt8] = []
  private var starts: [Int] = []

  /// The number of strings.
  var count: Int { starts.count }

  /// Creates a block without strings.
  init() {}

  /// Creates a copy of a block with room for more strings, so that memory is allocated once.
  init(_ other: StringBlock, roomFor count: Int, bytes more: Int) {
    bytes.reserveCapacity(other.bytes.count + more)
    bytes += other.bytes
    starts.reserveCapacity(other.starts.count + count)
    starts += other.starts
  }

  /// Appends a string given as bytes without a NUL.
  mutating func append(_ string: some Collection<UInt8>) {
    starts.append(bytes.count)
    bytes += string
    bytes.append(0)
  }

  /// Appends a variable.
  mutating func append(name: String, value: String) {
    starts.append(bytes.count)
    bytes += name.utf8
    bytes.append(UInt8(ascii: "="))
    bytes += value.utf8
    bytes.append(0)
  }

  /// Removes strings by their positions.
  mutating func remove(_ positions: [Int]) {
    for position in positions.sorted().reversed() { starts.remove(at: position) }
  }

  /// A null-terminated array of C strings, as `exec` takes it.
  typealias Pointers = UnsafePointer<UnsafeMutablePointer<CChar>?>

  /// Calls a closure with the strings.
  mutating func withPointers<Result>(_ body: (Pointers) -> Result) -> Result {
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
