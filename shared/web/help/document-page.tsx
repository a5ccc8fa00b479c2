import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { version } from '../../../package.json'
import { NotFoundPage } from '../error-pages.tsx'
import { ErrorState } from '../error-state.tsx'
import { TextLink } from '../link-button.tsx'
import { Page } from '../page.tsx'
import { DocumentText } from './document-text.tsx'
import { documentQuery } from './documents.ts'

/** A page of the documentation, by its name in the address. */
export function DocumentPage() {
  const { page } = useParams({ from: '/signed-in/frame/help/$page' })
  return <Document key={page} name={page} />
}

/** A page of the documentation, by its name. */
export function Document({ name, title }: { name: string; title?: string }) {
  const document = useQuery(documentQuery(name))
  if (document.data === null) return <NotFoundPage />
  const facts = name === 'changelog' ? `This is version ${version}` : <TextLink to="/help">Documentation</TextLink>
  return (
    <Page title={title ?? document.data?.match(/^# (.*)/m)?.[1] ?? 'Documentation'} facts={facts}>
      {document.isLoadingError ? (
        <ErrorState error={document.error} what="The page cannot be loaded" retry={() => void document.refetch()} />
      ) : document.data ? (
        <DocumentText>{document.data}</DocumentText>
      ) : (
        <Skeleton height={320} />
      )}
    </Page>
  )
}
