// The path of the running program on Linux.

#if canImport(Glibc) || canImport(Musl)
/// The path of the program of this process, without symbolic links; nil if it is unknown.
package var executablePath: String? { linkTarget("/proc/self/exe") }
#endif
