import type { Context } from 'hono'
import type { Log } from '../../shared/log.ts'
import { clientOf } from '../../shared/usage/surface-of.ts'
import type { AgentRequests } from '../store/agent-requests.ts'
import type { Damage } from '../store/data-dir/damage.ts'
import type { SetupStore } from '../store/setup-store.ts'

type NotingPorts = { damage: Pick<Damage, 'note'>; log: Log }

/** The names of our own programs that test a connection begin with this. */
const ownPrefix = 'carrel-'

/** Notes that an agent was answered. `clientName`: the name that it sends in the protocol. Never throws. */
export function noteAgent(ports: NotingPorts & { agents: Pick<AgentRequests, 'note'> }, c: Context, clientName?: string): void {
  if (clientName?.startsWith(ownPrefix)) return
  const client = clientOf({ headers: c.req.raw.headers, entry: 'mcp', ...(clientName !== undefined && { clientName }) })
  // Most clients name themselves only in their first request, and the program that sends the others is not known.
  if (clientName === undefined && ['other', 'unknown'].includes(client)) return
  noteQuietly(ports, () => ports.agents.note(client))
}

/** Notes that a question was answered. Never throws. */
export const noteQuestion = (ports: NotingPorts & { setup: Pick<SetupStore, 'reach'> }): void =>
  noteQuietly(ports, () => ports.setup.reach('ask'))

/** A full disk or a damaged database must not cost the caller the answer. */
function noteQuietly({ damage, log }: NotingPorts, write: () => void): void {
  try {
    write()
  } catch (error) {
    damage.note(error)
    log.warn({ error }, 'a step of the first setup cannot be stored')
  }
}
