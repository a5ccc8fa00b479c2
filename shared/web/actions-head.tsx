import { Table, VisuallyHidden } from '@mantine/core'

/** The head of a column of buttons, which only screen readers need. */
export const ActionsHead = ({ className }: { className?: string | undefined }) => (
  <Table.Th className={className} pos="relative">
    <VisuallyHidden>Actions</VisuallyHidden>
  </Table.Th>
)
