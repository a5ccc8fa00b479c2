import { Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { PolicyForm } from '../../../../shared/web/policy/policy-form.tsx'
import { savePolicy } from '../../../../shared/web/policy/save-policy.ts'
import { useTeam } from '../../api/use-team.ts'
import type { PolicyCalls } from './policy-calls.ts'

type PolicyEditorProps = {
  policy: PolicyCalls
  /** Completes "12 libraries …". */
  reachWords: string
}

/** A policy in a form; developers see it without changing it. */
export function PolicyEditor({ policy: { key, read, change, preview }, reachWords }: PolicyEditorProps) {
  const queryClient = useQueryClient()
  const isReadOnly = useTeam().role === 'developer'
  // It is not fetched again automatically, because the form would lose its input.
  const stored = useQuery({ queryKey: key, queryFn: read, staleTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false })
  if (stored.isLoadingError)
    return <ErrorState error={stored.error} what="The policy cannot be loaded" retry={() => void stored.refetch()} />
  const { data } = stored
  if (!data) return <Skeleton height={480} />
  return (
    <>
      {isReadOnly && <Text size="sm">Only admins and owners of the teamspace can change this policy.</Text>}
      <PolicyForm
        key={JSON.stringify([data.sourceTypes, data.libraryFilters])}
        policy={data}
        reachWords={reachWords}
        preview={(wanted) => ({ queryKey: [...key, 'preview', data.etag, wanted], queryFn: () => preview(wanted), retry: false })}
        isReadOnly={isReadOnly}
        save={async (wanted) => queryClient.setQueryData(key, await savePolicy(data, wanted, change))}
      />
    </>
  )
}
