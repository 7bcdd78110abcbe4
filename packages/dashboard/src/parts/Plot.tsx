/** Lines over a common axis, with a table of the same figures for readers who cannot see them. */
import { useLayoutEffect, useRef } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { share } from "./Words.ts"

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
  /** Whether the values are shares from 0 to 1, which are shown in percent. */
  readonly isShare?: boolean
  /** A place on the axis with a line across the plot. */
  readonly mark?: number
  readonly height?: number
  /** By default, charts of several lines have a legend. */
  readonly hasLegend?: boolean
}

const styled = (element: HTMLElement, name: string) => getComputedStyle(element).getPropertyValue(name).trim()

/** In the legend: the figure under the pointer, or nothing. */
const told = (_plot: uPlot, value: number | null): string =>
  typeof value === "number" ? String(Number(value.toPrecision(4))) : ""

const toldShare = (_plot: uPlot, value: number | null): string => (typeof value === "number" ? share(value) : "")
const shareTicks = (_plot: uPlot, ticks: ReadonlyArray<number>): Array<string> => ticks.map(share)

/** Draws the mark over the lines. */
const drawMark = (element: HTMLElement, mark: number) => (plot: uPlot) => {
  const { ctx } = plot
  const { height, top } = plot.bbox
  const across = plot.valToPos(mark, "x", true)
  ctx.save()
  ctx.strokeStyle = styled(element, "--ink")
  ctx.lineWidth = 2 * devicePixelRatio
  ctx.beginPath()
  ctx.moveTo(across, top)
  ctx.lineTo(across, top + height)
  ctx.stroke()
  ctx.restore()
}

const time = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" })
const toldTime = (_plot: uPlot, value: number | null): string =>
  typeof value === "number" ? time.format(1_000 * value) : ""

const optionsOf = (element: HTMLElement, props: Props): uPlot.Options => {
  const { hasLegend, height = 240, isShare = false, isTime = false, lines, mark, xName } = props
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
      { ...axis, size: 56, ...(isShare ? { values: shareTicks } : {}) }
    ],
    ...(mark === undefined ? {} : { hooks: { draw: [drawMark(element, mark)] } }),
    // One line has its name above it.
    legend: { show: hasLegend ?? lines.length > 1 },
    series: [
      { label: xName, value: isTime ? toldTime : told },
      ...lines.map(({ color, dash, name, values }) => ({
        ...(dash === undefined ? {} : { dash }),
        label: name,
        stroke: styled(element, color),
        width: 2,
        spanGaps: true,
        value: isShare ? toldShare : told,
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
