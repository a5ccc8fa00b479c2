import { Code, Group } from '@mantine/core'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { api } from '../../api/api.ts'
import type { ListedHook } from '../../api/queries.ts'

/** Where the host delivers events: under PUBLIC_URL, else under the address of this page. */
export function WebhookAddress({ hook: { id, url } }: { hook: Pick<ListedHook, 'id' | 'url'> }) {
  const address = url ?? String(api.hooks[':id'].$url({ param: { id } }))
  return (
    <Group gap="xs" wrap="nowrap">
      <Code flex={1} style={{ overflowWrap: 'anywhere' }}>
        {address}
      </Code>
      <CopyButton value={address} label="the address" />
    </Group>
  )
}
