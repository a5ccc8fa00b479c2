import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { headingAnchor } from '../../text/heading-anchor.ts'
import { ErrorState } from '../error-state.tsx'
import { FilterInput } from '../filter-input.tsx'
import { countOf } from '../format.ts'
import { Page } from '../page.tsx'
import { maxSearchLength } from '../search/found.ts'
import { MarkedText, wordMarks } from '../search/marked-text.tsx'
import { DocumentText } from './document-text.tsx'
import { allDocumentsQuery } from './documents.ts'
import { findSections } from './find-sections.ts'

/** The documentation of this version: its contents, or the sections that have the searched words. */
export function HelpPage() {
  const q = useSearch({ from: '/signed-in/frame/help' }).q.slice(0, maxSearchLength)
  const navigate = useNavigate({ from: '/help' })
  const documents = useQuery(allDocumentsQuery)
  return (
    <Page title="Documentation">
      <FilterInput
        label="Search the documentation"
        placeholder="Search the documentation"
        value={q}
        onChange={(text) => void navigate({ search: { q: text }, replace: true })}
      />
      {documents.isLoadingError ? (
        <ErrorState error={documents.error} what="The documentation cannot be loaded" retry={() => void documents.refetch()} />
      ) : !documents.data ? (
        <Skeleton height={320} />
      ) : q === '' ? (
        <DocumentText>{documents.data.find(({ name }) => name === 'readme')?.markdown ?? ''}</DocumentText>
      ) : (
        <Sections documents={documents.data} q={q} />
      )}
    </Page>
  )
}

function Sections({ documents, q }: { documents: readonly { name: string; markdown: string }[]; q: string }) {
  const sections = findSections(documents, q)
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" role="status">
        {sections.length === 0 ? 'No section has these words' : countOf(sections.length, 'section')}
      </Text>
      {sections.map(({ name, heading, excerpt }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: headings of a page repeat.
        <div key={`${name} ${at}`}>
          <Anchor component={Link} to={`/help/${name}`} hash={headingAnchor(heading)} fw={500}>
            <MarkedText text={heading} marks={wordMarks(heading, q)} />
          </Anchor>
          <Text size="xs" c="dimmed">
            {name}
          </Text>
          <Text size="sm" lineClamp={2}>
            <MarkedText text={excerpt} marks={wordMarks(excerpt, q)} />
          </Text>
        </div>
      ))}
    </Stack>
  )
}
