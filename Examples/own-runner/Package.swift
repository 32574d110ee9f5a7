// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "own-runner",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reprise", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "own-runner",
      dependencies: [
        .product(name: "Reprise", package: "reprise"),
        .product(name: "RepriseRunners", package: "reprise"),
        .product(name: "RepriseJournal", package: "reprise"),
        .product(name: "RepriseHost", package: "reprise"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
