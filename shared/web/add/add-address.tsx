import { Anchor, Button, Collapse, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldErrors } from '../field-errors.ts'
import { FormError } from '../form-error.tsx'
import { useUnsavedChanges } from '../use-unsaved-changes.ts'
import styles from './add-forms.module.css'

const empty = {
  address: '',
  websiteBaseUrl: '',
  projectTitle: '',
  description: '',
  maxPages: '',
  maxDepth: '',
  excludePatterns: [] as string[],
}
export type AddressValues = typeof empty
type Option = Exclude<keyof AddressValues, 'address'>

const kinds = {
  website: {
    field: 'websiteUrl',
    label: 'Address of the website',
    hint: 'The first page of the documentation. Only pages below its folder are read.',
    example: 'https://docs.example.com/',
    button: 'Add Website',
    what: 'Carrel reads the sitemaps of the website and follows its links, with a pause between the pages. The repository of a documentation, if you can reach it, is the better source.',
  },
  llmstxt: {
    field: 'llmstxtUrl',
    label: 'Address of the llms.txt',
    hint: 'It ends with /llms.txt, /llms-full.txt or /llms-small.txt.',
    example: 'https://docs.example.com/llms.txt',
    button: 'Add llms.txt',
    what: 'Carrel reads the pages that the file names, as Markdown if the site has it.',
  },
  openapi: {
    field: 'openApiUrl',
    label: 'Address of the document',
    hint: 'OpenAPI 3 or Swagger 2, as JSON or YAML.',
    example: 'https://api.example.com/openapi.json',
    button: 'Add OpenAPI',
    what: 'Carrel downloads the document, and again at each refresh.',
  },
  confluence: {
    field: 'siteUrl',
    label: 'Address of the space or page',
    hint: 'As a browser shows it. A page is read with the pages below it.',
    example: 'https://example.atlassian.net/wiki/spaces/DOC',
    button: 'Add Confluence',
    what: 'Carrel reads the pages that the account in the settings of Confluence may read, or those that everyone may.',
  },
} as const

type AddAddressProps<Added> = {
  kind: keyof typeof kinds
  /** The options below a link, and the words of that. */
  options?: { shown: readonly Option[]; more: string }
  /** What is wrong with an address, before it is sent. */
  problemOf?: (address: string) => string | null
  /** What a toast says afterwards. */
  done: string
  add(values: AddressValues): Promise<Added>
  onAdded(added: Added): Promise<unknown>
}

/** Adds the documentation at an address that is no repository. */
export function AddAddress<Added>({ kind, options, problemOf, done, add: send, onAdded }: AddAddressProps<Added>) {
  const { field, label, hint, example, button, what } = kinds[kind]
  const form = useForm({ initialValues: empty, ...(problemOf && { validate: { address: problemOf } }) })
  const [hasMore, setHasMore] = useState(false)
  const add = useMutation({
    meta: { done },
    mutationFn: (values: AddressValues) => send({ ...values, address: values.address.trim() }),
    onSuccess: onAdded,
    onError(error) {
      const { [field]: address, ...others } = fieldErrors(error)
      form.setErrors({ ...others, address })
      if (Object.keys(others).length > 0) setHasMore(true)
    },
  })
  useUnsavedChanges(form.isDirty() && !add.isPending && add.data === undefined)
  const shows = (option: Option) => options?.shown.includes(option) === true
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
        {options && (
          <>
            <Anchor
              component="button"
              type="button"
              size="sm"
              className={styles.more}
              aria-expanded={hasMore}
              onClick={() => setHasMore(!hasMore)}
            >
              {hasMore ? 'Fewer options' : options.more}
            </Anchor>
            <Collapse expanded={hasMore}>
              <Stack gap="md">
                {shows('websiteBaseUrl') && (
                  <TextInput
                    label="Only pages below"
                    description="A beginning of the address; its folder if empty"
                    placeholder="https://docs.example.com/"
                    spellCheck={false}
                    inputMode="url"
                    {...form.getInputProps('websiteBaseUrl')}
                  />
                )}
                {shows('projectTitle') && (
                  <TextInput label="Title" description="Also the name in the id" {...form.getInputProps('projectTitle')} />
                )}
                {shows('description') && <TextInput label="Description" {...form.getInputProps('description')} />}
                {shows('maxPages') && (
                  <TextInput
                    label="Largest number of pages"
                    placeholder="100"
                    inputMode="numeric"
                    {...form.getInputProps('maxPages')}
                  />
                )}
                {shows('maxDepth') && (
                  <TextInput
                    label="Largest number of links from the first page"
                    placeholder="3"
                    inputMode="numeric"
                    {...form.getInputProps('maxDepth')}
                  />
                )}
                {shows('excludePatterns') && (
                  <TagsInput
                    label="Excluded paths"
                    description="Paths that are not read, such as /blog/*. Press Enter after each."
                    clearable
                    spellCheck={false}
                    splitChars={[',', ' ']}
                    {...form.getInputProps('excludePatterns')}
                  />
                )}
              </Stack>
            </Collapse>
          </>
        )}
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
