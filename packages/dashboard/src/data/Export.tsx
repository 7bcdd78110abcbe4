/** Saves all rows of a version as a file. */
import { useSession } from "../app/Session.tsx"
import { Do } from "../parts/Do.tsx"

/** Hands a file to the browser's downloads. */
const save = (content: Blob, name: string) => {
  const url = URL.createObjectURL(content)
  const link = Object.assign(document.createElement("a"), { href: url, download: name })
  link.click()
  // A later task: the browser has begun to read by then.
  setTimeout(() => URL.revokeObjectURL(url))
}

export const Export = ({ version }: { readonly version: string }) => {
  const { download } = useSession()
  const act = async () => save(await download(`distill/dataset_versions/${version}/export`), `${version}.jsonl`)
  return <Do button="Export" act={act} onlyReads />
}
