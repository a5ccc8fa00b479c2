import { ReferenceArea } from 'recharts'
import { utcDay } from '../../time/utc-day.ts'
import type { ShownUsage } from './shown-usage.ts'

/** The shade over the days of a chart before anything is known. */
export const unknownDays = ({ since, from }: Pick<ShownUsage, 'since' | 'from'>) =>
  since !== null && since > from && <ReferenceArea x1={from} x2={utcDay(since, -1)} fill="var(--ink-soft)" fillOpacity={0.12} />
