// Tests that every key of the language is read.

import Testing
import WorkflowReading

@testable import WorkflowFiles

/// A key that is in a table but that no code reads would be silently ignored.
struct KeyReadingTests {
  /// A place in a file where the keys of a table can be.
  struct Place: Sendable, CustomTestStringConvertible {
    let table: KeyTable
    /// The file with `KEY: VALUE` first in the map, followed by the required keys.
    let text: String

    init(_ table: KeyTable, _ text: String) {
      self.table = table
      self.text = text
    }

    var testDescription: String { table.place }
  }

  private static let step = "steps: [{ id: a, run: x }]\n"

  static let places = [
    Place(Tables.workflow.keys, "KEY: VALUE\n\(step)"),
    Place(Tables.concurrency.keys, "concurrency: { KEY: VALUE, group: g, policy: queue }\n\(step)"),
    Place(Tables.triggers.keys, "on: { KEY: VALUE }\n\(step)"),
    Place(Tables.files.keys, "on: { files: { KEY: VALUE, paths: a } }\n\(step)"),
    Place(Tables.schedule.keys, "on: { schedule: { KEY: VALUE } }\n\(step)"),
    Place(Tables.buffer.keys, "on: { buffer: { KEY: VALUE } }\n\(step)"),
    Place(Tables.parameter.keys, "params: { p: { KEY: VALUE } }\n\(step)"),
    Place(Tables.dotenv.keys, "dotenv: { KEY: VALUE, path: gone.env }\n\(step)"),
    Place(Tables.secret.keys, "secrets: { s: { KEY: VALUE } }\n\(step)"),
    Place(Tables.defaults.keys, "defaults: { KEY: VALUE }\n\(step)"),
    Place(.step, "steps: [{ KEY: VALUE }]\n"),
    Place(Tables.condition.keys, "steps: [{ id: a, run: x, if: { KEY: VALUE } }]\n"),
    Place(Tables.range.keys, "steps: [{ id: a, run: x, foreach: { KEY: VALUE } }]\n"),
    Place(Tables.cache.keys, "steps: [{ id: a, run: x, cache: { KEY: VALUE } }]\n"),
    Place(Tables.retry.keys, "steps: [{ id: a, run: x, retry: { KEY: VALUE } }]\n"),
    Place(Tables.keep.keys, "keep: { KEY: VALUE }\n\(step)"),
    Place(Tables.pool.keys, "pools: { p: 2 }\nsteps: [{ id: a, run: x, pool: { KEY: VALUE } }]\n"),
    Place(Tables.approval.keys, "steps: [{ id: a, approval: { KEY: VALUE } }]\n"),
    Place(Tables.roundsOfStep.keys, "steps: [{ id: a, run: x, repeat: { KEY: VALUE } }]\n"),
    Place(
      Tables.roundsOfGroup.keys,
      "steps: [{ id: g, repeat: { KEY: VALUE }, steps: [{ id: a, run: x }] }]\n"),
    Place(Tables.alive.keys, "steps: [{ id: a, service: x, alive: { KEY: VALUE } }]\n"),
    Place(Tables.ready.keys, "steps: [{ id: a, service: x, ready: { KEY: VALUE } }]\n"),
    Place(Tables.wait.keys, "steps: [{ id: a, wait: { KEY: VALUE } }]\n"),
    Place(Tables.undo, "steps: [{ id: a, run: x, undo: { run: y, KEY: VALUE } }]\n"),
    Place(.parallel, "steps: [{ KEY: VALUE }]\n"),
    Place(.sequence, "steps: [{ KEY: VALUE }]\n"),
  ]

  /// Returns whether an invalid value is reported at the key or at its value.
  private func isRead(_ name: String, in place: Place, with value: String) -> Bool {
    let text = place.text.replacing("KEY", with: name).replacing("VALUE", with: value)
    let before = text.prefix(
      upTo: text.firstRange(of: "\(name): \(value)")?.lowerBound ?? text.endIndex)
    let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
    let column = (lines.last?.count ?? 0) + 1
    let columns = column..<column + name.count + 2 + value.count
    return diagnostics(text).contains { $0.line == lines.count && columns.contains($0.column) }
  }

  /// Returns the keys that accept any value.
  private func unread(in place: Place) -> [String] {
    // No key accepts both: a text, and an empty map in a list in a list.
    place.table.names.filter { name in
      !["[[{}]]", "x y"].contains { isRead(name, in: place, with: $0) }
    }
  }

  @Test(arguments: places) func `each key of a table is read`(_ place: Place) {
    #expect(unread(in: place) == [])
  }

  @Test func `a key that nothing reads is found`() {
    #expect(
      unread(in: Place(Tables.cache.keys, "# KEY: VALUE\n\(Self.step)")) == Tables.cache.keys.names)
  }
}
