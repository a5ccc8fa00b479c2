import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { tokenHosts } from '../../../../shared/reading/git/git-hosts.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { gitTokensQuery } from '../../api/git-tokens-query.ts'
import { useTeam } from '../../api/use-team.ts'
import { LimitsLink } from '../../frame/limits-link.tsx'
import { GitToken } from './git-token.tsx'

/** The tokens that the private repositories of the teamspace are read with. */
export function GitTokensPage() {
  const { id: team, role, plan } = useTeam()
  const tokens = useQuery(gitTokensQuery(team))
  return (
    <SettingsSection
      title="Git tokens"
      about="Your private repositories are read with these tokens. They need only the right to read the repositories. A stored token is encrypted and never shown."
    >
      {plan === 'free' && (
        <Text size="sm">
          Private repositories require the plan Team or Enterprise. <LimitsLink team={team} />
        </Text>
      )}
      {role === 'developer' && (
        <Text size="sm" c="dimmed">
          Only owners and admins of the teamspace can change its tokens.
        </Text>
      )}
      {tokens.isLoadingError ? (
        <ErrorState error={tokens.error} what="The tokens cannot be loaded" retry={() => void tokens.refetch()} />
      ) : !tokens.data ? (
        <Skeleton height={160} />
      ) : (
        <Stack gap="lg">
          {tokenHosts.map((host) => (
            <GitToken
              key={host}
              host={host}
              stored={tokens.data.find((token) => token.host === host)}
              mayChange={role !== 'developer'}
              mayAdd={role !== 'developer' && plan !== 'free'}
            />
          ))}
        </Stack>
      )}
    </SettingsSection>
  )
}
