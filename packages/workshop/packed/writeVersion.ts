/** The last step of `npm run release`: the server shows the version that its package has now. */
import * as fs from "node:fs"
import * as path from "node:path"

const server = path.resolve(import.meta.dirname, "../../server")
const { version } = JSON.parse(fs.readFileSync(path.join(server, "package.json"), "utf8"))
const file = path.join(server, "src/internal/Version.ts")
fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/".*"/, JSON.stringify(version)))
