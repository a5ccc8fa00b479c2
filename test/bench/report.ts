import { loadavg } from 'node:os'

/** What a figure may be at most, or has to be at least. */
export type Wanted = { most: number } | { least: number }

/** `more` goes behind the measured value. */
export type Figure = { figure: string; wanted?: Wanted; measured: number; unit: string; more?: string }

type Row = { figure: string; wanted: string; measured: string; ratio: string; load: string }

/** The table of a bench: each figure with what was wanted, measured ÷ wanted, and how busy the machine was. */
export function report() {
  const rows: Row[] = []
  return {
    note({ figure, wanted, measured, unit, more }: Figure): void {
      rows.push({
        figure,
        wanted: wanted === undefined ? '' : `${'most' in wanted ? '≤' : '≥'} ${print(limitOf(wanted))} ${unit}`,
        measured: `${print(measured)} ${unit}${more === undefined ? '' : ` (${more})`}`,
        ratio: wanted === undefined ? '' : ratio(measured, wanted),
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

/** Milliseconds that it takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const limitOf = (wanted: Wanted): number => ('most' in wanted ? wanted.most : wanted.least)

function ratio(measured: number, wanted: Wanted): string {
  const met = 'most' in wanted ? measured <= wanted.most : measured >= wanted.least
  // Of nothing there is no share.
  const share = limitOf(wanted) === 0 ? '' : (measured / limitOf(wanted)).toFixed(2)
  return `${share}${met ? '' : ' MISSED'}`
}

const print = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0 })
