/** The allowed entries of an external student's archive. Pure. */
import type { Header } from "effect/encoding/Tar"
import { DistillLimits } from "../../Limits.ts"

/** What a GGUF file begins with. */
export const gguf = "GGUF"

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f]/

/** The fault of a path; `segments` are its folders and its name. */
const pathFault = (path: string, segments: ReadonlyArray<string>): string | null => {
  if (path.length > DistillLimits.studentPathMax) return `it has more than ${DistillLimits.studentPathMax} characters`
  if (segments.length > DistillLimits.studentPathNamesMax) {
    return `it has more than ${DistillLimits.studentPathNamesMax} names`
  }
  if (control.test(path) || path.includes("\\")) return "it has a character that no path of an archive needs"
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "it is absolute"
  return segments.includes("..") ? "it leads out of the archive" : null
}

/** A path for a message, escaped and cut. */
const displayPath = (path: string): string => JSON.stringify(path.slice(0, 100))

export interface Archive {
  /** Adds an entry and returns the fault of the archive; null if valid. */
  readonly add: (entry: Pick<Header, "path" | "type" | "size">) => string | null
  readonly files: () => number
}

/** An archive without entries. */
export const begin = (): Archive => {
  const files = new Set<string>()
  const folders = new Set<string>()
  let entries = 0
  let bytes = 0

  const add: Archive["add"] = ({ path, size, type }) => {
    entries++
    bytes += size
    if (entries > DistillLimits.studentEntriesMax) {
      return `The archive holds more than ${DistillLimits.studentEntriesMax} files and folders`
    }
    if (bytes > DistillLimits.studentBytesMax) {
      return `The files of the archive are more than ${DistillLimits.studentBytesMax} bytes`
    }
    if (type !== "File" && type !== "Directory") {
      return `${displayPath(path)} is a ${type}: an archive holds files and folders alone`
    }
    const segments = path.split("/").filter((one) => one !== "" && one !== ".")
    const fault = pathFault(path, segments)
    if (fault !== null) return `The path ${displayPath(path)} cannot be taken: ${fault}`
    const name = segments.join("/")
    const above = segments.slice(0, -1).map((_, depth) => segments.slice(0, depth + 1).join("/"))
    if (type === "File" && (name === "" || files.has(name)))
      return `The path ${displayPath(path)} is there twice, or names no file`
    for (const folder of type === "Directory" ? [...above, name] : above) folders.add(folder)
    if (type === "File") files.add(name)
    const isBoth = [...above, name].some((one) => files.has(one) && folders.has(one))
    return isBoth ? `The path ${displayPath(path)} is a file and a folder` : null
  }
  return { add, files: () => files.size }
}
