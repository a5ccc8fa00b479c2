import { Group, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { pageMeta } from '../../../../shared/web/api/page-meta.ts'
import { clients } from '../../../../shared/web/connect/clients.ts'
import { ConnectSteps } from '../../../../shared/web/connect/connect-steps.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { api } from '../../api/api.ts'
import { healthQuery } from '../../api/queries.ts'
import { NewOwnKeyButton } from '../../keys/new-own-key-button.tsx'
import { ConnectionTest } from './connection-test.tsx'
import { OneLibrary } from './one-library.tsx'

const mcpAuthQuery = queryOptions({ queryKey: ['settings', 'mcp-auth'], queryFn: () => answerOf(api.auth.mcp.$get()) })

/** Steps that connect an editor or agent, with the real address of this deployment. */
export function ConnectPage() {
  const { client, library } = useSearch({ from: '/signed-in/frame/connect' })
  const navigate = useNavigate({ from: '/connect' })
  const { data: health } = useQuery(healthQuery)
  const { data: auth } = useQuery(mcpAuthQuery)
  const [key, setKey] = useState<string>()
  const { label } = clients[client]
  return (
    <Page title="Connect" facts="Let an editor or agent search the libraries of this install.">
      {library !== '' && <OneLibrary id={library} />}
      <ConnectSteps
        client={client}
        choose={(client) => void navigate({ search: (before) => ({ ...before, client }), replace: true })}
        root={health?.publicUrl ?? new URL(pageMeta('base'), location.origin).href.replace(/\/$/, '')}
        newKey={key}
        programPackage={auth?.package}
        test={<ConnectionTest />}
        keyStep={
          auth?.enabled && (
            <>
              <Text size="sm">
                This install requires a key for MCP. Make one for {label}: the command below asks for it, and the configuration
                holds it.
              </Text>
              <Group>
                <NewOwnKeyButton name={label} onCreated={setKey}>
                  {key === undefined ? 'Make a key' : 'Make another key'}
                </NewOwnKeyButton>
              </Group>
            </>
          )
        }
      />
    </Page>
  )
}
