/**
 * Reports the functions that a program enters, when loaded first: `node --import ./instrument.ts run.ts`. Rewrites each
 * module of our packages while Node loads it, so that every function begins with a call of `Calls.hook`.
 */
import { readFileSync } from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseAst } from "rolldown/parseAst"
import { hook } from "./Calls.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const isOurs = (file: string): boolean => /^packages\/[\w-]+\/src\/.*\.ts$/.test(file)

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}
type Insert = readonly [at: number, text: string]

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value
const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

const isFunction = ({ type }: Node): boolean =>
  type === "ArrowFunctionExpression" || type === "FunctionExpression" || type === "FunctionDeclaration"

/** `Effect.fn` and `Effect.fnUntraced` return functions whose bodies the runtime starts later; their callers call these. */
const isEffectFunction = (text: string, { callee, type }: Node): boolean =>
  type === "CallExpression" &&
  isNode(callee) &&
  /^Effect\.fn(?:Untraced$|\("[^"]*"\)$)/.test(text.slice(callee.start, callee.end))

const insertsIn = (file: string, text: string, node: Node): ReadonlyArray<Insert> => {
  const call = `globalThis[${JSON.stringify(hook)}]?.(${JSON.stringify(file)})`
  const inner = childrenOf(node).flatMap((child) => insertsIn(file, text, child))
  if (isEffectFunction(text, node)) {
    const wrapped: Insert = [node.start, "((made) => function (...args) { "]
    return [[wrapped[0], `${wrapped[1]}${call}; return made.apply(this, args) })(`], ...inner, [node.end, ")"]]
  }
  const { body } = node
  if (!isFunction(node) || !isNode(body)) return inner
  if (body.type === "BlockStatement") return [[body.start + 1, `${call};`], ...inner]
  return [[body.start, `(${call},`], ...inner, [body.end, ")"]]
}

/** The same text on the same lines, with the calls in it. */
const instrumented = (file: string, text: string): string => {
  const inserts = insertsIn(file, text, parseAst(text) as unknown as Node) // ESTree, with positions.
  let result = ""
  let from = 0
  for (const [at, insert] of inserts.toSorted(([one], [other]) => one - other)) {
    result += text.slice(from, at) + insert
    from = at
  }
  return result + text.slice(from)
}

registerHooks({
  load: (url, context, next) => {
    const path = url.startsWith("file:") ? fileURLToPath(url) : ""
    const file = relative(root, path)
    if (!isOurs(file)) return next(url, context)
    const source = instrumented(file, stripTypeScriptTypes(readFileSync(path, "utf8")))
    return { format: "module", source, shortCircuit: true }
  }
})
