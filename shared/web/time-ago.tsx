import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The distance of a time from now, with the exact time in a tooltip. */
export function TimeAgo({ time }: { time: string | number | Date }) {
  const date = new Date(time)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  if (Number.isNaN(date.getTime())) return null
  return (
    <Tooltip label={exact.format(date)}>
      <time dateTime={date.toISOString()}>{timeAgo(date.getTime(), now)}</time>
    </Tooltip>
  )
}

function timeAgo(time: number, now: number): string {
  const seconds = (time - now) / 1000
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit)
  }
  return relative.format(0, 'second')
}

export const formatDate = (time: string | number | Date): string => exact.format(new Date(time))
