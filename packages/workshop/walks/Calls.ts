/** The calls between packages that a running program makes, in the order of time. */

/** Instrumented modules report each entered function to the global of this name, if it is there. */
export const hook = "limbeck/walks/entered"

/** A function of `file` begins. */
export interface Call {
  readonly file: string
  /** The module whose function called it directly; undefined where Effect's runtime resumed it. */
  readonly caller: string | undefined
  /** The fiber that runs it; 0 outside of fibers. */
  readonly fiber: number
}

const world = globalThis as { [name: string]: unknown }

/** Deeper than any chain of calls between two steps of a fiber. */
const framesMax = 60
/** A loop inside one module passes control to no other, and would take minutes with a stack for each of its calls. */
const repetitionsMax = 100

const isRuntime = (frame: NodeJS.CallSite, file: string): boolean =>
  /\/effect\/dist\/internal\/effect\.js$/.test(file) && /runLoop|evaluate/.test(frame.getFunctionName() ?? "")

/** The nearest module of ours on the stack, unless a step of a fiber begins in between. */
const callerIn = (frames: ReadonlyArray<NodeJS.CallSite>): string | undefined => {
  for (const frame of frames) {
    const file = frame.getFileName() ?? ""
    if (isRuntime(frame, file)) return undefined
    const own = /\/(packages\/[\w-]+\/src\/.*)$/.exec(file)
    if (own !== null) return own[1]
  }
  return undefined
}

/** Starts a recording; the result ends it. */
export const record = (): (() => ReadonlyArray<Call>) => {
  const calls: Array<Call> = []
  const { prepareStackTrace, stackTraceLimit } = Error
  let repetitions = 0
  const entered = (file: string) => {
    repetitions = calls.at(-1)?.file === file ? repetitions + 1 : 0
    if (repetitions > repetitionsMax) return
    const holder: { stack?: ReadonlyArray<NodeJS.CallSite> } = {}
    Error.stackTraceLimit = framesMax
    Error.prepareStackTrace = (_, frames) => frames
    Error.captureStackTrace(holder, entered)
    // The first frame is the entered function itself.
    const frames = holder.stack?.slice(1) ?? []
    Object.assign(Error, { prepareStackTrace, stackTraceLimit })
    const fiber = world["~effect/Fiber/currentFiber"] as { readonly id: number } | undefined // Effect's own global.
    calls.push({ file, caller: callerIn(frames), fiber: fiber?.id ?? 0 })
  }
  world[hook] = entered
  return () => {
    world[hook] = undefined
    return calls
  }
}
