import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { BrokenPage, NotFoundPage } from '../../shared/web/error-pages.tsx'
import { lastTeam } from './api/last-team.ts'
import { queryClient } from './api/query-client.ts'
import { sessionQuery } from './api/session-query.ts'
import { DashboardFrame } from './frame/dashboard-frame.tsx'
import { SignedIn } from './frame/signed-in.tsx'
import { TeamOutlet } from './frame/team-outlet.tsx'
import { signInSearch } from './pages/sign-in/sign-in-search.ts'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

const signInPage = lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage')
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: signInPage,
})
/** The server shows a page here if a sign-in fails. */
const signInFailure = createRoute({ getParentRoute: () => root, path: '/auth/$', component: signInPage })

/** Pages of signed-in users. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery)
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } })
    return { session }
  },
  component: SignedIn,
})

const signedInHere = createRoute({
  getParentRoute: () => signedIn,
  path: '/signed-in',
  component: lazyRouteComponent(() => import('./pages/sign-in/signed-in-page.tsx'), 'SignedInPage'),
})

/** Pages inside the frame. */
const frame = createRoute({ getParentRoute: () => signedIn, id: 'frame', component: DashboardFrame })

const start = createRoute({
  getParentRoute: () => frame,
  path: '/',
  beforeLoad: ({ context: { session } }) => {
    const team = lastTeam(session.teamspaces)
    if (!team) throw redirect({ href: '/teamspaces/new', replace: true })
    throw redirect({ to: '/teamspaces/$team', params: { team: team.id }, replace: true })
  },
})

const account = createRoute({
  getParentRoute: () => frame,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
})

/** Pages of a teamspace. */
const team = createRoute({
  getParentRoute: () => frame,
  path: '/teamspaces/$team',
  beforeLoad: async ({ context: { session }, params }) => {
    // The user may have become a member since the session was read.
    if (!session.teamspaces.some(({ id }) => id === params.team)) await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  },
  component: TeamOutlet,
})
const teamStart = createRoute({
  getParentRoute: () => team,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ href: `/teamspaces/${params.team}/libraries`, replace: true })
  },
})
const settings = createRoute({
  getParentRoute: () => team,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/team-settings.tsx'), 'TeamSettings'),
})
const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ href: `/teamspaces/${params.team}/settings/general`, replace: true })
  },
})

const tree = root.addChildren([
  signIn,
  signInFailure,
  signedIn.addChildren([
    signedInHere,
    frame.addChildren([start, account, team.addChildren([teamStart, settings.addChildren([settingsStart])])]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
