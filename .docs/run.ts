/**
 * `npm run docs`: writes a page for each public module that users embed, made of its doc comments, to .docs/pages/api. With `--check`
 * it only checks that TypeDoc reads every module and that each has a comment at its head. TypeDoc needs TypeScript 6, so this folder
 * is a workspace with a TypeScript of its own.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Application, Comment, type Context, Converter, type ProjectReflection, ReflectionKind } from "typedoc"

const root = path.resolve(import.meta.dirname, "..")
const pages = path.join(import.meta.dirname, "pages/api")

/** The packages that users embed, in the order of the index. */
const packages = [
  ...["limbeck", "webhooks-host", "client", "server", "api", "storage-memory", "storage-postgres", "embedded-postgres"],
  ...["executors", "node", "testing"]
]

/** Of `api`, the fields of resources are in the OpenAPI document; of `testing`, the pages have what the tests of an adapter use; the client, and its face for Effect, have a page of their own. */
const unlisted =
  /^client(?:\/effect)?$|^api\/(?!Api$|ErrorTable|OpenApiDocument)|^testing\/(?!contracts\/|database\/|random\/|Eventually|Folders)/

interface Module {
  /** As users import it below `@limbeck/`, such as `client/webhooks/verify`. */
  readonly name: string
  readonly source: string
  /** The comment at the head of the file, which TypeDoc reads only with a tag. */
  readonly about: string
}

const modulesOf = (name: string): ReadonlyArray<Module> => {
  const home = path.join(root, "packages", name)
  const manifest: { readonly exports: Readonly<Record<string, { readonly "@limbeck/source": string }>> } = JSON.parse(
    fs.readFileSync(path.join(home, "package.json"), "utf8")
  )
  return Object.entries(manifest.exports).map(([key, module]) => {
    const source = path.join(home, module["@limbeck/source"])
    return { name: path.join(name, key), source, about: headOf(fs.readFileSync(source, "utf8")) }
  })
}

const headOf = (text: string): string => {
  const [, comment = ""] = /^(?:\/\/.*\n)*\/\*\*(.*?)\*\/\n(?:\n|import|export \*)/s.exec(text) ?? []
  return comment.replace(/^\s*\* ?/gm, "").trim()
}

/** The options of TypeDoc's own type lack those of the plugin. */
const layout: object = {
  ...{ readme: "none", hideGenerator: true, hidePageHeader: true, hideBreadcrumbs: true, disableSources: true },
  ...{ excludeExternals: true, excludePrivate: true, outputFileStrategy: "modules", useCodeBlocks: true },
  sort: ["source-order"]
}

const generate = async (modules: ReadonlyArray<Module>, out: string) => {
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: modules.map(({ source }) => source),
    basePath: path.join(root, "packages"),
    tsconfig: path.join(import.meta.dirname, "tsconfig.json"),
    outputs: [{ name: "markdown", path: out }],
    skipErrorChecking: true,
    logLevel: "Warn",
    ...layout
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, withoutMadeClasses)
  const project = await app.convert()
  if (project === undefined) throw new Error("TypeDoc found no modules")
  for (const reflection of project.children ?? []) {
    reflection.name = reflection.name.replace("/src/", "/")
    const about = modules.find(({ name }) => name === reflection.name)?.about ?? ""
    reflection.comment = new Comment([{ kind: "text", text: about }])
  }
  withoutInherited(project)
  await app.generateOutputs(project)
  fs.writeFileSync(path.join(out, "README.md"), indexOf(modules))
}

/** What a class has from a class that Effect makes is Effect's. */
const withoutMadeClasses = ({ project }: Context) => {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.Class)) {
    if (!reflection.isDeclaration() || reflection.extendedTypes?.some(({ type }) => type === "reference")) continue
    delete reflection.extendedTypes
    for (const child of reflection.children ?? []) {
      if (child.kindOf(ReflectionKind.Constructor)) project.removeReflection(child)
    }
  }
}

/** What an interface has from another is described there. */
const withoutInherited = (project: ProjectReflection) => {
  for (const reflection of Object.values(project.reflections)) {
    if (!reflection.isDeclaration() && !reflection.isSignature()) continue
    delete reflection.inheritedFrom
    delete reflection.overwrites
  }
}

const indexOf = (modules: ReadonlyArray<Module>): string => {
  const line = ({ about, name }: Module) =>
    `- [${name}](${name}.md): ${about.split(/(?<=\.)\s/)[0]?.replace(/\s+/g, " ")}`
  const section = (name: string) => {
    const own = modules.filter((module) => module.name.startsWith(`${name}/`))
    return `## @limbeck/${name}\n\n${own.map(line).join("\n")}\n`
  }
  return `# Public modules\n\nGenerated from the doc comments by \`npm run docs\`.\n\n${packages.map(section).join("\n")}`
}

const modules = packages.flatMap(modulesOf).filter(({ name }) => !unlisted.test(name))
const undocumented = modules
  .filter(({ about }) => about === "")
  .map(({ source }) => `${path.relative(root, source)} has no comment at its head`)
const home = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-api-docs-"))
try {
  await generate(modules, home)
  for (const fault of undocumented) process.stderr.write(`${fault}\n`)
  if (undocumented.length > 0) process.exitCode = 1
  if (!process.argv.includes("--check")) {
    fs.rmSync(pages, { recursive: true, force: true })
    fs.cpSync(home, pages, { recursive: true })
  }
} finally {
  fs.rmSync(home, { recursive: true, force: true })
}
