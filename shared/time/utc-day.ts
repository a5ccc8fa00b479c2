const dayMs = 86_400_000

/** The UTC day of a time as `YYYY-MM-DD`, or the day so many days later. */
export const utcDay = (time: Date | number | string, daysLater = 0): string =>
  new Date(new Date(time).getTime() + daysLater * dayMs).toISOString().slice(0, 10)
