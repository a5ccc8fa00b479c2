import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { type ClientName, clientNames, clients, packageCommand, setupCommand } from './clients.ts'
import styles from './connect.module.css'

const CodeBlock = lazy(() => import('../snippet/code-block.tsx').then(({ CodeBlock }) => ({ default: CodeBlock })))
const keyPlaceholder = 'YOUR_KEY'

type ConnectStepsProps = {
  client: ClientName
  choose: (client: ClientName) => void
  /** The address of the deployment, without a slash at its end. */
  root: string
  /** The step that makes a key, if one is needed. */
  keyStep?: ReactNode
  /** The key that was made. */
  newKey: string | undefined
  /** The npm package of the program that sets up clients. */
  programPackage: string | undefined
  /** A button that tests the connection. */
  test: ReactNode
}

/** The choice of an editor or agent, and the steps that connect it. */
export function ConnectSteps({ client: name, choose, root, keyStep, newKey, programPackage, test }: ConnectStepsProps) {
  const url = `${root}/mcp`
  const client = clients[name]
  const configuration = client.configuration(url, keyStep ? (newKey ?? keyPlaceholder) : undefined)
  return (
    <Stack gap="xl">
      <div className={styles.clients}>
        <SegmentedControl
          aria-label="Client"
          value={name}
          onChange={(chosen) => choose(chosen as ClientName)}
          data={clientNames.map((value) => ({ value, label: clients[value].label }))}
        />
      </div>
      <ol className={styles.steps}>
        {keyStep && <Step title="Make a key">{keyStep}</Step>}
        <Step title={`Add Carrel to ${client.label}`}>
          <Text size="sm">
            Run this on your machine. It needs only Node 18 or later, stores a small program in the current folder, writes the
            configuration, a rule and a skill, and shows how to undo that:
          </Text>
          <Command code={setupCommand(name, root)} />
          {programPackage && (
            <>
              <Text size="sm">Or with the package {programPackage}:</Text>
              <Command code={packageCommand(programPackage, name, root)} />
            </>
          )}
          {client.link && !keyStep && (
            <>
              <Text size="sm">Or let {client.label} do it:</Text>
              <OneClickLink href={client.link(url)} label={client.label} />
            </>
          )}
          {client.command && !keyStep && (
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
          {test}
        </Step>
      </ol>
    </Stack>
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
