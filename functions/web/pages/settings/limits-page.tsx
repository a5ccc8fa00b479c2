import { Progress, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { formatCount } from '../../../../shared/web/format.ts'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { type Limits, limitsQuery } from '../../api/teamspace-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import styles from './limits-page.module.css'
import { PlanRequest } from './plan-request.tsx'
import { planTexts } from './plans.ts'

/** What the plan of the teamspace allows, and what is used of it. */
export function LimitsPage() {
  const { id } = useTeam()
  const limits = useQuery(limitsQuery(id))
  return (
    <SettingsSection title="Limits" about="What the plan of this teamspace allows, and how much of it is used.">
      {limits.isLoadingError ? (
        <ErrorState error={limits.error} what="The limits cannot be loaded" retry={() => void limits.refetch()} />
      ) : limits.data ? (
        <Stack gap="xl">
          <Plan {...limits.data} />
          <PlanRequest {...limits.data} />
        </Stack>
      ) : (
        <Skeleton height={240} />
      )}
    </SettingsSection>
  )
}

const Plan = ({ plan, limits }: Limits) => (
  <section>
    <Title order={2} mb="xs">
      Plan: {planTexts[plan].label}
    </Title>
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Limit</Table.Th>
          <Table.Th className={styles.number}>Used</Table.Th>
          <Table.Th className={styles.number}>Allowed</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {limits.map((limit) => (
          <LimitRow key={limit.name} {...limit} />
        ))}
        <Table.Tr>
          <Table.Td>Private libraries</Table.Td>
          <Table.Td />
          <Table.Td className={styles.number}>{plan === 'free' ? 'No' : 'Yes'}</Table.Td>
        </Table.Tr>
      </Table.Tbody>
    </Table>
  </section>
)

const limitTexts: Record<Limits['limits'][number]['name'], string> = {
  requestsPerDay: 'Requests of all keys today',
  requestsPerMinuteAndKey: 'Requests of a key in a minute',
  addsPerDay: 'Libraries added or refreshed today',
}

const LimitRow = ({ name, max, used, resetsAt }: Limits['limits'][number]) => (
  <Table.Tr>
    <Table.Td>
      {limitTexts[name]}
      {max !== null && used !== null && (
        <Progress
          className={styles.bar}
          value={(100 * used) / max}
          {...(used >= max && { color: 'red' })}
          aria-label={`${limitTexts[name]}: ${used} of ${max}`}
        />
      )}
      {resetsAt !== null && (
        <Text size="xs" c="dimmed">
          {used === max && 'Requests above it are rejected. '}Starts again <TimeAgo time={resetsAt} />
        </Text>
      )}
    </Table.Td>
    <Table.Td className={styles.number}>{used === null ? '–' : formatCount(used)}</Table.Td>
    <Table.Td className={styles.number}>{max === null ? 'Unlimited' : formatCount(max)}</Table.Td>
  </Table.Tr>
)
