import { createRootRoute, createRoute, createRouter, Outlet, redirect, stripSearchParams } from '@tanstack/react-router'
import { auditSearch } from '../../shared/web/audit/audit-search.ts'
import { connectSearch } from '../../shared/web/connect/clients.ts'
import { BrokenPage, NotFoundPage } from '../../shared/web/error-pages.tsx'
import { helpSearch } from '../../shared/web/help/help-search.ts'
import { lazyRouteComponent } from '../../shared/web/lazy-part.ts'
import { shortSearch } from '../../shared/web/playground/playground-search.ts'
import { WithToasts } from '../../shared/web/with-toasts.tsx'
import { lastTeam } from './api/last-team.ts'
import { queryClient } from './api/query-client.ts'
import { sessionQuery } from './api/session-query.ts'
import { DashboardFrame } from './frame/dashboard-frame.tsx'
import { SignedIn } from './frame/signed-in.tsx'
import { TeamOutlet } from './frame/team-outlet.tsx'
import { addSearch } from './pages/add/add-search.ts'
import { exportSearch } from './pages/export/export-search.ts'
import { librariesSearch } from './pages/libraries/libraries-search.ts'
import { librarySearch } from './pages/library/library-search.ts'
import { licensesSearch } from './pages/policies/licenses-search.ts'
import { signInSearch } from './pages/sign-in/sign-in-search.ts'
import { teamUsageSearch } from './pages/usage/usage-search.ts'

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
const frame = createRoute({
  getParentRoute: () => signedIn,
  id: 'frame',
  component: DashboardFrame,
  notFoundComponent: NotFoundPage,
})

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

const invite = createRoute({
  getParentRoute: () => frame,
  path: '/invites/$token',
  component: lazyRouteComponent(() => import('./pages/invites/invite-page.tsx'), 'InvitePage'),
})
const newTeamspace = createRoute({
  getParentRoute: () => frame,
  path: '/teamspaces/new',
  component: lazyRouteComponent(() => import('./pages/teamspaces/new-teamspace-page.tsx'), 'NewTeamspacePage'),
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
  notFoundComponent: NotFoundPage,
})
const teamStart = createRoute({
  getParentRoute: () => team,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ href: `/teamspaces/${params.team}/libraries`, replace: true })
  },
})
const usage = createRoute({
  getParentRoute: () => team,
  path: '/usage',
  validateSearch: teamUsageSearch,
  search: { middlewares: [stripSearchParams(teamUsageSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
})
const exportLibraries = createRoute({
  getParentRoute: () => team,
  path: '/export',
  validateSearch: exportSearch,
  component: lazyRouteComponent(() => import('./pages/export/export-page.tsx'), 'ExportPage'),
})
const connect = createRoute({
  getParentRoute: () => team,
  path: '/connect',
  validateSearch: connectSearch,
  search: { middlewares: [stripSearchParams(connectSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/connect/connect-page.tsx'), 'ConnectPage'),
})
const members = createRoute({
  getParentRoute: () => team,
  path: '/members',
  component: lazyRouteComponent(() => import('./pages/members/members-page.tsx'), 'MembersPage'),
})
const keys = createRoute({
  getParentRoute: () => team,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
})
const libraries = createRoute({
  getParentRoute: () => team,
  path: '/libraries',
  validateSearch: librariesSearch,
  search: { middlewares: [stripSearchParams(librariesSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/libraries/libraries-page.tsx'), 'LibrariesPage'),
})
const addLibrary = createRoute({
  getParentRoute: () => team,
  path: '/libraries/add',
  validateSearch: addSearch,
  search: { middlewares: [stripSearchParams(addSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/add/add-page.tsx'), 'AddPage'),
})
const library = createRoute({
  getParentRoute: () => team,
  path: '/libraries/$owner/$repo',
  validateSearch: librarySearch,
  search: { middlewares: [({ search, next }) => shortSearch(next(search)), stripSearchParams(librarySearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/library/library-page.tsx'), 'LibraryPage'),
})
const jobs = createRoute({
  getParentRoute: () => team,
  path: '/jobs',
  component: lazyRouteComponent(() => import('./pages/jobs/jobs-page.tsx'), 'JobsPage'),
})
const settings = createRoute({
  getParentRoute: () => team,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/team-settings.tsx'), 'TeamSettings'),
  notFoundComponent: NotFoundPage,
})
const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ href: `/teamspaces/${params.team}/settings/general`, replace: true })
  },
})

const policies = createRoute({
  getParentRoute: () => settings,
  path: '/policies',
  component: lazyRouteComponent(() => import('./pages/policies/policies-page.tsx'), 'PoliciesPage'),
})
const rules = createRoute({
  getParentRoute: () => settings,
  path: '/rules',
  component: lazyRouteComponent(() => import('./pages/rules/rules-page.tsx'), 'RulesPage'),
})
const licenses = createRoute({
  getParentRoute: () => settings,
  path: '/licenses',
  validateSearch: licensesSearch,
  search: { middlewares: [stripSearchParams(licensesSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/policies/licenses-page.tsx'), 'LicensesPage'),
})
const general = createRoute({
  getParentRoute: () => settings,
  path: '/general',
  component: lazyRouteComponent(() => import('./pages/settings/general-page.tsx'), 'GeneralPage'),
})
const limits = createRoute({
  getParentRoute: () => settings,
  path: '/limits',
  component: lazyRouteComponent(() => import('./pages/settings/limits-page.tsx'), 'LimitsPage'),
})
const auditLog = createRoute({
  getParentRoute: () => settings,
  path: '/audit-log',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./pages/settings/audit-log-page.tsx'), 'AuditLogPage'),
})
const gitTokens = createRoute({
  getParentRoute: () => settings,
  path: '/git-tokens',
  component: lazyRouteComponent(() => import('./pages/settings/git-tokens-page.tsx'), 'GitTokensPage'),
})
const confluence = createRoute({
  getParentRoute: () => settings,
  path: '/confluence',
  component: lazyRouteComponent(() => import('./pages/settings/confluence-page.tsx'), 'ConfluencePage'),
})
const optOuts = createRoute({
  getParentRoute: () => settings,
  path: '/opt-outs',
  component: lazyRouteComponent(() => import('./pages/settings/opt-outs-page.tsx'), 'OptOutsPage'),
})
const settingsRoutes = [settingsStart, general, policies, rules, licenses, gitTokens, confluence, optOuts, limits, auditLog]

const help = createRoute({
  getParentRoute: () => frame,
  path: '/help',
  validateSearch: helpSearch,
  search: { middlewares: [stripSearchParams(helpSearch.parse({}))] },
  component: lazyRouteComponent(() => import('../../shared/web/help/help-page.tsx'), 'HelpPage'),
})
const helpDocument = createRoute({
  getParentRoute: () => frame,
  path: '/help/$page',
  component: lazyRouteComponent(() => import('../../shared/web/help/document-page.tsx'), 'DocumentPage'),
})
const apiReference = createRoute({
  getParentRoute: () => frame,
  path: '/api-reference',
  component: lazyRouteComponent(() => import('./pages/help/api-reference-page.tsx'), 'ApiReferencePage'),
})

/** Any other path, so that a missing page has the navigation. */
const missing = createRoute({ getParentRoute: () => frame, path: '$', component: NotFoundPage })

const tree = root.addChildren([
  signIn,
  signInFailure,
  signedIn.addChildren([
    signedInHere,
    frame.addChildren([
      start,
      account,
      invite,
      newTeamspace,
      help,
      helpDocument,
      apiReference,
      missing,
      team.addChildren([
        teamStart,
        libraries,
        addLibrary,
        library,
        jobs,
        usage,
        connect,
        keys,
        members,
        exportLibraries,
        settings.addChildren(settingsRoutes),
      ]),
    ]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: NotFoundPage,
  InnerWrap: WithToasts,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
