import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useSessionLost } from '../../../shared/web/api/session-lost.ts'
import { lazyPart } from '../../../shared/web/lazy-part.ts'
import { sessionQuery } from '../api/session-query.ts'

// The form is loaded when it is needed, so that the first page appears sooner.
const SignInAgain = lazyPart(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }))

/** A page of a signed-in user, and the dialog over it if the session ends. */
export function SignedIn() {
  const isLost = useSessionLost()
  const { data: session } = useQuery(sessionQuery)
  // An admin can begin to require one while the page is open.
  if (session?.user.mustAddSecondFactor) return <Navigate to="/second-factor" />
  return (
    <>
      <Outlet />
      <Suspense>{isLost && <SignInAgain />}</Suspense>
    </>
  )
}
