/** Similar rows of a suspect, with their answers. */
import type { Suspect } from "@limbeck/client"
import { share } from "./Words.ts"

export const Neighbours = ({ of }: { readonly of: Suspect["neighbours"] }) =>
  of.length === 0 ? null : (
    <ul className="soft" aria-label="Similar rows">
      {of.map(({ answer, similarity, text }) => (
        <li key={`${answer} ${text}`}>
          <bdi>{text}</bdi> → <bdi>{answer}</bdi> ({share(similarity)} alike)
        </li>
      ))}
    </ul>
  )
