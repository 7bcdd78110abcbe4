/** What is wrong with the list of public modules. */
import type { Module } from "./Modules.ts"
import { isShown, type Use } from "./Uses.ts"

/** About a fifth more than the first list had: whoever needs more raises it, and sees how many users have to know. */
export const publicModulesMax = 125

/** No source imports these by name, but the types that TypeScript infers for exports of siblings do. */
const namedByTypes = new Set([
  "@limbeck/server/http/RateLimiter",
  "@limbeck/server/http/SignInLimit",
  "@limbeck/webhooks/delivery/Handover"
])

const isForeign = (module: Module, { file }: Use): boolean => !file.startsWith(`packages/${module.folder}/src/`)

export const faultsOf = (
  modules: ReadonlyArray<Module>,
  uses: ReadonlyArray<Use>,
  unknown: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const usesOf = (module: Module) => uses.filter((use) => use.specifier === module.specifier && isForeign(module, use))
  const open = modules.filter(({ isPublic }) => isPublic)
  return [
    ...unknown.map((specifier) => `${specifier} is in publicModules, and its package does not export it`),
    ...open
      .filter(({ about }) => about === "")
      .map(({ source, specifier }) => `${specifier} is public, and ${source} has no comment at its head`),
    ...modules
      .filter(({ isPublic }) => !isPublic)
      .flatMap((module) => {
        const all = usesOf(module)
        const shown = all.find(({ file }) => isShown(file))
        if (shown !== undefined) return [`${shown.file} shows ${module.specifier}, which is not in publicModules`]
        return all.length === 0 && !namedByTypes.has(module.specifier)
          ? [`${module.specifier} is exported, and nothing imports it: close it`]
          : []
      }),
    ...(open.length > publicModulesMax ? [`${open.length} modules are public; ${publicModulesMax} may be`] : [])
  ]
}
