import { Alert, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Info } from 'lucide-react'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { PolicyForm } from '../../../../shared/web/policy/policy-form.tsx'
import { healthQuery } from '../../api/queries.ts'
import { policyQuery } from './policy-query.ts'
import { savePolicy } from './save-policy.ts'
import { SettingsSection } from './settings-section.tsx'

export function PoliciesPage() {
  const queryClient = useQueryClient()
  const policy = useQuery({ ...policyQuery, retry: false })
  const health = useQuery(healthQuery)
  const failed = [policy, health].find(({ isLoadingError }) => isLoadingError)
  const isOffline = health.data?.licenseInfo.kind === 'offline'
  return (
    <SettingsSection
      title="Policies"
      about="Which libraries of the hosted service your agents can find. Libraries of this install are always found."
    >
      {failed?.error ? (
        <ErrorState error={failed.error} what="The policy cannot be loaded" retry={() => void failed.refetch()} />
      ) : policy.data && health.data ? (
        <>
          {isOffline && (
            <Alert color="gray" icon={<Info size={18} aria-hidden />} title="Kept for an online license">
              This install has an offline license: it never contacts the hosted service. What you choose applies once its license
              is an online one.
            </Alert>
          )}
          <PolicyForm
            key={JSON.stringify([policy.data.sourceTypes, policy.data.libraryFilters])}
            policy={policy.data}
            isCounted={!isOffline}
            save={async (wanted) => queryClient.setQueryData(policyQuery.queryKey, await savePolicy(policy.data, wanted))}
          />
        </>
      ) : (
        <Skeleton height={480} />
      )}
    </SettingsSection>
  )
}
