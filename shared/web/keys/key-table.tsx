import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { ActionsHead } from '../actions-head.tsx'
import { ConfirmButton } from '../confirm-button.tsx'
import { TimeAgo } from '../time-ago.tsx'
import styles from './key-table.module.css'

/** `prefix` is the visible beginning of the key; times are ISO 8601. `note` is a line below the name. */
export type ListedKey = {
  id: string
  name: string
  prefix: string
  createdAt: string
  lastUse: ReactNode
  expiresAt: string | null
  note?: string
  /** False if the user may not revoke it. True by default. */
  mayRevoke?: boolean
}

type KeyTableProps = { keys: readonly ListedKey[]; revoke: (id: string) => Promise<void> }

/** Keys with a button that ends each. */
export const KeyTable = ({ keys, revoke }: KeyTableProps) => (
  <Table>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Name</Table.Th>
        <Table.Th className={styles.wide}>Begins with</Table.Th>
        <Table.Th className={styles.wide}>Created</Table.Th>
        <Table.Th className={styles.wide}>Last used</Table.Th>
        <Table.Th className={styles.wide}>Expires</Table.Th>
        <ActionsHead />
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {keys.map((key) => (
        <Row key={key.id} item={key} revoke={() => revoke(key.id)} />
      ))}
    </Table.Tbody>
  </Table>
)

type RowProps = { item: ListedKey; revoke: () => Promise<void> }

function Row({ item: { name, prefix, createdAt, lastUse, expiresAt, note, mayRevoke = true }, revoke }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td className={styles.name}>
        <bdi>{name}</bdi>
        {note !== undefined && <div className={styles.note}>{note}</div>}
        <div className={`${styles.note} ${styles.narrow}`}>
          Used: {lastUse ?? 'never'} · Expires: {expiresAt ? <Expiry time={expiresAt} /> : 'never'}
        </div>
      </Table.Td>
      <Table.Td className={`${styles.mono} ${styles.wide}`}>{prefix}</Table.Td>
      <Table.Td className={styles.wide}>
        <TimeAgo time={createdAt} />
      </Table.Td>
      <Table.Td className={styles.wide}>{lastUse ?? 'Never'}</Table.Td>
      <Table.Td className={styles.wide}>{expiresAt ? <Expiry time={expiresAt} /> : 'Never'}</Table.Td>
      <Table.Td align="right">
        {mayRevoke && (
          <ConfirmButton
            size="xs"
            question={`Revoke the key ${name}?`}
            consequence="Clients that use it can no longer sign in. This cannot be undone."
            done={`Key ${name} revoked.`}
            onConfirm={revoke}
          >
            Revoke key
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

const Expiry = ({ time }: { time: string }) => (
  <>
    {Date.parse(time) <= Date.now() && 'Expired '}
    <TimeAgo time={time} />
  </>
)
