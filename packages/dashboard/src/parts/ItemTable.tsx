// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed by a transform cannot be those of a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: a table that is not a grid has no focus of its own
/** A list of any length: only the rows in sight are in the document, and the next page is asked for near the end. */
import { memo, type ReactNode, useEffect } from "react"
import { Link } from "wouter"
import type { Listing } from "../app/Queries.ts"
import { Failure } from "./Failure.tsx"
import { Placeholder } from "./Page.tsx"
import { rowPixels, useRowWindow } from "./RowWindow.ts"
import { opening } from "./Words.ts"

export interface Column<A> {
  readonly name: string
  readonly of: (item: A) => ReactNode
  /** The track's width in CSS. */
  readonly width: string
  /** The width on narrow screens; a share of the rest by default. */
  readonly narrow?: string
  readonly isFigure?: boolean
  /** Left out on narrow screens. */
  readonly isMinor?: boolean
}

/** The items chosen for a bulk action. */
export interface Choice<A> {
  readonly isChosen: (item: A) => boolean
  /** A stable reference: a new function renders every row again. */
  readonly choose: (items: ReadonlyArray<A>, isChosen: boolean) => void
  /** Names an item for those who cannot see its row. */
  readonly label: (item: A) => string
}

interface Props<A> {
  readonly label: string
  readonly list: Listing<A>
  readonly columns: ReadonlyArray<Column<A>>
  /** Where a row leads. */
  readonly href?: (item: A) => string
  readonly choice?: Choice<A>
  /** Whether many columns stand close together. */
  readonly isDense?: boolean
  readonly empty: ReactNode
}

/** So many rows before the end the next page is asked for. */
const ahead = 30

const classOf = ({ isFigure, isMinor }: Column<never>) =>
  [isFigure === true ? "is-figure" : "", isMinor === true ? "is-minor" : ""].join(" ").trim() || undefined

/** The column of the check boxes. */
const choiceTrack = "1.25rem"

const tracksOf = (columns: ReadonlyArray<Column<never>>, hasChoice: boolean) => {
  const first = hasChoice ? [choiceTrack] : []
  const narrow = columns.flatMap(({ isMinor, narrow }) => (isMinor === true ? [] : [narrow ?? "minmax(0, 1fr)"]))
  return {
    "--tracks": [...first, ...columns.map(({ width }) => width)].join(" "),
    "--narrow-tracks": [...first, ...narrow].join(" ")
  } as React.CSSProperties
}

/** Whether the last page was empty while more may follow: the search continues on request. */
const isPaused = <A,>({ data, hasNextPage }: Listing<A>): boolean =>
  hasNextPage && data?.pages.at(-1)?.data.length === 0

/** Asks for the next page before its rows are in sight. */
const useNextPage = <A,>(list: Listing<A>, last: number) => {
  const { fetchNextPage, hasNextPage, isFetchingNextPage, items } = list
  const isWanted = hasNextPage && !isFetchingNextPage && !isPaused(list) && last >= items.length - ahead
  useEffect(() => {
    if (isWanted) fetchNextPage()
  }, [isWanted, fetchNextPage])
}

const LookFurther = ({
  fetchNextPage,
  isFetchingNextPage
}: Pick<Listing<unknown>, "fetchNextPage" | "isFetchingNextPage">) => (
  <p className="actions">
    <span className="soft">What is older was not looked through yet.</span>
    <button type="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
      Look further
    </button>
  </p>
)

interface RowProps {
  readonly columns: ReadonlyArray<Column<unknown>>
  readonly item: unknown
  readonly index: number
  readonly place: string | undefined
  readonly isChosen: boolean
  readonly choice: Pick<Choice<unknown>, "choose" | "label"> | undefined
}

/** A long text would be laid out whole, though a row has one line of it. */
const cellOf = (content: ReactNode): ReactNode => (typeof content === "string" ? opening(content) : content)

/** Rendered again only for another item: scrolling moves the window, not the rows. */
const Row = memo(({ choice, columns, index, isChosen, item, place }: RowProps) => (
  <div
    role="row"
    className="items-row"
    aria-rowindex={index + 2}
    style={{ transform: `translateY(${index * rowPixels}px)` }}
  >
    {choice !== undefined && (
      <span role="cell">
        <input
          type="checkbox"
          checked={isChosen}
          aria-label={choice.label(item)}
          onChange={({ target }) => choice.choose([item], target.checked)}
        />
      </span>
    )}
    {columns.map((column, at) => (
      <span role="cell" key={column.name} className={classOf(column)}>
        {at === 0 && place !== undefined ? (
          <Link href={place} className="row-link">
            {cellOf(column.of(item))}
          </Link>
        ) : (
          cellOf(column.of(item))
        )}
      </span>
    ))}
  </div>
))

interface HeadProps<A> extends Pick<Props<A>, "columns"> {
  readonly items: ReadonlyArray<A>
  readonly choice: Choice<A> | undefined
}

const Head = <A,>({ choice, columns, items }: HeadProps<A>) => (
  <div role="rowgroup">
    <div role="row" className="items-head" aria-rowindex={1}>
      {choice !== undefined && (
        <span role="columnheader">
          <input
            type="checkbox"
            checked={items.every(choice.isChosen)}
            aria-label="All that are loaded"
            onChange={({ target }) => choice.choose(items, target.checked)}
          />
        </span>
      )}
      {columns.map((column) => (
        <span role="columnheader" key={column.name} className={classOf(column as Column<never>)}>
          {column.name}
        </span>
      ))}
    </div>
  </div>
)

export const ItemTable = <A,>({ choice, columns, empty, href, isDense = false, label, list }: Props<A>) => {
  const { body, places, shown } = useRowWindow(list.items.length)
  useNextPage(list, shown.at(-1) ?? -1)
  const style = tracksOf(columns as ReadonlyArray<Column<never>>, choice !== undefined)
  if (list.isError && list.items.length === 0) return <Failure error={list.error} again={() => list.refetch()} />
  if (list.isPending) return <Placeholder />
  if (list.items.length === 0) return isPaused(list) ? <LookFurther {...list} /> : empty
  return (
    <>
      <div
        role="table"
        className={isDense ? "items dense" : "items"}
        aria-label={label}
        aria-rowcount={list.hasNextPage ? -1 : list.items.length + 1}
        aria-busy={list.isFetching}
        style={style}
      >
        <Head choice={choice} columns={columns} items={list.items} />
        <div role="rowgroup" ref={body} className="items-body" style={{ height: list.items.length * rowPixels }}>
          {shown.map((index) => {
            const item = list.items[index]
            if (item === undefined) return null
            const at = {
              index,
              place: href === undefined ? undefined : href(item),
              choice: choice as Choice<unknown> | undefined,
              isChosen: choice?.isChosen(item) ?? false
            }
            // A row that has left the window becomes the next one to enter: its elements are reused.
            return <Row key={index % places} columns={columns as ReadonlyArray<Column<unknown>>} item={item} {...at} />
          })}
        </div>
      </div>
      {isPaused(list) && <LookFurther {...list} />}
    </>
  )
}
