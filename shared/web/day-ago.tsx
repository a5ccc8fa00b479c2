const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const dayMs = 86_400_000

/** The distance of a day, such as 2026-11-29 in UTC, from today. */
export function DayAgo({ day }: { day: string }) {
  const days = Math.round((Date.parse(day) - Math.floor(Date.now() / dayMs) * dayMs) / dayMs)
  return (
    <time dateTime={day} title={`${day} (UTC)`}>
      {relative.format(days, 'day')}
    </time>
  )
}
