import type { DatabaseSync } from 'node:sqlite'

/** `client`: the identifier of an MCP client, as in usage. `at`: the time of its last request. */
export type AgentRequest = { client: string; at: string }

/** The last request of each kind of MCP client. */
export type AgentRequests = {
  note(client: string): void
  /** The newest first. */
  list(): AgentRequest[]
}

/** A stop of the server loses at most this. */
const writeEveryMs = 60_000

export function agentRequests(db: DatabaseSync, now: () => Date, onRequest: (client: string) => void): AgentRequests {
  const latest = new Map<string, { at: Date; writtenAtMs: number }>()
  const write = db.prepare('INSERT INTO agent_requests VALUES (?, ?) ON CONFLICT DO UPDATE SET at = excluded.at')
  const stored = db.prepare('SELECT client, at FROM agent_requests')
  return {
    note(client) {
      const at = now()
      const before = latest.get(client)
      const isDue = before === undefined || at.getTime() - before.writtenAtMs >= writeEveryMs
      if (isDue) write.run(client, at.toISOString())
      latest.set(client, { at, writtenAtMs: isDue ? at.getTime() : before.writtenAtMs })
      onRequest(client)
    },
    list() {
      const requests = new Map(stored.all().map(({ client, at }) => [String(client), String(at)]))
      for (const [client, { at }] of latest) requests.set(client, at.toISOString())
      return [...requests].map(([client, at]) => ({ client, at })).sort((a, b) => (a.at < b.at ? 1 : -1))
    },
  }
}
