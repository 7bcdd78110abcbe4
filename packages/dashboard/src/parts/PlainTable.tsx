/** A short table, wholly in the document. */

import type { ReactNode } from "react"
import { ScrollArea } from "./ScrollArea.tsx"

interface Props {
  readonly caption: string
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<ReactNode>>
}

export const PlainTable = ({ caption, head, rows }: Props) => (
  <ScrollArea label={caption}>
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {head.map((name, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two names may be the same text
            <th scope="col" key={column}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...rest], row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name, and never move
          <tr key={row}>
            <th scope="row">{first}</th>
            {rest.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
)
