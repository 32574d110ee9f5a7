// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "order-queue",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reprise", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "order-queue",
      dependencies: [
        .product(name: "Reprise", package: "reprise"),
        .product(name: "RepriseJournal", package: "reprise"),
        .product(name: "RepriseHost", package: "reprise"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
