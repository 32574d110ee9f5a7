// The folder for temporary files.

#if canImport(Darwin)
/// Returns the folder for temporary files.
///
/// - Parameter directory: The value of `TMPDIR`, if it is set; used if it is absolute.
/// - Returns: The folder.
package func temporaryFolder(_ directory: String?) -> String {
  directory.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
}
#endif
