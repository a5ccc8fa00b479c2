import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { localServerUrl } from '../../shared/http/server-url.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { type TestConnectionPorts, testConnection } from '../actions/test-connection.ts'
import type { AgentRequests } from '../store/agent-requests.ts'

const TestedAnswer = z.object({
  ok: z.boolean(),
  protocol: z.string().nullable().describe('The newest version of MCP that client and server have agreed on'),
  tools: z.array(z.string()),
  ms: z.int(),
  error: z.string().optional().describe('What is wrong, in one sentence'),
})

const AgentsAnswer = z.object({
  agents: z.array(
    z.object({
      client: z.string().describe('The identifier of an MCP client, as in the metrics'),
      at: z.iso.datetime().describe('The time of its last request'),
    }),
  ),
})

type ConnectRoutesPorts = RightPorts &
  TestConnectionPorts & { publicUrl: PublicUrl | undefined; agents: Pick<AgentRequests, 'list'> }

export const connectRoutes = (ports: ConnectRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/connect/agents',
      describeRoute({
        operationId: 'listAgents',
        tags: ['Health'],
        summary: 'List the last request of each MCP client',
        description:
          'The newest first. Each change is also an event "agent" of GET /api/events. Tests of the connection by Carrel are not in the list.',
        responses: { 200: json(AgentsAnswer, 'The MCP clients that have sent requests') },
      }),
      requireRight(ports, 'member'),
      (c) => c.json({ agents: ports.agents.list() }),
    )
    .post(
      '/connect/test',
      describeRoute({
        operationId: 'testConnection',
        tags: ['Health'],
        summary: 'Test the connection of MCP clients',
        description:
          'Connects to /mcp of this deployment as agents with the protocol of 2025 and with revision 2026-07-28 do, at the address that users see, and lists its tools.',
        responses: { 200: json(TestedAnswer, 'Test result') },
      }),
      requireRight(ports, 'change'),
      async (c) => c.json(await testConnection(ports, c.get('caller'), ports.publicUrl?.url ?? ownUrl(c))),
    )

/** The address that this request has reached, never one that its caller names. */
function ownUrl({ env }: Context): string {
  const { localAddress = '127.0.0.1', localPort = 0 } = (env as HttpBindings).incoming.socket
  return localServerUrl(localAddress.replace(/^::ffff:/, ''), localPort)
}
