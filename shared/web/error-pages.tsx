import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { EmptyState } from './empty-state.tsx'
import { ErrorState } from './error-state.tsx'
import { LinkButton } from './link-button.tsx'
import { Page } from './page.tsx'

/** Replaces a page that cannot be loaded or drawn. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Page title="This page cannot be shown">
      <ErrorState error={error instanceof Error ? error : new Error(String(error))} retry={retry} />
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
