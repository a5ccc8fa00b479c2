import { Group, Table, Text } from '@mantine/core'
import type { InferResponseType } from 'hono/client'
import { CircleCheck, CircleSlash, CircleX } from 'lucide-react'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { formatDay } from '../../../../shared/web/usage/shown-usage.ts'
import type { api } from '../../api/api.ts'
import { useTeam } from '../../api/use-team.ts'
import styles from './license-table.module.css'

type License = InferResponseType<(typeof api.teamspaces)[':team']['licenses']['$get'], 200>['licenses'][number]

const kinds = { offline: 'Offline: imports libraries', online: 'Online: searches here' }
const states = {
  valid: { word: 'Valid', color: 'var(--good)', icon: CircleCheck },
  expired: { word: 'Expired', color: 'var(--ink-soft)', icon: CircleSlash },
  revoked: { word: 'Revoked', color: 'var(--bad)', icon: CircleX },
} as const

export const LicenseTable = ({ licenses }: { licenses: License[] }) => (
  <Table>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>License</Table.Th>
        <Table.Th>Ends</Table.Th>
        <ActionsHead />
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {licenses.map((license) => (
        <LicenseRow key={license.id} license={license} />
      ))}
    </Table.Tbody>
  </Table>
)

function LicenseRow({ license: { id, customer, kind, expiresAt, state } }: { license: License }) {
  const { id: team } = useTeam()
  const { word, color, icon: Icon } = states[state]
  return (
    <Table.Tr>
      <Table.Td className={styles.customer}>
        <bdi>{customer}</bdi>
        <Text size="xs" component="div">
          {kinds[kind]}
        </Text>
        <Text size="xs" c="dimmed" component="div" className={styles.id}>
          <code>{id}</code> <CopyButton value={id} label="the license id" />
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={6} wrap="nowrap" c={color}>
          <Icon size={16} aria-hidden />
          {word}
        </Group>
        {formatDay(expiresAt)}
        <Text size="xs" c="dimmed" component="div">
          <TimeAgo time={expiresAt} />
        </Text>
      </Table.Td>
      <Table.Td align="right">
        <TextLink
          to="/teamspaces/$team/settings/licenses"
          params={{ team }}
          search={{ license: id }}
          aria-label={`Policy of ${id}`}
        >
          Policy
        </TextLink>
      </Table.Td>
    </Table.Tr>
  )
}
