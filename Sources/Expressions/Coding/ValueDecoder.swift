// Decodes Swift values from values of the language, with precise errors. The containers are in
// ValueDecoder+Containers.

/// A decoder that decodes one value into any `Decodable` type.
///
/// It is lenient, because outputs of steps are text: it decodes numbers from text, lists and maps
/// from JSON text, and strings from any scalar as it was written. It decodes a `Duration` from text
/// as in a workflow file.
struct ValueDecoder: Decoder {
  /// A record of the names and values that the decoding has accessed.
  ///
  /// Not `Sendable`, because decoding stays on one thread.
  final class Trace {
    /// The names that were requested, by the path of their map.
    var asked: [[String]: Set<String>] = [:]
    /// The paths of the maps whose keys were enumerated.
    var open: Set<[String]> = []
    /// Whether a value was requested that is not known yet.
    var requestedUnknown = false
    /// Whether the values are outputs of a step, which are text: nil in a map was written as empty text.
    let readsOutputs: Bool

    init(readsOutputs: Bool) {
      self.readsOutputs = readsOutputs
    }
  }

  let value: ArgumentValue
  let codingPath: [any CodingKey]
  let trace: Trace
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: ArgumentValue, at codingPath: [any CodingKey], _ trace: Trace) {
    self.value = value
    self.codingPath = codingPath
    self.trace = trace
  }

  var path: [String] { codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } }

  func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    let values: [String: ArgumentValue]?
    switch value {
    case .map(let map): values = map
    case .unknown:
      trace.requestedUnknown = true
      values = nil
    case .scalar, .list:
      guard case .map(let map)? = valueOfJSON else { throw mismatch("a map") }
      values = map
    }
    trace.asked[path, default: []].formUnion([])
    return KeyedDecodingContainer(KeyedValues<Key>(decoder: self, values: values))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .list(let values): return ListedValues(decoder: self, values: values)
    case .unknown:
      trace.requestedUnknown = true
      return ListedValues(decoder: self, values: [])
    case .scalar, .map:
      guard case .list(let values)? = valueOfJSON else { throw mismatch("a list") }
      return ListedValues(decoder: self, values: values)
    }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValue(decoder: self)
  }

  // MARK: Values

  /// The value of text that is JSON, because outputs of steps are always text.
  private var valueOfJSON: ArgumentValue? {
    guard case .scalar(.text(let text), _) = value else { return nil }
    return (try? Value(json: text)).map(ArgumentValue.init)
  }

  /// Decodes a value of any type.
  func decoded<T: Decodable>(_ type: T.Type) throws -> T {
    if let found = value.value as? T {
      if value.hasUnknown { trace.requestedUnknown = true }
      return found
    }
    if let plain = try plain(type) { return plain }
    if let ofFoundation = FoundationType(type), case .scalar(let scalar, let text) = value,
      scalar.types.isSubset(of: [.number, .text])
    {
      guard let parts = ofFoundation.parts(of: text) else { throw mismatch("a decimal number") }
      return try T(from: ValueDecoder(parts, at: codingPath, trace))
    }
    if isEmptyOutput, type != String?.self,
      let optional = type as? any ExpressibleByNilLiteral.Type,
      let nothing = optional.init(nilLiteral: ()) as? T
    {
      return nothing
    }
    do {
      return try T(from: self)
    } catch DecodingError.dataCorrupted(let context)
      where context.codingPath.count <= codingPath.count
    {
      // A choice depends on its own text alone, whether other values are known or not.
      guard case .scalar(_, let text) = value, let options = options(of: type)
      else { throw DecodingError.dataCorrupted(context) }
      throw ArgumentError(
        path, .argumentChoice(name, text, Alternatives(to: text, among: options)))
    }
  }

  /// Decodes a value of a plain type; returns nil for other types.
  private func plain<T>(_ type: T.Type) throws -> T? {
    switch type {
    case is Bool.Type: try boolean() as? T
    case is String.Type: try text() as? T
    case is Double.Type: try number(Double.self) as? T
    case is Float.Type: try number(Float.self) as? T
    case is Duration.Type: try duration() as? T
    case let type as any FixedWidthInteger.Type: try whole(type) as? T
    default: nil
    }
  }

  private func duration() throws -> Duration {
    guard !isUnknown() else { return .zero }
    guard case .scalar(_, let text) = value, let duration = Duration(workflowText: text) else {
      throw mismatch("a duration")
    }
    return duration
  }

  /// Returns the raw values of an enumeration; nil for other types.
  private func options<T>(of type: T.Type) -> [String]? {
    guard let cases = type as? any CaseIterable.Type else { return nil }
    func texts<C: CaseIterable>(_ type: C.Type) -> [String] {
      type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    }
    let texts = texts(cases)
    return texts.isEmpty ? nil : texts
  }

  func text() throws -> String {
    guard !isUnknown() else { return "" }
    guard case .scalar(let value, let text) = value, value != .null else {
      throw mismatch("text")
    }
    return text
  }

  func boolean() throws -> Bool {
    guard !isUnknown() else { return false }
    switch value {
    case .scalar(.boolean(let boolean), _): return boolean
    case .scalar(.text("true"), _): return true
    case .scalar(.text("false"), _): return false
    default: throw mismatch("true or false")
    }
  }

  func number<T: BinaryFloatingPoint & LosslessStringConvertible>(_ type: T.Type) throws -> T {
    guard !isUnknown() else { return 0 }
    guard case .scalar(let value, let text) = value, value.types.isSubset(of: [.number, .text]),
      let number = T(text), number.isFinite
    else { throw mismatch("a number") }
    return number
  }

  func whole<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    guard !isUnknown() else { return 0 }
    guard case .scalar(let value, let text) = value, value.types.isSubset(of: [.number, .text]),
      let double = Double(text), double == double.rounded(), double.isFinite
    else { throw mismatch("a whole number") }
    // Try the text first: from 2^53 on, the double may not be exact.
    guard let number = T(text) ?? T(exactly: double) else {
      throw ArgumentError(path, .argumentRange(name, "\(T.min)", "\(T.max)"))
    }
    return number
  }

  /// Whether the value is null.
  var isNull: Bool { value.isNothing }

  /// Whether the value is empty text of an output, which stands for nil where the type is no text.
  var isEmptyOutput: Bool {
    guard trace.readsOutputs, case .scalar(.text, "") = value else { return false }
    return true
  }

  private func isUnknown() -> Bool {
    guard value == .unknown else { return false }
    trace.requestedUnknown = true
    return true
  }

  // MARK: Errors

  /// The name of the value in messages.
  var name: String { path.isEmpty ? "the value" : path.asPath }

  func mismatch(_ expected: String) -> ArgumentError {
    ArgumentError(
      path,
      .argumentKind(
        name, expected: expected, found: value.shown, isDuration: expected == "a duration"))
  }
}

extension ArgumentValue {
  fileprivate var isNothing: Bool {
    if case .scalar(.null, _) = self { true } else { false }
  }

  /// Whether a part of the value is not known yet.
  fileprivate var hasUnknown: Bool {
    switch self {
    case .unknown: true
    case .scalar: false
    case .list(let values): values.contains(where: \.hasUnknown)
    case .map(let values): values.values.contains(where: \.hasUnknown)
    }
  }
}

extension Decodable {
  /// Decodes an instance from named arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, by name.
  ///   - areOutputs: Whether they are outputs of a step: names that the type does not decode are allowed,
  ///     and an empty text is nil where the type is optional and not text.
  /// - Returns: The instance; nil if it depends on a value that is not known yet.
  /// - Throws: ``ArgumentError`` for the first error.
  package static func decoded(
    from arguments: [String: ArgumentValue], areOutputs: Bool = false
  ) throws(ArgumentError) -> Self? {
    try decoded(from: ArgumentValue.map(arguments), areOutputs: areOutputs)
  }

  /// Decodes an instance from a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - areOutputs: Whether they are outputs of a step: names that the type does not decode are allowed,
  ///     and an empty text is nil where the type is optional and not text.
  /// - Returns: The instance; nil if it depends on a value that is not known yet.
  /// - Throws: ``ArgumentError`` for the first error.
  package static func decoded(
    from value: ArgumentValue, areOutputs: Bool = false
  ) throws(ArgumentError) -> Self? {
    let trace = ValueDecoder.Trace(readsOutputs: areOutputs)
    do {
      let result = try ValueDecoder(value, at: [], trace).decoded(Self.self)
      if !areOutputs, let error = unknownName(value, [], trace) { throw error }
      return result
    } catch let error as ArgumentError {
      throw error
    } catch {
      // Ignore errors that may result from placeholders for unknown values.
      if trace.requestedUnknown { return nil }
      throw ArgumentError(error)
    }
  }

  /// Returns an error for the first name that the type has not decoded.
  private static func unknownName(
    _ value: ArgumentValue, _ path: [String], _ trace: ValueDecoder.Trace
  ) -> ArgumentError? {
    switch value {
    case .scalar, .unknown: return nil
    case .list(let values):
      for (position, value) in values.enumerated() {
        if let error = unknownName(value, path + [String(position)], trace) { return error }
      }
    case .map(let values):
      guard let asked = trace.asked[path], !trace.open.contains(path) else { return nil }
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        guard asked.contains(name) else {
          return ArgumentError(
            path + [name],
            .unknownArgument(
              (path + [name]).asPath, Alternatives(to: name, among: asked.sorted())),
            isOfName: true)
        }
        if let error = unknownName(value, path + [name], trace) { return error }
      }
    }
    return nil
  }
}

extension ArgumentError {
  /// Converts an error that a custom `Decodable` type has thrown.
  init(_ error: any Error) {
    let context: DecodingError.Context
    switch error as? DecodingError {
    case .keyNotFound(let key, let found):
      self.init(
        found.codingPath.map(\.stringValue), .argumentMissing(key.stringValue, nearest: nil))
      return
    case .dataCorrupted(let found), .typeMismatch(_, let found), .valueNotFound(_, let found):
      context = found
    case nil:
      self.init([], .argument("\(error)"))
      return
    @unknown default:
      self.init([], .argument("\(error)"))
      return
    }
    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    self.init(
      path, .argument((path.isEmpty ? "" : path.asPath + ": ") + context.debugDescription))
  }
}
