import { parseAccept } from 'hono/utils/accept'

/** The types of response that a client takes. */
export type AcceptedTypes = { json: boolean; events: boolean }

const both = ['application/json', 'text/event-stream'] as const

/** The header that the MCP package requires of clients of the 2025 protocol. */
export const acceptsBoth = both.join(', ')

export function acceptedTypes(header: string | null): AcceptedTypes {
  const [json, events] = both
  if (header === null || header.trim() === '') return { json: true, events: true }
  const ranges = parseAccept(header).map(({ type, q }) => ({ type: type.toLowerCase(), q }))
  const isAccepted = (type: string): boolean => {
    const covering = [type, `${type.split('/', 1)[0]}/*`, '*/*', '*']
    const range = covering.flatMap((name) => ranges.find((each) => each.type === name) ?? [])[0]
    return range === undefined ? header.includes(type) : range.q > 0
  }
  return { json: isAccepted(json), events: isAccepted(events) }
}
