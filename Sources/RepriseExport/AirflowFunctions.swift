// The Python functions of expressions with values that are only known during a run.

/// A function of expressions in an exported file.
struct AirflowFunction {
  let name: String
  let text: String

  /// Returns the functions that a text uses, directly or indirectly.
  ///
  /// A text that only looks like a call adds a function that is not needed.
  static func all(usedBy lines: [String]) -> [AirflowFunction] {
    var text = lines.joined(separator: "\n")
    var used: [AirflowFunction] = []
    // Each uses only functions after it.
    for function in all where text.contains(function.name + "(") {
      used.append(function)
      text += function.text
    }
    return used
  }

  private static let all = [
    AirflowFunction(
      name: "either",
      text: #"""
        def either(first, second):
            """The first value if it counts as true, otherwise the second."""
            try:
                value = first()
                if truthy(value):
                    return value
            except Missing:
                pass
            return second()
        """#),
    AirflowFunction(
      name: "both",
      text: #"""
        def both(first, second):
            """The second value if the first counts as true, otherwise the first."""
            value = first()
            return second() if truthy(value) else value
        """#),
    AirflowFunction(
      name: "truthy",
      text: #"""
        def truthy(value):
            """Whether a value counts as true: everything but None, False, 0 and the empty text."""
            return isinstance(value, (list, dict)) or bool(value)
        """#),
    AirflowFunction(
      name: "contains",
      text: #"""
        def contains(value, what):
            if isinstance(value, dict):
                raise AirflowFailException("contains() needs a list or a text")
            if not isinstance(value, list):
                return as_text(what) in as_text(value)
            alike = [item for item in value if comparable(item, what)]
            found = any(equal(item, what) for item in alike)
            if not found and len(alike) < len(value):
                raise AirflowFailException(f"{value!r} and {what!r} cannot be compared")
            return found
        """#),
    AirflowFunction(
      name: "equal",
      text: #"""
        def equal(first, second):
            """Whether two values are equal; None is the empty text, and other types are an error."""
            if not comparable(first, second):
                raise AirflowFailException(f"{first!r} and {second!r} cannot be compared")
            return ("" if first is None else first) == ("" if second is None else second)
        """#),
    AirflowFunction(
      name: "comparable",
      text: #"""
        def comparable(first, second):
            kinds = [float if type(value) is int else type(value) for value in (first, second)]
            return kinds[0] is kinds[1] or set(kinds) == {str, type(None)}
        """#),
    AirflowFunction(
      name: "as_number",
      text: #"""
        def as_number(value):
            if type(value) not in (int, float):
                raise AirflowFailException(f"{value!r} is not a number")
            return value
        """#),
    AirflowFunction(
      name: "member",
      text: #"""
        def member(value, key):
            """A member of a map, or an element of a list; None if there is none."""
            if value is None:
                return None
            if isinstance(value, dict) and isinstance(key, str):
                return value.get(key)
            if isinstance(value, list) and type(key) in (int, float):
                return value[int(key)] if key == int(key) and 0 <= key < len(value) else None
            raise AirflowFailException(f"{value!r} has no {key!r}")
        """#),
    AirflowFunction(
      name: "join_all",
      text: #"""
        def join_all(values, separator=","):
            if isinstance(values, dict):
                raise AirflowFailException("join() needs a list")
            return separator.join(map(as_text, values)) if isinstance(values, list) else as_text(values)
        """#),
    AirflowFunction(
      name: "from_json",
      text: #"""
        def from_json(written):
            def number(digits):
                value = float(digits)
                if value in (float("inf"), float("-inf")):
                    raise ValueError("the number is too large")
                return int(value) if value == int(value) and abs(value) < 2**53 else value

            def constant(name):
                raise ValueError(f"{name} is not JSON")

            try:
                return json.loads(as_text(written), parse_float=number, parse_constant=constant)
            except ValueError as error:
                raise AirflowFailException(f"not JSON: {error}") from error
        """#),
    AirflowFunction(
      name: "as_text",
      text: #"""
        def as_text(value):
            """A value as Reprise writes it: None is the empty text, and lists and maps are JSON."""
            if isinstance(value, (list, dict, bool)):
                return to_json(value)
            return "" if value is None else str(value)
        """#),
    AirflowFunction(
      name: "to_json",
      text: #"""
        def to_json(value):
            """A value as JSON on one line, with the keys in order, as Reprise writes it."""
            if isinstance(value, dict):
                pairs = [f"{to_json(key)}:{to_json(value[key])}" for key in sorted(value)]
                return "{" + ",".join(pairs) + "}"
            if isinstance(value, list):
                return "[" + ",".join(map(to_json, value)) + "]"
            if isinstance(value, str):
                escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
                return '"' + re.sub(
                    '["\\\\\x00-\x1f\x7f]',
                    lambda found: escapes.get(found[0], f"\\u{ord(found[0]):04x}"), value) + '"'
            return json.dumps(value)
        """#),
  ]
}
