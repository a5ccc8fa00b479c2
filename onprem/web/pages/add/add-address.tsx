import { Anchor, Button, Collapse, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { confluencePlace } from '../../../../shared/schemas/confluence-site.ts'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import styles from './add-page.module.css'

const empty = { address: '', projectTitle: '', description: '', maxPages: '', maxDepth: '', excludePatterns: [] as string[] }
type Values = typeof empty
type AddressKind = keyof typeof kinds

const about = ({ projectTitle, description }: Values) => ({
  ...(projectTitle.trim() && { projectTitle: projectTitle.trim() }),
  ...(description.trim() && { description: description.trim() }),
})
const numbers = (values: Values, names: readonly ('maxPages' | 'maxDepth')[]) =>
  Object.fromEntries(names.flatMap((name) => (values[name].trim() === '' ? [] : [[name, Number(values[name])]])))

type Kind = {
  /** The name of the address in the request. */
  field: string
  label: string
  hint: string
  example: string
  button: string
  limits: readonly ('maxPages' | 'maxDepth')[]
  more: string
  what: string
  problemOf?: (address: string) => string | null
  post(values: Values): Promise<unknown>
}

const kinds = {
  website: {
    field: 'websiteUrl',
    label: 'Address of the website',
    hint: 'The first page of the documentation. Only pages below its folder are read.',
    example: 'https://docs.example.com/',
    button: 'Add Website',
    limits: ['maxPages', 'maxDepth'],
    more: 'Title, limits and excluded paths',
    what: 'Carrel reads the sitemaps of the website and follows its links, with a pause between the pages. The repository of a documentation, if you can reach it, is the better source.',
    post: async (values: Values) =>
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
    field: 'llmstxtUrl',
    label: 'Address of the llms.txt',
    hint: 'It ends with /llms.txt, /llms-full.txt or /llms-small.txt.',
    example: 'https://docs.example.com/llms.txt',
    button: 'Add llms.txt',
    limits: ['maxPages'],
    more: 'Title, description and limit',
    what: 'Carrel reads the pages that the file names, as Markdown if the site has it.',
    post: async (values: Values) =>
      answerOf(
        api['parse-llmstxt'].$post({
          json: { llmstxtUrl: values.address, ...about(values), ...numbers(values, ['maxPages']) },
        }),
      ),
  },
  openapi: {
    field: 'openApiUrl',
    label: 'Address of the document',
    hint: 'OpenAPI 3 or Swagger 2, as JSON or YAML.',
    example: 'https://api.example.com/openapi.json',
    button: 'Add OpenAPI',
    limits: [],
    more: 'Title and description',
    what: 'Carrel downloads the document, and again at each refresh.',
    post: async (values: Values) =>
      answerOf(api['parse-openapi'].$post({ json: { openApiUrl: values.address, ...about(values) } })),
  },
  confluence: {
    field: 'siteUrl',
    label: 'Address of the space or page',
    hint: 'As a browser shows it. A page is read with the pages below it.',
    example: 'https://example.atlassian.net/wiki/spaces/DOC',
    button: 'Add Confluence',
    limits: [],
    more: 'Title and description',
    what: 'Carrel reads the pages that the account in the settings of Confluence may read, or those that everyone may.',
    problemOf: (address: string) => (confluencePlace(address) ? null : 'The address leads to no space or page of Confluence.'),
    post: async (values: Values) =>
      answerOf(
        api['parse-confluence'].$post({
          json: { ...(confluencePlace(values.address) ?? { siteUrl: values.address }), ...about(values) },
        }),
      ),
  },
} as const satisfies Record<string, Kind>

/** Adds the documentation at an address that is no repository. */
export function AddAddress({ kind }: { kind: AddressKind }) {
  const { field, label, hint, example, button, limits, more, what, problemOf, post }: Kind = kinds[kind]
  const form = useForm({ initialValues: empty, ...(problemOf && { validate: { address: problemOf } }) })
  const [hasMore, setHasMore] = useState(false)
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const add = useMutation({
    meta: { done: 'The documentation is in the Parse Queue.' },
    mutationFn: (values: Values) => post({ ...values, address: values.address.trim() }),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      await navigate({ to: '/queue' })
    },
    onError(error) {
      const { [field]: address, ...others } = fieldErrors(error)
      form.setErrors({ ...others, address })
      if (Object.keys(others).length > 0) setHasMore(true)
    },
  })
  useUnsavedChanges(form.isDirty() && !add.isPending && add.data === undefined)
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} className={styles.form}>
      <Stack gap="md">
        <TextInput
          label={label}
          description={hint}
          placeholder={example}
          required
          data-autofocus
          spellCheck={false}
          inputMode="url"
          {...form.getInputProps('address')}
        />
        <Anchor
          component="button"
          type="button"
          size="sm"
          className={styles.more}
          aria-expanded={hasMore}
          onClick={() => setHasMore(!hasMore)}
        >
          {hasMore ? 'Fewer options' : more}
        </Anchor>
        <Collapse expanded={hasMore}>
          <Stack gap="md">
            <TextInput label="Title" description="Also the name in the id" {...form.getInputProps('projectTitle')} />
            <TextInput label="Description" {...form.getInputProps('description')} />
            {limits.includes('maxPages') && (
              <TextInput
                label="Largest number of pages"
                placeholder="100"
                inputMode="numeric"
                {...form.getInputProps('maxPages')}
              />
            )}
            {limits.includes('maxDepth') && (
              <>
                <TextInput
                  label="Largest number of links from the first page"
                  placeholder="3"
                  inputMode="numeric"
                  {...form.getInputProps('maxDepth')}
                />
                <TagsInput
                  label="Excluded paths"
                  description="Paths that are not read, such as /blog/*. Press Enter after each."
                  clearable
                  spellCheck={false}
                  splitChars={[',', ' ']}
                  {...form.getInputProps('excludePatterns')}
                />
              </>
            )}
          </Stack>
        </Collapse>
        <FormError error={add.error} fields={[...Object.keys(empty), field]} />
        <div>
          <Button type="submit" loading={add.isPending}>
            {button}
          </Button>
        </div>
        <Text size="sm" c="dimmed">
          {what}
        </Text>
      </Stack>
    </form>
  )
}
