import { ActionIcon, Button, Group, Table } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmDialog } from '../../../../shared/web/confirm-dialog.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { formatBytes } from '../../../../shared/web/format.ts'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import type { BackupList } from '../../api/queries.ts'

type BackupTableProps = Pick<BackupList, 'backups' | 'running'> & { reload: () => Promise<unknown> }

/** The stored backups. The browser downloads them, so that none is held in memory. */
export function BackupTable({ backups, running, reload }: BackupTableProps) {
  const [deletes, setDeletes] = useState<string>()
  const remove = useMutation({
    meta: { done: 'Backup deleted.' },
    mutationFn: (name: string) => answerOf(api.backups[':name'].$delete({ param: { name } })),
    onSettled: reload,
  })
  if (backups.length === 0 && !running)
    return (
      <EmptyState title="No backups yet">
        A backup is one file, from which an install can be restored on another machine.
      </EmptyState>
    )
  return (
    <>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Made</Table.Th>
            <Table.Th ta="right">Size</Table.Th>
            <ActionsHead />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {running && (
            <Table.Tr>
              <Table.Td>
                <TimeAgo time={running.startedAt} />
              </Table.Td>
              <Table.Td ta="right">Running</Table.Td>
              <Table.Td ta="right">
                <Button variant="default" size="xs" loading={remove.isPending} onClick={() => remove.mutate(running.name)}>
                  Cancel
                </Button>
              </Table.Td>
            </Table.Tr>
          )}
          {backups.map(({ name, createdAt, sizeBytes }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <TimeAgo time={createdAt} />
              </Table.Td>
              <Table.Td ta="right">{formatBytes(sizeBytes)}</Table.Td>
              <Table.Td>
                <Group gap={4} justify="flex-end" wrap="nowrap">
                  <ActionIcon
                    component="a"
                    href={String(api.backups[':name'].$url({ param: { name } }))}
                    aria-label={`Download ${name}`}
                    download
                  >
                    <Download size={18} aria-hidden />
                  </ActionIcon>
                  <ActionIcon aria-label={`Delete ${name}`} onClick={() => setDeletes(name)}>
                    <Trash2 size={18} aria-hidden />
                  </ActionIcon>
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <ConfirmDialog
        opened={deletes !== undefined}
        close={() => setDeletes(undefined)}
        question="Delete this backup?"
        consequence={`${deletes ?? ''} is deleted from the folder. Copies elsewhere stay.`}
        verb="Delete backup"
        done={undefined}
        onConfirm={() => remove.mutateAsync(deletes ?? '')}
      />
    </>
  )
}
