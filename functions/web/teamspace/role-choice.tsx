import { Radio, Stack } from '@mantine/core'
import type { Role } from '../api/teamspace-queries.ts'
import { rolesUpTo, roleTexts } from './roles.ts'

type RoleChoiceProps = {
  label: string
  /** The role of the user, who gives no higher one. */
  own: Role
  value: Role
  onChange: (role: Role) => void
}

export const RoleChoice = ({ label, own, value, onChange }: RoleChoiceProps) => (
  <Radio.Group label={label} value={value} onChange={(role) => onChange(role as Role)}>
    <Stack gap="xs" mt={6}>
      {rolesUpTo(own).map((role) => (
        <Radio key={role} value={role} label={roleTexts[role].label} description={roleTexts[role].rights} />
      ))}
    </Stack>
  </Radio.Group>
)
