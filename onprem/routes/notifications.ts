import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { notificationChannels, notificationEvents } from '../../shared/settings/notification-names.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { Notifications } from '../notifications/notifications.ts'

const Channel = z.enum(notificationChannels)
const ChannelsAnswer = z.object({
  channels: z.array(
    z.object({
      channel: Channel,
      state: z.enum(['off', 'ready', 'failing']),
      host: z.string().nullable().describe('The host that it sends to; null if it is off'),
      events: z.array(z.enum(notificationEvents)),
      waiting: z.int().describe('Events that have not arrived yet'),
      dropped: z.int().describe('Events that were dropped after the last attempt, since the channel last worked'),
      lastSentAt: z.string().nullable(),
      failing: z
        .object({
          since: z.string(),
          message: z.string().describe('What is wrong, in one sentence'),
          nextAt: z.string().nullable().describe('When the next attempt follows; null if nothing waits'),
        })
        .nullable(),
    }),
  ),
})
export const notificationRoutes = (ports: RightPorts & { notifications: Pick<Notifications, 'channels'> }) =>
  new Hono<CallerEnv>().get(
    '/notifications',
    describeRoute({
      operationId: 'listNotificationChannels',
      tags: ['Settings'],
      summary: 'List the channels of notifications',
      description: 'Returns where events are reported, what waits, and what is wrong with a channel that fails.',
      responses: { 200: json(ChannelsAnswer, 'Channels') },
    }),
    requireRight(ports, 'admin'),
    (c) => c.json({ channels: ports.notifications.channels().map((each) => ({ ...each, events: [...each.events] })) }),
  )
