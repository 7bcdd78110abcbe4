/**
 * Label lists from a closed set, such as `["refund", "late"]`: each label is present or absent. Student and teacher write labels in the
 * same fixed order. Lists in varying order count as single labels, because the order may carry the answer. Pure.
 */
import * as LabelRules from "./LabelRules.ts"

/** How a list is written. */
export interface ListWriting {
  readonly open: string
  readonly separator: string
  readonly close: string
}

export interface ListRead {
  /** The items as JSON text. */
  readonly items: ReadonlyArray<string>
  /** Null for a list of fewer than two items. */
  readonly writing: ListWriting | null
}

export interface LabelList {
  /** In the order of the teacher. */
  readonly items: ReadonlyArray<LabelRules.Label>
  readonly writing: ListWriting
}

export interface CountedText {
  readonly text: string
  readonly count: number
}

const scalar = /"(?:[^"\\]|\\.)*"|[^\s[\],"]+/gu
const usual: ListWriting = { open: "[", separator: ",", close: "]" }

/** Undefined: no JSON list of different texts, numbers or truth values. */
export const read = (text: string): ListRead | undefined => {
  const list = LabelRules.structureOf(text)
  if (!Array.isArray(list) || list.some((item) => typeof item === "object")) return undefined
  const found = [...text.matchAll(scalar)]
  const items = found.map(([item]) => item)
  if (new Set(items.map(LabelRules.formOfJson)).size < items.length) return undefined
  const [first, second] = found
  const last = found.at(-1)
  if (first === undefined || second === undefined || last === undefined) return { items, writing: null }
  const writing = {
    open: text.slice(0, first.index),
    separator: text.slice(first.index + first[0].length, second.index),
    close: text.slice(last.index + last[0].length)
  }
  return { items, writing }
}

interface CountedList {
  readonly forms: ReadonlyArray<string>
  readonly count: number
}

/** How many rows have one form before the other; by form, then by the forms behind it. */
const precedence = (lists: ReadonlyArray<CountedList>): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const before = new Map<string, Map<string, number>>()
  for (const { count, forms } of lists) {
    for (const [at, form] of forms.entries()) {
      const behind = before.get(form) ?? new Map<string, number>()
      before.set(form, behind)
      for (const later of forms.slice(at + 1)) behind.set(later, (behind.get(later) ?? 0) + count)
    }
  }
  return before
}

/** The order that most rows keep: of the forms with nothing before them the first by name, again and again. */
const orderOf = (forms: ReadonlyArray<string>, lists: ReadonlyArray<CountedList>): ReadonlyArray<string> => {
  const before = precedence(lists)
  const times = (one: string, other: string): number => before.get(one)?.get(other) ?? 0
  const rest = forms.toSorted()
  const ordered: Array<string> = []
  while (rest.length > 0) {
    const first = rest.findIndex((form) => rest.every((other) => times(other, form) <= times(form, other)))
    ordered.push(...rest.splice(Math.max(0, first), 1))
  }
  return ordered
}

const isOrdered = ({ forms }: CountedList, places: ReadonlyMap<string, number>): boolean =>
  forms.every((form, at) => at === 0 || (places.get(forms[at - 1]!) ?? 0) < (places.get(form) ?? 0))

const sumOf = (counted: ReadonlyArray<{ readonly count: number }>): number =>
  counted.reduce((sum, { count }) => sum + count, 0)

const mostFrequentWriting = (lists: ReadonlyArray<ListRead & CountedText>): ListWriting => {
  const writings = new Map<string, number>()
  for (const { count, writing } of lists) {
    if (writing === null) continue
    const key = JSON.stringify(writing)
    writings.set(key, (writings.get(key) ?? 0) + count)
  }
  const [most] = [...writings].toSorted(([a, often], [b, seldom]) => seldom - often || (a < b ? -1 : 1))
  return most === undefined ? usual : JSON.parse(most[0])
}

/** Larger sets skip the order search, whose steps grow with the cube. */
const itemsMax = 200
/** Fewer lists of several labels than this share are no lists; and a list says more than its labels' combinations. */
const severalMin = 0.05

/** Labels in teacher order; undefined unless the texts are lists from a closed set in a fixed order. */
export const close = (texts: ReadonlyArray<CountedText>, by: LabelRules.Bounds): LabelList | undefined => {
  const lists = texts.flatMap(({ count, text }) => {
    const list = read(text)
    return list === undefined ? [] : [{ ...list, text, count }]
  })
  const rows = sumOf(texts)
  if (sumOf(lists) < rows * (1 - by.outsideMax)) return undefined
  const counts = new Map<string, number>()
  for (const { count, items } of lists) for (const item of items) counts.set(item, (counts.get(item) ?? 0) + count)
  const labels = LabelRules.labelsOf(counts, LabelRules.formOfJson)
  const isClosed =
    labels.every(({ text }) => text.length <= by.labelCharactersMax) &&
    labels.length <= Math.min(itemsMax, by.labelsMax)
  if (labels.length < 2 || !isClosed || LabelRules.isSparse(labels, rows)) return undefined
  const formed = lists.map(({ count, items }) => ({ count, forms: items.map(LabelRules.formOfJson) }))
  const sets = new Set(formed.map(({ forms }) => JSON.stringify(forms.toSorted())))
  const several = formed.filter(({ forms }) => forms.length > 1)
  if (sets.size <= labels.length || sumOf(several) < rows * severalMin) return undefined
  const byForm = new Map(labels.map((label) => [LabelRules.formOfJson(label.text), label]))
  const order = orderOf([...byForm.keys()], formed)
  const places = new Map(order.map((form, at) => [form, at]))
  if (sumOf(formed.filter((list) => isOrdered(list, places))) < rows * (1 - by.outsideMax)) return undefined
  return { items: order.map((form) => byForm.get(form)!), writing: mostFrequentWriting(lists) }
}

/** `items`: those that are present, in order. */
export const write = ({ close, open, separator }: ListWriting, items: ReadonlyArray<string>): string =>
  items.length === 0 ? "[]" : open + items.join(separator) + close
