import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Page } from '../../../../shared/web/page.tsx'
import { answerOf, api } from '../../api/api.ts'
import { pageMeta } from '../../api/page-meta.ts'
import { healthQuery } from '../../api/queries.ts'
import { NewKeyButton } from '../../keys/new-key-button.tsx'
import { type ClientName, clientNames, clients, packageCommand, setupCommand } from './clients.ts'
import styles from './connect-page.module.css'
import { ConnectionTest } from './connection-test.tsx'

const CodeBlock = lazy(() =>
  import('../../../../shared/web/snippet/code-block.tsx').then(({ CodeBlock }) => ({ default: CodeBlock })),
)

const mcpAuthQuery = queryOptions({ queryKey: ['settings', 'mcp-auth'], queryFn: () => answerOf(api.auth.mcp.$get()) })
const keyPlaceholder = 'YOUR_KEY'

/** Three steps that connect an editor or agent, with the real address of this deployment. */
export function ConnectPage() {
  const { client: name } = useSearch({ from: '/signed-in/frame/connect' })
  const navigate = useNavigate({ from: '/connect' })
  const { data: health } = useQuery(healthQuery)
  const { data: auth } = useQuery(mcpAuthQuery)
  const [key, setKey] = useState<string>()
  const root = health?.publicUrl ?? new URL(pageMeta('base'), location.origin).href.replace(/\/$/, '')
  const url = `${root}/mcp`
  const needsKey = auth?.enabled === true
  const client = clients[name]
  const configuration = client.configuration(url, needsKey ? (key ?? keyPlaceholder) : undefined)
  return (
    <Page title="Connect" facts="Let an editor or agent search the libraries of this install.">
      <Stack gap="xl">
        <div className={styles.clients}>
          <SegmentedControl
            aria-label="Client"
            value={name}
            onChange={(client) => void navigate({ search: { client: client as ClientName }, replace: true })}
            data={clientNames.map((value) => ({ value, label: clients[value].label }))}
          />
        </div>
        <ol className={styles.steps}>
          {needsKey && (
            <Step title="Make a key">
              <Text size="sm">
                This install requires a key for MCP. Make one for {client.label}: the command below asks for it, and the
                configuration holds it.
              </Text>
              <Group>
                <NewKeyButton name={client.label} onCreated={(created) => setKey(created.key)}>
                  {key === undefined ? 'Make a key' : 'Make another key'}
                </NewKeyButton>
              </Group>
            </Step>
          )}
          <Step title={`Add Carrel to ${client.label}`}>
            <Text size="sm">
              Run this on your machine. It needs only Node 18 or later, stores a small program in the current folder, writes the
              configuration, a rule and a skill, and shows how to undo that:
            </Text>
            <Command code={setupCommand(name, root)} />
            {auth?.package && (
              <>
                <Text size="sm">Or with the package {auth.package}:</Text>
                <Command code={packageCommand(auth.package, name, root)} />
              </>
            )}
            {client.link && !needsKey && (
              <>
                <Text size="sm">Or let {client.label} do it:</Text>
                <OneClickLink href={client.link(url)} label={client.label} />
              </>
            )}
            {client.command && !needsKey && (
              <>
                <Text size="sm">Or by its own command:</Text>
                <Command code={client.command(url)} />
              </>
            )}
            <Text size="sm">
              Or put this into <code>{client.file}</code>
              {client.file.startsWith('~') ? '' : ' in your project'}:
            </Text>
            <Suspense fallback={<pre className={styles.loading}>{configuration}</pre>}>
              <CodeBlock code={configuration} language={client.language} />
            </Suspense>
          </Step>
          <Step title="Check it">
            <Text size="sm">
              {client.check} Then ask it something about one of your libraries, and add “use carrel” to the question.
            </Text>
            <ConnectionTest />
          </Step>
        </ol>
      </Stack>
    </Page>
  )
}

const Command = ({ code }: { code: string }) => (
  <Suspense fallback={<pre className={styles.loading}>{code}</pre>}>
    <CodeBlock code={code} language="bash" />
  </Suspense>
)

const Step = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <li>
    <Stack gap="sm" align="stretch">
      <h2 className={styles.stepTitle}>{title}</h2>
      {children}
    </Stack>
  </li>
)

/** Opens the client, which asks whether to add the server. */
const OneClickLink = ({ href, label }: { href: string; label: string }) => (
  <Group>
    <Button component="a" href={href} leftSection={<ExternalLink size={16} aria-hidden />}>
      Add to {label}
    </Button>
  </Group>
)
