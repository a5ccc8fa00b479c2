import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { describeRoute } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { requestLog } from '../../shared/http/log-requests.ts'
import type { Log } from '../../shared/log.ts'
import { asDamage } from '../../shared/store/database.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { type StillAllowedPorts, stillAllowed } from '../access/identify.ts'
import type { EventFeed } from '../events/event-feed.ts'
import { eventStream } from '../events/event-stream.ts'
import type { StreamLimit } from '../events/stream-limit.ts'
import { type CallerNamePorts, callerName } from '../queries/admit.ts'
import { type LiveEventPorts, type LiveEventTexts, liveEventTexts } from '../queries/live-event-texts.ts'
import type { Damage } from '../store/data-dir/damage.ts'

const EventsQuery = z.object({
  lastEventId: z.string().max(100).optional().describe('As the header Last-Event-ID, which takes precedence'),
})

type EventRoutesPorts = RightPorts &
  StillAllowedPorts &
  CallerNamePorts &
  LiveEventPorts & { events: EventFeed; streams: StreamLimit; stopping: AbortSignal; damage: Pick<Damage, 'note'>; log: Log }

export const eventRoutes = (ports: EventRoutesPorts) => {
  const texts = liveEventTexts(ports)
  return new Hono<CallerEnv>().get(
    '/events',
    describeRoute({
      operationId: 'streamEvents',
      tags: ['Jobs'],
      summary: 'Follow jobs, libraries and agents as server-sent events',
      description:
        'An event "job" has a job without its log, as in the list of jobs; an event "library" has {id, state}, where the state of a removed library is "deleted"; an event "agent" has {client, at}, the last request of an MCP client, for callers with a key or session. Each is sent at most four times a second. Anonymous callers get jobs without reports. After an interruption, send the id of the last event as the header Last-Event-ID to get what changed since. An event "reset" means that too much was missed: read the lists again. A comment is sent every 15 s. The stream ends when the server stops or the key or session is no longer valid.',
      responses: {
        200: {
          description: 'Events until the client disconnects',
          headers: z.object({ 'X-Accel-Buffering': z.literal('no').describe('Tells nginx to pass on each event immediately') }),
          content: { 'text/event-stream': { schema: z.string() } },
        },
      },
      errors: [429],
    }),
    requireRight(ports, 'read'),
    input('query', EventsQuery),
    (c) => {
      const lastId = c.req.header('last-event-id') ?? c.req.valid('query').lastEventId
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'private, no-store',
        'x-accel-buffering': 'no',
      }
      return new Response(streamFor({ ...ports, texts }, c, lastId), { headers })
    },
  )
}

function streamFor(ports: EventRoutesPorts & { texts: LiveEventTexts }, c: Context<CallerEnv>, lastId: string | undefined) {
  // The response to HEAD has no body, so its stream would never end.
  if (c.req.method === 'HEAD') return null
  const { events: feed, streams, stopping, damage, log } = ports
  const caller = c.get('caller')
  const release = streams.take(callerName(ports, c), caller.holder === undefined)
  return eventStream(
    {
      feed,
      dataOf: (topic, cursor) => ports.texts(topic, cursor, c.get('caller')),
      onError(error) {
        damage.note(error)
        requestLog(c, log).error({ error: asDamage(error) }, 'an event stream failed')
      },
      isAllowed: () => stillAllowed(ports, c, 'read'),
      signal: AbortSignal.any([stopping, c.req.raw.signal]),
      onEnd(why) {
        release()
        const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>
        if (why === 'unread') outgoing?.destroy()
      },
    },
    lastId,
  )
}
