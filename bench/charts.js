// The figures as pictures, by ECharts on the server side: SVG files that the README shows.
import { mkdirSync, writeFileSync } from 'node:fs'
import { init } from 'echarts'

const FOLDER = new URL('./charts/', import.meta.url).pathname
const OURS = '#0b7285'
const OTHERS = ['#868e96', '#adb5bd', '#ced4da', '#b08968', '#ddb892', '#9c6644', '#7f5539']

const short = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2))

function draw(name, width, height, option) {
  mkdirSync(FOLDER, { recursive: true })
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  chart.setOption({ animation: false, backgroundColor: '#ffffff', textStyle: { fontFamily: 'sans-serif' }, ...option })
  // Element ids hold a counter of the process: without it the file depends on the figures alone.
  writeFileSync(`${FOLDER}${name}.svg`, `${chart.renderToSVGString().replaceAll(/zr\d+-/g, 'zr-')}\n`)
  chart.dispose()
}

/**
 * Bars of nanoseconds a message, one group a row, on a logarithmic axis.
 * @param {{ title: string, note: string, rows: string[], series: [string, (number | undefined)[]][] }} data
 */
export function bars(name, { title, note, rows, series }) {
  let other = 0
  const least = Math.min(...series.flatMap(([, values]) => values.filter((value) => value > 0)))
  draw(name, 860, 110 + rows.length * (14 * series.length + 22), {
    title: { text: title, subtext: note, left: 8, top: 4 },
    legend: { top: 52, left: 8, itemGap: 28 },
    grid: { left: 150, right: 70, top: 84, bottom: 30 },
    xAxis: { type: 'log', name: 'ns', nameLocation: 'end', min: 10 ** Math.floor(Math.log10(least)) },
    yAxis: { type: 'category', inverse: true, data: rows },
    series: series.map(([label, values]) => ({
      name: label,
      type: 'bar',
      itemStyle: { color: label.startsWith('dbus-codec') ? OURS : OTHERS[other++ % OTHERS.length] },
      label: { show: true, position: 'right', fontSize: 9, formatter: ({ value }) => (value ? time(value) : '') },
      data: values.map((value) => value ?? null),
    })),
  })
}

function time(ns) {
  if (ns < 1000) return `${ns.toFixed(0)} ns`
  if (ns < 1e6) return `${short(ns / 1e3)} µs`
  return `${short(ns / 1e6)} ms`
}

/**
 * Lines on two logarithmic axes.
 * @param {{ title: string, note: string, xName: string, series: [string, [number, number][]][] }} data
 */
export function lines(name, { title, note, xName, series, unit = 'ns' }) {
  draw(name, 860, 420, {
    title: { text: title, subtext: note, left: 8, top: 4 },
    legend: { top: 52, left: 8, itemGap: 28 },
    grid: { left: 80, right: 60, top: 90, bottom: 50 },
    xAxis: { type: 'log', name: xName, nameLocation: 'middle', nameGap: 30 },
    yAxis: { type: 'log', name: unit },
    series: series.map(([label, points]) => ({ name: label, type: 'line', symbolSize: 5, data: points })),
  })
}
