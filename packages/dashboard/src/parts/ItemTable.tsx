// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed by a transform cannot be those of a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: a table that is not a grid has no focus of its own
/** A list of any length: only the rows in sight are in the document, and the next page is asked for near the end. */
import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react"
import { Link } from "wouter"
import type { Listing } from "../app/Queries.ts"
import { Failure } from "./Failure.tsx"

export interface Column<A> {
  readonly name: string
  readonly of: (item: A) => ReactNode
  /** The track's width in CSS. */
  readonly width: string
  readonly isFigure?: boolean
  /** Left out on narrow screens. */
  readonly isMinor?: boolean
}

interface Props<A> {
  readonly label: string
  readonly list: Listing<A>
  readonly columns: ReadonlyArray<Column<A>>
  /** Where a row leads. */
  readonly href?: (item: A) => string
  readonly empty: ReactNode
}

const rowPixels = 44
/** So many rows before the end the next page is asked for. */
const ahead = 30

const classOf = ({ isFigure, isMinor }: Column<never>) =>
  [isFigure === true ? "is-figure" : "", isMinor === true ? "is-minor" : ""].join(" ").trim() || undefined

const tracksOf = (columns: ReadonlyArray<Column<never>>) => columns.map(({ width }) => width).join(" ")

const useTop = () => {
  const body = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measured = body.current === null ? 0 : body.current.getBoundingClientRect().top + window.scrollY
    setTop(Math.round(measured))
  }, [])
  return { body, top }
}

const useRows = <A,>({ fetchNextPage, hasNextPage, isFetchingNextPage, items }: Listing<A>, top: number) => {
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowPixels,
    overscan: 12,
    scrollMargin: top
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? -1
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= items.length - ahead) fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, last, items.length, fetchNextPage])
  return { shown, height: rows.getTotalSize() }
}

interface RowProps {
  readonly columns: ReadonlyArray<Column<unknown>>
  readonly item: unknown
  readonly index: number
  readonly pixels: number
  readonly place: string | undefined
}

/** Drawn once: what scrolls by is the window, not the row. */
const Row = memo(({ columns, index, item, pixels, place }: RowProps) => (
  <div role="row" className="items-row" aria-rowindex={index + 2} style={{ transform: `translateY(${pixels}px)` }}>
    {columns.map((column, at) => (
      <span role="cell" key={column.name} className={classOf(column)}>
        {at === 0 && place !== undefined ? <Link href={place}>{column.of(item)}</Link> : column.of(item)}
      </span>
    ))}
  </div>
))

export const ItemTable = <A,>({ columns, empty, href, label, list }: Props<A>) => {
  const { body, top } = useTop()
  const { height, shown } = useRows(list, top)
  const style = { "--tracks": tracksOf(columns as ReadonlyArray<Column<never>>) } as React.CSSProperties
  if (list.isError && list.items.length === 0) return <Failure error={list.error} again={() => list.refetch()} />
  if (list.isSuccess && list.items.length === 0) return empty
  return (
    <div
      role="table"
      className="items"
      aria-label={label}
      aria-rowcount={list.hasNextPage ? -1 : list.items.length + 1}
      aria-busy={list.isFetching}
      style={style}
    >
      <div role="rowgroup">
        <div role="row" className="items-head" aria-rowindex={1}>
          {columns.map((column) => (
            <span role="columnheader" key={column.name} className={classOf(column as Column<never>)}>
              {column.name}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={body} className="items-body" style={{ height }}>
        {shown.map(({ index, start }) => {
          const item = list.items[index]
          if (item === undefined) return null
          const at = { index, pixels: start - top, place: href === undefined ? undefined : href(item) }
          return <Row key={index} columns={columns as ReadonlyArray<Column<unknown>>} item={item} {...at} />
        })}
      </div>
    </div>
  )
}
