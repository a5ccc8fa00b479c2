import { Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { type ClientName, clients } from '../../../../shared/web/connect/clients.ts'
import { RequestStatus } from '../../../../shared/web/connect/request-status.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'

/** The last request of each MCP client. Events of the server make it current. */
const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: async () => (await answerOf(api.connect.agents.$get())).agents,
})

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
const recentMs = 12 * 60 * 60_000

/** Waits for the first request of a client, and shows when the last one came. */
export function AgentRequest({ client: name }: { client: ClientName }) {
  const { data: agents } = useQuery(agentsQuery)
  const { label, usage } = clients[name]
  const isChosen = ({ client }: { client: string }) => (usage === undefined ? !isNamed(client) : client === usage)
  const request = agents?.find(isChosen)
  const other = agents?.find((each) => !isChosen(each))
  const subject = usage === undefined ? 'another client' : label
  return (
    <RequestStatus
      awaited={`the first request of ${subject}`}
      received={
        request && (
          <>
            Request of {subject} received <At time={request.at} />
          </>
        )
      }
    >
      {!request && other && (
        <Text size="sm" c="dimmed">
          {nameOf(other.client)} is connected: its last request was received <At time={other.at} />.
        </Text>
      )}
    </RequestStatus>
  )
}

function At({ time }: { time: string }) {
  const date = new Date(time)
  return Date.now() - date.getTime() < recentMs ? <time dateTime={time}>{clock.format(date)}</time> : <TimeAgo time={time} />
}

const isNamed = (usage: string): boolean => Object.values(clients).some((client) => client.usage === usage)

const nameOf = (usage: string): string =>
  Object.values(clients).find((client) => client.usage === usage)?.label ?? 'Another agent'
