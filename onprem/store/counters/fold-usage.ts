import type { Surface, UsageEvent } from '../../../shared/usage/usage-event.ts'

/** The sum of all clients. */
export const allClients = ''

/** The id under which unique users of the whole install are counted: they cannot be added up from those of the libraries. */
export const allLibraries = ''

/** Sums up events, so that a second of a busy server takes only a few rows. */
export function foldUsage(events: UsageEvent[]) {
  const days = new Map<string, Record<Surface, number>>()
  const topics = new Map<string, number>()
  const countries = new Map<string, number>()
  const users = new Map<string, { date: string; client: string; hashes: string[] }>()
  const raise = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const event of events) {
    const date = event.at.slice(0, 10)
    const day = days.get(date) ?? { page: 0, txt: 0, mcp: 0, cli: 0 }
    day[event.surface] += 1
    days.set(date, day)
    for (const topic of new Set(event.topics)) raise(topics, topic)
    if (event.country !== undefined) raise(countries, event.country)
    if (event.client === undefined || event.user === undefined) continue
    for (const client of [event.client, allClients]) {
      const key = `${date} ${client}`
      const set = users.get(key) ?? { date, client, hashes: [] }
      set.hashes.push(event.user)
      users.set(key, set)
    }
  }
  return { days, topics, countries, users }
}
