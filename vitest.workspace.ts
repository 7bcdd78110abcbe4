/** One test project per package that has tests. */
import { existsSync, readdirSync } from "node:fs"

const packages = readdirSync("packages").filter((name) => existsSync(`packages/${name}/test`))
const examples = readdirSync("examples").filter((name) => existsSync(`examples/${name}/test`))

export default [...packages.map((name) => `packages/${name}`), ...examples.map((name) => `examples/${name}`)].map(
  (root) => ({
    extends: true as const,
    test: { name: root.replace("packages/", ""), root, include: ["test/**/*.test.ts"] }
  })
)
