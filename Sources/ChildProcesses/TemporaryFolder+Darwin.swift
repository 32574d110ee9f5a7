// Where files that live as long as a process are made.

#if canImport(Darwin)
/// The folder for files that live as long as a process.
///
/// - Parameter environment: Where `TMPDIR` is looked up, which wins where it is absolute.
/// - Returns: The folder.
package func temporaryFolder(_ environment: [String: String]) -> String {
  environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
}
#endif
