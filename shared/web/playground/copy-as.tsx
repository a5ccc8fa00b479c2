import { Button, Menu } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Check, Copy } from 'lucide-react'
import { pageMeta } from '../api/page-meta.ts'
import { copiesOf } from './copies-of.ts'
import type { Setting } from './playground-search.ts'

/** Copies the question as a command or a call. */
export function CopyAs({ library, question, setting }: { library: string; question: string; setting: Setting }) {
  const { copied, copy } = useClipboard({ timeout: 1500 })
  const copies = copiesOf(new URL(pageMeta('base'), location.origin).href.replace(/\/$/, ''), { library, question }, setting)
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
