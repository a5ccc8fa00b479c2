import { Alert, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, Info } from 'lucide-react'
import type { PolicyChange } from '../../../../shared/policy/policy-change.ts'
import { ifMatch } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { PolicyForm } from '../../../../shared/web/policy/policy-form.tsx'
import { savePolicy } from '../../../../shared/web/policy/save-policy.ts'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { api } from '../../api/api.ts'
import { healthQuery } from '../../api/queries.ts'
import { policyOf, policyQuery } from './policy-query.ts'

export function PoliciesPage() {
  const queryClient = useQueryClient()
  const policy = useQuery({ ...policyQuery, retry: false })
  const health = useQuery(healthQuery)
  const failed = [policy, health].find(({ isLoadingError }) => isLoadingError)
  const isOffline = health.data?.licenseInfo.kind === 'offline'
  const isUnavailable = !isOffline && policy.data?.isUnavailable === true
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
          {isUnavailable && (
            <Alert color="yellow" icon={<CircleAlert size={18} aria-hidden />} title="The hosted service does not respond">
              Changes are stored here, and sent when it responds again.
            </Alert>
          )}
          <PolicyForm
            key={JSON.stringify([policy.data.sourceTypes, policy.data.libraryFilters])}
            policy={policy.data}
            reachWords={isOffline || isUnavailable ? undefined : 'of the hosted service can be found.'}
            save={async (wanted) => queryClient.setQueryData(policyQuery.queryKey, await savePolicy(policy.data, wanted, patch))}
          />
        </>
      ) : (
        <Skeleton height={480} />
      )}
    </SettingsSection>
  )
}

const patch = (json: PolicyChange, etag: string) => policyOf(api.v2.policies.$patch({ json }, ifMatch(etag)))
