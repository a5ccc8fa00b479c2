import { loadavg } from 'node:os'

/** The maximum or minimum of a figure. */
export type Wanted = { max: number } | { min: number }

/** `cpuSeconds` of all processes that did the work; `more` is printed after the measured value. */
export type Figure = {
  figure: string
  wanted?: Wanted
  measured: number
  unit: string
  cpuSeconds?: number
  more?: string
}

type Row = { figure: string; wanted: string; measured: string; ratio: string; 'CPU s': string; load: string }

/** The table of a benchmark: each figure with its limit, measured ÷ limit, and the load of the machine. */
export function report() {
  const rows: Row[] = []
  return {
    note({ figure, wanted, measured, unit, cpuSeconds, more }: Figure): void {
      rows.push({
        figure,
        wanted: wanted === undefined ? '' : `${'max' in wanted ? '≤' : '≥'} ${print(limitOf(wanted))} ${unit}`,
        measured: `${print(measured)} ${unit}${more === undefined ? '' : ` (${more})`}`,
        ratio: wanted === undefined ? '' : ratio(measured, wanted),
        'CPU s': cpuSeconds === undefined ? '' : print(cpuSeconds),
        load: loadavg()[0]?.toFixed(1) ?? '',
      })
    },
    print(): void {
      console.table(rows)
    },
  }
}

export type Report = ReturnType<typeof report>

export const median = (values: number[]): number => quantile(values, 0.5)

export function quantile(values: number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
}

/** The milliseconds and the CPU seconds of this process that `work` takes. */
export async function measured(work: () => unknown): Promise<{ ms: number; cpuSeconds: number }> {
  const before = process.cpuUsage()
  const ms = await timed(async () => work())
  const { user, system } = process.cpuUsage(before)
  return { ms, cpuSeconds: (user + system) / 1e6 }
}

/** The milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const limitOf = (wanted: Wanted): number => ('max' in wanted ? wanted.max : wanted.min)

function ratio(measured: number, wanted: Wanted): string {
  const met = 'max' in wanted ? measured <= wanted.max : measured >= wanted.min
  // There is no ratio to zero.
  const share = limitOf(wanted) === 0 ? '' : (measured / limitOf(wanted)).toFixed(2)
  return `${share}${met ? '' : ' MISSED'}`
}

const print = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0 })
