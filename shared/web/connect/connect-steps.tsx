import { Button, Group, Stack, Text } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { lazyPart } from '../lazy-part.ts'
import { ClientChoice } from './client-choice.tsx'
import { type ClientName, clients } from './clients.ts'
import styles from './connect.module.css'
import { placeOf, type Way, waysOf } from './ways.ts'

const CodeBlock = lazyPart(() => import('../snippet/code-block.tsx').then(({ CodeBlock }) => ({ default: CodeBlock })))
const keyPlaceholder = 'YOUR_KEY'

type ConnectStepsProps = {
  client: ClientName
  choose: (client: ClientName) => void
  /** The address of the deployment, without a slash at its end. */
  root: string
  /** The step that makes a key, if the deployment has keys for this. */
  keyStep?: ReactNode
  /** False if agents also connect without a key. The setup then writes none. */
  isKeyRequired?: boolean
  /** The key that was made. */
  newKey: string | undefined
  /** The npm package of the program that sets up clients. */
  programPackage: string | undefined
  /** What shows that the client has reached the server. */
  test: ReactNode
}

/** The choice of an editor or agent, and the steps that connect it. */
export function ConnectSteps(props: ConnectStepsProps) {
  const { client: name, choose, root, keyStep, isKeyRequired = true, newKey, programPackage, test } = props
  const client = clients[name]
  const key = keyStep ? (newKey ?? (isKeyRequired ? keyPlaceholder : undefined)) : undefined
  const [first, ...others] = waysOf(name, { root, key, setupWritesKey: isKeyRequired, programPackage })
  return (
    <Stack gap="xl">
      <ClientChoice client={name} choose={choose} />
      <ol className={styles.steps}>
        {keyStep && <Step title={isKeyRequired ? 'Make a key' : 'Make a key, if you need one'}>{keyStep}</Step>}
        <Step title={`Add Carrel to ${client.usage === undefined ? 'your client' : client.label}`}>
          {first && <WayContent way={first} label={client.label} />}
          {others.length > 0 && (
            <details className={styles.others} key={name}>
              <summary>Other ways</summary>
              <Stack gap="md" mt="sm">
                {others.map((way) => (
                  <Stack key={way.title} gap="xs">
                    <Text size="sm" fw={500}>
                      {way.title}
                    </Text>
                    <WayContent way={way} label={client.label} />
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

function WayContent({ way, label }: { way: Way; label: string }) {
  if (way.kind === 'link') return <OneClickLink href={way.href} label={label} />
  if (way.kind === 'file') return <FileContent {...way} />
  return (
    <>
      {way.about !== undefined && <Text size="sm">{way.about}</Text>}
      <Code code={way.command} language="bash" />
    </>
  )
}

function FileContent({ file, text, language }: Extract<Way, { kind: 'file' }>) {
  const [before, after] = placeOf(file)
  return (
    <>
      <Text size="sm">
        {before}
        {file !== undefined && <code>{file}</code>}
        {after}
      </Text>
      <Code code={text} language={language} />
    </>
  )
}

const Code = ({ code, language }: { code: string; language: 'bash' | 'json' | 'ini' }) => (
  <Suspense fallback={<pre className={styles.loading}>{code}</pre>}>
    <CodeBlock code={code} language={language} />
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
