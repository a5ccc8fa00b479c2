import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { timeAgo } from '../time/time-ago.ts'

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
      <time dateTime={date.toISOString()}>{timeAgo(date.getTime(), now, relative)}</time>
    </Tooltip>
  )
}

export const formatDate = (time: string | number | Date): string => exact.format(new Date(time))
