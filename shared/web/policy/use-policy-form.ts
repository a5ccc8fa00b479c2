import { useForm } from '@mantine/form'
import type { Policy } from '../../policy/policy.ts'

/** The form of a policy, without the figures of the answer. */
export const usePolicyForm = ({ sourceTypes, libraryFilters }: Policy) =>
  useForm({ initialValues: { sourceTypes, libraryFilters } })

export type PolicyFormApi = ReturnType<typeof usePolicyForm>
