import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { confluencePlace } from '../../../../shared/schemas/confluence-site.ts'
import { type AddressValues, AddAddress as Form } from '../../../../shared/web/add/add-address.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'

const about = ({ projectTitle, description }: AddressValues) => ({
  ...(projectTitle.trim() && { projectTitle: projectTitle.trim() }),
  ...(description.trim() && { description: description.trim() }),
})
const numbers = (values: AddressValues, names: readonly ('maxPages' | 'maxDepth')[]) =>
  Object.fromEntries(names.flatMap((name) => (values[name].trim() === '' ? [] : [[name, Number(values[name])]])))

const kinds = {
  website: {
    options: {
      shown: ['projectTitle', 'description', 'maxPages', 'maxDepth', 'excludePatterns'],
      more: 'Title, limits and excluded paths',
    },
    add: async (values: AddressValues) =>
      answerOf(
        api['parse-website'].$post({
          json: {
            websiteUrl: values.address,
            ...about(values),
            ...numbers(values, ['maxPages', 'maxDepth']),
            ...(values.excludePatterns.length > 0 && { excludePatterns: values.excludePatterns }),
          },
        }),
      ),
  },
  llmstxt: {
    options: { shown: ['projectTitle', 'description', 'maxPages'], more: 'Title, description and limit' },
    add: async (values: AddressValues) =>
      answerOf(
        api['parse-llmstxt'].$post({
          json: { llmstxtUrl: values.address, ...about(values), ...numbers(values, ['maxPages']) },
        }),
      ),
  },
  openapi: {
    options: { shown: ['projectTitle', 'description'], more: 'Title and description' },
    add: async (values: AddressValues) =>
      answerOf(api['parse-openapi'].$post({ json: { openApiUrl: values.address, ...about(values) } })),
  },
  confluence: {
    options: { shown: ['projectTitle', 'description'], more: 'Title and description' },
    problemOf: (address: string) => (confluencePlace(address) ? null : 'The address leads to no space or page of Confluence.'),
    add: async (values: AddressValues) =>
      answerOf(
        api['parse-confluence'].$post({
          json: { ...(confluencePlace(values.address) ?? { siteUrl: values.address }), ...about(values) },
        }),
      ),
  },
} as const

/** Adds the documentation at an address that is no repository. */
export function AddAddress({ kind }: { kind: keyof typeof kinds }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return (
    <Form<unknown>
      kind={kind}
      done="The documentation is in the Parse Queue."
      {...kinds[kind]}
      onAdded={async () => {
        await queryClient.invalidateQueries()
        await navigate({ to: '/queue' })
      }}
    />
  )
}
