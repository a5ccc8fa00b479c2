import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { EmptyState } from './empty-state.tsx'
import { ErrorState } from './error-state.tsx'
import { LinkButton } from './link-button.tsx'
import { Page } from './page.tsx'

/** What browsers and the build say about code that cannot be loaded. */
const isLoading = /dynamically imported module|module script|Unable to preload/

const outdated = 'A part of this page could not be loaded. Carrel may have been updated: reload the page.'

/** Replaces a page that cannot be loaded or drawn. Code that is not there any more needs a reload. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isOld = isLoading.test(String(error))
  const retry = () => {
    if (isOld) return location.reload()
    reset()
    void router.invalidate()
  }
  return (
    <Page title="This page cannot be shown">
      <ErrorState error={isOld ? new Error(outdated) : error instanceof Error ? error : new Error(String(error))} retry={retry} />
    </Page>
  )
}

export const NotFoundPage = () => (
  <Page title="Page not found">
    <EmptyState
      picture="search"
      title="There is no page at this address"
      action={<LinkButton to="/">Back to the start page</LinkButton>}
    >
      The link may be mistyped, or the page may have moved.
    </EmptyState>
  </Page>
)
