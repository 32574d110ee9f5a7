// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "rebuild-loop",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reprise", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "rebuild-loop",
      dependencies: [.product(name: "Reprise", package: "reprise")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
