/** Lines over a common axis, with a table of the same figures for readers who cannot see them. */
import { useLayoutEffect, useRef } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"

interface Line {
  readonly name: string
  readonly values: ReadonlyArray<number | null>
  /** The custom property of its colour. */
  readonly color: `--${string}`
  /** Lengths of its dashes and gaps in pixels. */
  readonly dash?: Array<number>
}

interface Props {
  readonly label: string
  readonly x: ReadonlyArray<number>
  readonly xName: string
  /** Whether `x` is a time, in seconds. */
  readonly isTime?: boolean
  readonly lines: ReadonlyArray<Line>
  readonly height?: number
}

const styled = (element: HTMLElement, name: string) => getComputedStyle(element).getPropertyValue(name).trim()

/** In the legend: the figure under the pointer, or nothing. */
const told = (_plot: uPlot, value: number | null): string =>
  typeof value === "number" ? String(Number(value.toPrecision(4))) : ""

const time = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" })
const toldTime = (_plot: uPlot, value: number | null): string =>
  typeof value === "number" ? time.format(1_000 * value) : ""

const optionsOf = (element: HTMLElement, { height = 240, isTime = false, lines, xName }: Props): uPlot.Options => {
  const axis = {
    stroke: styled(element, "--soft"),
    grid: { stroke: styled(element, "--line"), width: 1 },
    font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif"
  }
  return {
    width: element.clientWidth,
    height,
    scales: { x: { time: isTime } },
    axes: [
      { ...axis, label: xName, labelSize: 18, size: 34 },
      { ...axis, size: 56 }
    ],
    // One line has its name above it.
    legend: { show: lines.length > 1 },
    series: [
      { label: xName, value: isTime ? toldTime : told },
      ...lines.map(({ color, dash, name, values }) => ({
        ...(dash === undefined ? {} : { dash }),
        label: name,
        stroke: styled(element, color),
        width: 2,
        spanGaps: true,
        value: told,
        // One figure alone is no line.
        points: { show: values.filter((value) => value !== null).length === 1 }
      }))
    ]
  }
}

/** Drawn before display, so that its legend shifts nothing; redrawn when lines, width or colours change. */
export const Plot = (props: Props) => {
  const { label, lines, x } = props
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null || x.length === 0) return
    const data = [[...x], ...lines.map(({ values }) => [...values])] as unknown as uPlot.AlignedData
    let plot = new uPlot(optionsOf(element, props), data, element)
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: plot.height }))
    resized.observe(element)
    const scheme = matchMedia("(prefers-color-scheme: dark)")
    const recolored = () => {
      plot.destroy()
      plot = new uPlot(optionsOf(element, props), data, element)
    }
    scheme.addEventListener("change", recolored)
    return () => {
      scheme.removeEventListener("change", recolored)
      resized.disconnect()
      plot.destroy()
    }
  }, [lines, props, x])
  return <div ref={place} role="img" aria-label={label} className="plot" style={{ minHeight: props.height ?? 240 }} />
}
