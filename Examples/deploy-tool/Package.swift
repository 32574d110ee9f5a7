// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "deploy-tool",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reprise", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "deploy-tool",
      dependencies: [.product(name: "Reprise", package: "reprise")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
