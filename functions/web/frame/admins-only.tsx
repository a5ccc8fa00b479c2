import { Stack, Text } from '@mantine/core'
import { LinkButton } from '../../../shared/web/link-button.tsx'
import { Page } from '../../../shared/web/page.tsx'
import { useTeam } from '../api/use-team.ts'

/** A page of admins and owners, opened by a developer. */
export function AdminsOnly({ title }: { title: string }) {
  const { name, role } = useTeam()
  return (
    <Page title={title}>
      <Stack align="flex-start">
        <Text>
          Only admins and owners of <bdi>{name}</bdi> can open this page; your role is {role}. Ask one of them to change something
          here, or your role.
        </Text>
        <LinkButton to="/" variant="default">
          Show libraries
        </LinkButton>
      </Stack>
    </Page>
  )
}
