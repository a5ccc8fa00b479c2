import { Button, Group, Modal, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { maxRuledLibraries } from '../../../access/rule-limits.ts'
import { LibraryRulesForm } from './library-rules-form.tsx'
import styles from './rules.module.css'

type LibraryRulesProps = {
  /** By the keys of libraries. */
  rules: Readonly<Record<string, string[]>>
  isReadOnly: boolean
  save: (library: string, rules: string[]) => Promise<unknown>
}

/** The rules for single libraries. */
export function LibraryRules({ rules, isReadOnly, save }: LibraryRulesProps) {
  /** The library in the dialog; '' for a new one. */
  const [edited, setEdited] = useState<string>()
  const close = () => setEdited(undefined)
  const libraries = Object.keys(rules).sort()
  return (
    <section aria-labelledby="library-rules">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <div>
            <Title order={2} id="library-rules">
              For single libraries
            </Title>
            <Text size="xs" c="dimmed">
              {libraries.length} of {maxRuledLibraries} libraries
            </Text>
          </div>
          {!isReadOnly && (
            <Button variant="default" disabled={libraries.length >= maxRuledLibraries} onClick={() => setEdited('')}>
              Add rules for a library
            </Button>
          )}
        </Group>
        {libraries.length === 0 ? (
          <Text size="sm" c="dimmed">
            No library has rules of its own.
          </Text>
        ) : (
          <Table>
            <Table.Tbody>
              {libraries.map((library) => (
                <Table.Tr key={library}>
                  <Table.Td className={styles.library}>
                    <bdi>{library}</bdi>
                    <Text size="sm" c="dimmed" className={styles.rules}>
                      {rules[library]?.join('\n')}
                    </Text>
                  </Table.Td>
                  {!isReadOnly && (
                    <Table.Td className={styles.actions}>
                      <Button
                        variant="default"
                        size="xs"
                        aria-label={`Edit the rules for ${library}`}
                        onClick={() => setEdited(library)}
                      >
                        Edit
                      </Button>
                      <ConfirmButton
                        size="xs"
                        question={`Remove the rules for ${library}?`}
                        consequence={`${countOf(rules[library]?.length ?? 0, 'rule')} will no longer stand before its answers.`}
                        done={undefined}
                        onConfirm={() => save(library, [])}
                      >
                        Remove
                      </ConfirmButton>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
      <Modal
        opened={edited !== undefined}
        onClose={close}
        size="lg"
        title={edited ? `Rules for ${edited}` : 'Rules for a library'}
      >
        {edited !== undefined && (
          <LibraryRulesForm
            library={edited}
            rules={rules}
            cancel={close}
            save={async (library, written) => {
              await save(library, written)
              close()
            }}
          />
        )}
      </Modal>
    </section>
  )
}
