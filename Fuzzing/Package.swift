// swift-tools-version: 6.2

// A separate package, so that other builds do not need it. `make fuzz` builds and runs it.

import PackageDescription

let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reprise", path: "..", traits: [])],
  targets: [
    .target(name: "FuzzMain"),
    .executableTarget(
      name: "FuzzLoader",
      dependencies: ["FuzzMain", .product(name: "Reprise", package: "reprise")],
      swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]),
  ]
)
