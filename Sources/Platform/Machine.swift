// `Machine`: what this machine is. Its properties are in the files of each platform.

/// Properties of this machine: its system, its processor and the number of its processors.
package enum Machine {}
