import { Button, Group, Stack, Text } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { ClientChoice } from './client-choice.tsx'
import { type ClientName, clients, packageCommand, setupCommand } from './clients.ts'
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
  /** What shows that the client has reached the server. */
  test: ReactNode
}

/** The choice of an editor or agent, and the steps that connect it. */
export function ConnectSteps({ client: name, choose, root, keyStep, newKey, programPackage, test }: ConnectStepsProps) {
  const client = clients[name]
  const [first, ...others] = waysOf(name, { root, key: keyStep ? (newKey ?? keyPlaceholder) : undefined, programPackage })
  return (
    <Stack gap="xl">
      <ClientChoice client={name} choose={choose} />
      <ol className={styles.steps}>
        {keyStep && <Step title="Make a key">{keyStep}</Step>}
        <Step title={`Add Carrel to ${client.usage === undefined ? 'your client' : client.label}`}>
          {first?.content}
          {others.length > 0 && (
            <details className={styles.others} key={name}>
              <summary>Other ways</summary>
              <Stack gap="md" mt="sm">
                {others.map(({ title, content }) => (
                  <Stack key={title} gap="xs">
                    <Text size="sm" fw={500}>
                      {title}
                    </Text>
                    {content}
                  </Stack>
                ))}
              </Stack>
            </details>
          )}
        </Step>
        <Step title="Ask it something">
          <Text size="sm">
            {client.check} Then ask it something about one of your libraries, and add “use carrel” to the question.
          </Text>
          {test}
        </Step>
      </ol>
    </Stack>
  )
}

type Way = { title: string; content: ReactNode }
type Connection = { root: string; key: string | undefined; programPackage: string | undefined }

/** The ways to add the server to a client, the simplest one first. Commands and links of clients hold no key. */
function waysOf(name: ClientName, { root, key, programPackage }: Connection): Way[] {
  const client = clients[name]
  const url = `${root}/mcp`
  const setup = setupCommand(name, root)
  const byPackage = programPackage === undefined ? undefined : packageCommand(programPackage, name, root)
  const configuration = client.configuration(url, key)
  const ways: (Way | undefined)[] = [
    setup === undefined
      ? undefined
      : {
          title: 'By the setup of Carrel',
          content: (
            <>
              <Text size="sm">
                Run this on your machine. It needs only Node 18 or later, stores a small program in the current folder, writes the
                configuration, a rule and a skill, and shows how to undo that:
              </Text>
              <Command code={setup} />
            </>
          ),
        },
    byPackage === undefined ? undefined : { title: `With the package ${programPackage}`, content: <Command code={byPackage} /> },
    client.link === undefined || key !== undefined
      ? undefined
      : { title: 'By one click', content: <OneClickLink href={client.link(url)} label={client.label} /> },
    client.command === undefined || key !== undefined
      ? undefined
      : {
          title: `By the command of ${client.label}`,
          content: <Command code={client.command(url)} />,
        },
    {
      title: 'By its configuration',
      content: (
        <>
          <Text size="sm">{placeOf(client.file)}</Text>
          <Suspense fallback={<pre className={styles.loading}>{configuration}</pre>}>
            <CodeBlock code={configuration} language={client.language} />
          </Suspense>
        </>
      ),
    },
  ]
  return ways.filter((way) => way !== undefined)
}

function placeOf(file: string | undefined): ReactNode {
  if (file === undefined) return 'Any client that speaks Streamable HTTP can connect to this address. Many read this form:'
  return (
    <>
      Put this into <code>{file}</code>
      {file.startsWith('~') ? '' : ' in your project'}. If the file has other servers, add only the entry carrel:
    </>
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
    <Button component="a" variant="default" href={href} leftSection={<ExternalLink size={16} aria-hidden />}>
      Add to {label}
    </Button>
  </Group>
)
