import { Stack, Text } from '@mantine/core'
import { LinkButton } from '../../../shared/web/link-button.tsx'
import { SettingsSection } from '../../../shared/web/settings/settings-section.tsx'
import { useTeam } from '../api/use-team.ts'

/** A page of the settings for admins and owners, opened by a developer. */
export function AdminsOnly({ title }: { title: string }) {
  const { name, role } = useTeam()
  return (
    <SettingsSection title={title}>
      <Stack align="flex-start">
        <Text>
          Only admins and owners of <bdi>{name}</bdi> can open this page; your role is {role}. Ask one of them to change something
          here, or your role.
        </Text>
        <LinkButton to="/" variant="default">
          Show libraries
        </LinkButton>
      </Stack>
    </SettingsSection>
  )
}
