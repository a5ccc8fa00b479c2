import { createHash } from 'node:crypto'
import type { Surface, UsageEvent } from '../../../shared/usage/usage-event.ts'
import { randomFrom, zipf } from '../random.ts'

export type Traffic = {
  /** The number of libraries, named `/bench/lib-0` and so on. */
  libraries: number
  /** True if libraries are requested by Zipf's law, otherwise equally. */
  byPopularity?: boolean
  /** Number of `mcpClients` in use. */
  clients: number
  topics: number
  /** User number of event n. */
  userOf(n: number, random: () => number): number
  at: string
  seed: number
}

export const mcpClients =
  'amazon-q amp antigravity augment chatgpt cherry-studio claude-ai claude-code claude-desktop cline codex continue copilot crush cursor devin factory fast-agent gemini-cli goose'.split(
    ' ',
  )

const words =
  'query cache mutation router schema session token stream worker plugin layout filter model event batch index column binding handler middleware'.split(
    ' ',
  )
const letters = 'ABCDEFGHIJ'.split('')
const countries = letters.flatMap((first) => letters.map((second) => first + second))
const surfaces: Surface[] = ['mcp', 'mcp', 'mcp', 'mcp', 'mcp', 'mcp', 'mcp', 'txt', 'txt', 'cli']

/** A name has about 21 characters. */
export const topicName = (n: number): string =>
  `${words[n % words.length]} ${words[Math.floor(n / words.length) % words.length]} ${'options'.slice(0, 3 + (n % 5))} ${Math.floor(n / words.length ** 2)}`

/** Requests, seven in ten over MCP, with libraries, clients, countries and topics by Zipf's law. */
export function makeUsage(
  count: number,
  { libraries, byPopularity = false, clients, topics, userOf, at, seed }: Traffic,
): UsageEvent[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, n) => {
    const surface = surfaces[Math.floor(random() * surfaces.length)] ?? 'mcp'
    return {
      id: uuidFrom(random),
      at,
      library: `/bench/lib-${byPopularity ? zipf(random, libraries) : n % libraries}`,
      surface,
      topics: [...new Set([1, 2, 3].map(() => topicName(zipf(random, topics))))],
      country: countries[zipf(random, countries.length)],
      ...(surface === 'mcp' ? userFacts(userOf(n, random), clients) : {}),
    }
  })
}

/** Records of one shard with sequence numbers in the format of Kinesis; the first has number `from`. */
export const recordsOf = (events: UsageEvent[], from: number): { sequence: string; data: Uint8Array }[] =>
  events.map((event, n) => ({
    sequence: String(49590338271490256608559692538361571095921575989136588000n + BigInt(from + n) * 3n),
    data: Buffer.from(JSON.stringify(event)),
  }))

/** Each user has one client. */
const userFacts = (user: number, clients: number) => ({
  client: mcpClients[zipf(() => (user * 0.618034) % 1, clients)],
  user: userHash(user),
})

const userHash = (user: number): string =>
  createHash('sha256').update(String(user)).digest().subarray(0, 16).toString('base64url')

function uuidFrom(random: () => number): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}
