/** The content of a release: one version, the expected files, and nothing else. */
import * as fs from "node:fs"
import * as path from "node:path"
import { folderOf } from "../Public.ts"
import { type Manifest, manifestOf, type Pack } from "../Release.ts"

export const promise =
  "the packages of a release have one version, its changes, licence and readme, and only files that they name (P344)"

/**
 * The allowed files of a pack; for the dashboard, the built page; for the program, its bundle. Outputs are their sources without types, so that sources
 * and source maps would repeat everything.
 */
const expected = [
  ...[/^(package\.json|README\.md|CHANGELOG\.md|LICENSE|schema\.sql)$/, /^dist\/.+\.(js|d\.ts)$/],
  /^dist\/bundle\/([^/]+\.mjs|LICENSES\.txt)$/,
  /^dist\/page\/((index|docs)\.html|assets\/[^/]+)$/
]

const needed = ["README.md", "CHANGELOG.md", "LICENSE"]

const wrongFiles = ({ name, ...pack }: Pack, tree: string): ReadonlyArray<string> => {
  const files = pack.files.map((file) => file.path)
  const sourceOf = (file: string) =>
    path.join(tree, "packages", folderOf(tree, name), file.replace(/^dist(.+)js$/, "src$1ts"))
  const isOutput = (file: string) => /^dist\/(?!page\/).+\.js$/.test(file)
  return [
    ...needed.filter((file) => !files.includes(file)).map((file) => `${name} lacks ${file}`),
    ...files.filter((file) => !expected.some((form) => form.test(file))).map((file) => `${name} has ${file}`),
    // A module that is no more leaves its output behind.
    ...files
      .filter((file) => isOutput(file) && !fs.existsSync(sourceOf(file)))
      .map((file) => `${name} has ${file}, but no source of it: \`npm run build\` builds from nothing`)
  ]
}

const wrongRanges = ({ dependencies, name, peerDependencies, version }: Manifest): ReadonlyArray<string> =>
  Object.entries({ ...dependencies, ...peerDependencies })
    .filter(([other, range]) => other.startsWith("@limbeck/") && range !== version)
    .map(([other, range]) => `${name} ${version} needs ${other} ${range}, and all have one version`)

/** `tree`: where the release was made. */
export const faults = (packs: ReadonlyArray<Pack>, tree: string): ReadonlyArray<string> => {
  const [{ version } = { version: "" }] = packs
  const changes = (pack: Pack) =>
    fs.readFileSync(path.join(tree, "packages", folderOf(tree, pack.name), "CHANGELOG.md"), "utf8")
  return [
    ...packs
      .filter((pack) => pack.version !== version)
      .map((pack) => `${pack.name} is ${pack.version}, not ${version}`),
    ...packs.flatMap((pack) => wrongFiles(pack, tree)),
    ...packs.flatMap((pack) => wrongRanges(manifestOf(tree, pack))),
    ...packs
      .filter((pack) => !changes(pack).includes(`\n## ${version}\n`))
      .map(({ name }) => `${name} has no changes of ${version}`)
  ]
}
