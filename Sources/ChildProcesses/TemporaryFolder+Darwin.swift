// Where files that live as long as a process are made.

#if canImport(Darwin)
/// The folder for files that live as long as a process.
///
/// - Parameter directory: The value of `TMPDIR`, if it has one: it wins where it is absolute.
/// - Returns: The folder.
package func temporaryFolder(_ directory: String?) -> String {
  directory.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
}
#endif
