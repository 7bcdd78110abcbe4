/** One test project per package that has tests. */
import { existsSync, readdirSync } from "node:fs"

const packages = readdirSync("packages").filter((name) => existsSync(`packages/${name}/test`))
const examples = readdirSync("examples").filter((name) => existsSync(`examples/${name}/test`))

/** All have one root, that of the repository: what Vite makes of a module is kept by its root, and then made once for all of them. */
export default [...packages.map((name) => `packages/${name}`), ...examples.map((name) => `examples/${name}`)].map(
  (folder) => ({
    extends: true as const,
    test: { name: folder.replace("packages/", ""), include: [`${folder}/test/**/*.test.ts`] }
  })
)
