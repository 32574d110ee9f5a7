// swift-tools-version: 6.2

// A separate package, so that other builds do not need its dependencies. `make bench` builds and
// runs it.

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "reprise", path: "..", traits: []),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ],
  targets: [
    // Peers and instruments in C; each is described at the top of its file.
    .target(name: "AllocationCounter"),
    .executableTarget(name: "measured"),
    .executableTarget(name: "pty-watch"),
    .executableTarget(name: "spawn-loop"),
    .executableTarget(name: "line-writer"),
    .executableTarget(name: "yaml-events", linkerSettings: [.linkedLibrary("yaml")]),
    .executableTarget(
      name: "in-process",
      dependencies: [
        "AllocationCounter",
        .product(name: "Reprise", package: "reprise"),
        .product(name: "RepriseJournal", package: "reprise"),
        .product(name: "CombineOperators", package: "reprise"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ]),
    .target(name: "BenchmarkKit"),
    .executableTarget(
      name: "bench",
      dependencies: [
        // Programs that `bench` starts, so they are built together with it.
        "measured", "pty-watch", "spawn-loop", "line-writer", "yaml-events", "in-process",
        "BenchmarkKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(name: "BenchmarkKitTests", dependencies: ["BenchmarkKit"]),
  ],
  swiftLanguageModes: [.v6]
)

let targetsInC: Set = [
  "AllocationCounter", "measured", "pty-watch", "spawn-loop", "line-writer", "yaml-events",
]

for target in package.targets {
  guard !targetsInC.contains(target.name) else {
    target.cSettings = [.treatAllWarnings(as: .error)]
    continue
  }
  target.swiftSettings = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
