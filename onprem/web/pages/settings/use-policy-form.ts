import { useForm } from '@mantine/form'
import type { PolicyAnswer } from './policy-query.ts'

/** The form of a policy, without the figures of the answer. */
export const usePolicyForm = ({ sourceTypes, libraryFilters }: PolicyAnswer) =>
  useForm({ initialValues: { sourceTypes, libraryFilters } })

export type PolicyFormApi = ReturnType<typeof usePolicyForm>
