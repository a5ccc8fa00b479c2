import { Button, Menu } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Check, Copy } from 'lucide-react'
import { copiesOf } from './copies-of.ts'
import type { Setting } from './playground-search.ts'

type CopyAsProps = { server: string; library: string; question: string; setting: Setting }

/** Copies the question as a command or a call of the server. */
export function CopyAs({ server, library, question, setting }: CopyAsProps) {
  const { copied, copy } = useClipboard({ timeout: 1500 })
  const copies = copiesOf(server, { library, question }, setting)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        >
          {copied ? 'Copied' : 'Copy as'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(copies).map(([name, text]) => (
          <Menu.Item key={name} onClick={() => copy(text)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
