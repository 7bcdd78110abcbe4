/**
 * `npm run docs`: writes a page for each public module, made of its doc comments, to .docs/pages/api. With `--check`
 * it only checks that TypeDoc reads every module. TypeDoc needs TypeScript 6, so this folder
 * is a workspace with a TypeScript of its own.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import {
  Application,
  Comment,
  type Context,
  Converter,
  OptionDefaults,
  type ProjectReflection,
  ReflectionKind
} from "typedoc"
import { type Module, modulesOf } from "../packages/workshop/public/Modules.ts"

const root = path.resolve(import.meta.dirname, "..")
const pages = path.join(import.meta.dirname, "pages/api")

/** Those with a page of their own: the client in docs/client.md, and the fields of resources in the OpenAPI document. */
const elsewhere = /^@limbeck\/(?:client(?:\/effect|\/operations)?|dashboard)$/

/** As TypeDoc names it: the path of its source without `src`. */
const nameOf = ({ source }: Module): string =>
  source
    .replace(/^packages\//, "")
    .replace("/src/", "/")
    .replace(/\.ts$/, "")

/** The options of TypeDoc's own type lack those of the plugin. */
const layout: object = {
  ...{ readme: "none", hideGenerator: true, hidePageHeader: true, hideBreadcrumbs: true, disableSources: true },
  ...{ excludeExternals: true, excludePrivate: true, outputFileStrategy: "modules", useCodeBlocks: true },
  sort: ["source-order"]
}

const generate = async (modules: ReadonlyArray<Module>, out: string) => {
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: modules.map(({ source }) => path.join(root, source)),
    basePath: path.join(root, "packages"),
    tsconfig: path.join(import.meta.dirname, "tsconfig.json"),
    outputs: [{ name: "markdown", path: out }],
    skipErrorChecking: true,
    logLevel: "Warn",
    // openapi-typescript writes this tag into the client's types.
    blockTags: [...OptionDefaults.blockTags, "@description"],
    ...layout
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, withoutMadeClasses)
  const project = await app.convert()
  if (project === undefined) throw new Error("TypeDoc found no modules")
  for (const reflection of project.children ?? []) {
    reflection.name = reflection.name.replace("/src/", "/")
    const about = modules.find((module) => nameOf(module) === reflection.name)?.about ?? ""
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
  const line = (module: Module) =>
    `- [${module.specifier}](${nameOf(module)}.md): ${module.about.split(/(?<=\.)\s/)[0]?.replace(/\s+/g, " ")}`
  return `# Public modules\n\nGenerated from the doc comments by \`npm run docs\`.\n\n${modules.map(line).join("\n")}\n`
}

const modules = modulesOf(root).filter(({ isPublic, specifier }) => isPublic && !elsewhere.test(specifier))
const home = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-api-docs-"))
try {
  await generate(modules, home)
  if (!process.argv.includes("--check")) {
    fs.rmSync(pages, { recursive: true, force: true })
    fs.cpSync(home, pages, { recursive: true })
  }
} finally {
  fs.rmSync(home, { recursive: true, force: true })
}
