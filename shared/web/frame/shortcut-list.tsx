import { Kbd, Modal, Stack, Table, Title } from '@mantine/core'
import { keysOf, type ShortcutName, shortcuts } from '../shortcuts.ts'
import styles from './shortcut-list.module.css'

const names = Object.keys(shortcuts) as ShortcutName[]
const places = [...new Set(names.map((name) => shortcuts[name].where))]

/** All keyboard shortcuts, grouped by where they work. */
export const ShortcutList = ({ isOpen, close }: { isOpen: boolean; close: () => void }) => (
  <Modal opened={isOpen} onClose={close} title="Keyboard shortcuts">
    <Stack gap="lg">
      {places.map((place) => (
        <section key={place} aria-label={place}>
          <Title order={3} fz="sm" mb={4}>
            {place}
          </Title>
          <Table className={styles.plain} verticalSpacing={6} aria-label={place}>
            <Table.Tbody>{names.filter((name) => shortcuts[name].where === place).map(Row)}</Table.Tbody>
          </Table>
        </section>
      ))}
    </Stack>
  </Modal>
)

const Row = (name: ShortcutName) => (
  <Table.Tr key={name}>
    <Table.Td pl={0}>{shortcuts[name].does}</Table.Td>
    <Table.Td ta="right" pr={0} style={{ whiteSpace: 'nowrap' }}>
      {keysOf(name).map((key) => (
        <Kbd key={key} ml={4}>
          {key}
        </Kbd>
      ))}
    </Table.Td>
  </Table.Tr>
)
