import { Group, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { pageMeta } from '../../../../shared/web/api/page-meta.ts'
import { type ClientName, clients } from '../../../../shared/web/connect/clients.ts'
import { ConnectSteps } from '../../../../shared/web/connect/connect-steps.tsx'
import { api } from '../../api/api.ts'
import { healthQuery } from '../../api/queries.ts'
import { NewAgentKeyButton } from '../../keys/new-own-key-button.tsx'
import { AgentRequest } from './agent-request.tsx'
import { ConnectionTest } from './connection-test.tsx'

const mcpAuthQuery = queryOptions({ queryKey: ['settings', 'mcp-auth'], queryFn: () => answerOf(api.auth.mcp.$get()) })

type ConnectAgentProps = { client: ClientName; choose: (client: ClientName) => void }

/** The steps that connect an editor or agent with this deployment, which end when its first request arrives. */
export function ConnectAgent({ client, choose }: ConnectAgentProps) {
  const { data: health } = useQuery(healthQuery)
  const { data: auth } = useQuery(mcpAuthQuery)
  const [key, setKey] = useState<string>()
  const { label } = clients[client]
  return (
    <ConnectSteps
      client={client}
      choose={choose}
      root={health?.publicUrl ?? new URL(pageMeta('base'), location.origin).href.replace(/\/$/, '')}
      newKey={key}
      programPackage={auth?.package}
      test={
        <>
          <AgentRequest client={client} />
          <ConnectionTest />
        </>
      }
      keyStep={
        auth?.enabled && (
          <>
            <Text size="sm">
              This install requires a key for MCP. Make one for {label}: the command below asks for it, and the configuration
              holds it.
            </Text>
            <Group>
              <NewAgentKeyButton name={label} onCreated={setKey}>
                {key === undefined ? 'Make a key' : 'Make another key'}
              </NewAgentKeyButton>
            </Group>
          </>
        )
      }
    />
  )
}
