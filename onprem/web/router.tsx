import { createRootRoute, createRoute, createRouter, Outlet, redirect, stripSearchParams } from '@tanstack/react-router'
import { pageMeta } from '../../shared/web/api/page-meta.ts'
import { connectSearch } from '../../shared/web/connect/clients.ts'
import { BrokenPage, NotFoundPage } from '../../shared/web/error-pages.tsx'
import { helpSearch } from '../../shared/web/help/help-search.ts'
import { lazyRouteComponent } from '../../shared/web/lazy-part.ts'
import { playgroundSearch, shortSearch } from '../../shared/web/playground/playground-search.ts'
import { usageSearch } from '../../shared/web/usage/usage-search.ts'
import { WithToasts } from '../../shared/web/with-toasts.tsx'
import { queryClient } from './api/query-client.ts'
import { sessionQuery } from './api/session-query.ts'
import { InstallFrame } from './frame/install-frame.tsx'
import { SignedIn } from './frame/signed-in.tsx'
import { addSearch } from './pages/add/add-search.ts'
import { allowClientSearch } from './pages/allow-client/allow-client-search.ts'
import { deviceSearch } from './pages/device/device-search.ts'
import { librariesSearch } from './pages/libraries/libraries-search.ts'
import { librarySearch } from './pages/library/library-search.ts'
import { queueSearch } from './pages/queue/queue-search.ts'
import { searchParams } from './pages/search/search-params.ts'
import { feedbackSearch } from './pages/settings/feedback-search.ts'
import { installAuditSearch } from './pages/settings/install-audit-search.ts'
import { setupSearch } from './pages/setup/setup-cards.ts'
import { signInSearch } from './pages/sign-in/sign-in-search.ts'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

async function requireSession(next: string) {
  const session = await queryClient.ensureQueryData(sessionQuery)
  if (!session) throw redirect({ to: '/sign-in', search: { next } })
  return session
}

/** Pages of signed-in users. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = await requireSession(location.href)
    if (session.user.mustChangeCredentials) throw redirect({ to: '/change-credentials' })
    if (session.user.mustAddSecondFactor) throw redirect({ to: '/second-factor' })
  },
  component: SignedIn,
})

const credentials = createRoute({
  getParentRoute: () => root,
  path: '/change-credentials',
  beforeLoad: () => requireSession('/'),
  component: lazyRouteComponent(() => import('./pages/credentials/change-credentials-page.tsx'), 'ChangeCredentialsPage'),
})

const secondFactor = createRoute({
  getParentRoute: () => root,
  path: '/second-factor',
  beforeLoad: () => requireSession('/'),
  component: lazyRouteComponent(() => import('./pages/second-factor/add-factor-page.tsx'), 'AddFactorPage'),
})

const setup = createRoute({
  getParentRoute: () => signedIn,
  path: '/setup',
  validateSearch: setupSearch,
  component: lazyRouteComponent(() => import('./pages/setup/setup-page.tsx'), 'SetupPage'),
})

const allowClient = createRoute({
  getParentRoute: () => signedIn,
  path: '/allow-client',
  validateSearch: allowClientSearch,
  component: lazyRouteComponent(() => import('./pages/allow-client/allow-client-page.tsx'), 'AllowClientPage'),
})

const device = createRoute({
  getParentRoute: () => signedIn,
  path: '/device',
  validateSearch: deviceSearch,
  component: lazyRouteComponent(() => import('./pages/device/device-page.tsx'), 'DevicePage'),
})

/** Pages inside the frame. */
const frame = createRoute({ getParentRoute: () => signedIn, id: 'frame', component: InstallFrame })

const home = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/home/home-page.tsx'), 'HomePage'),
})
const belowLibraries = createRoute({ getParentRoute: () => frame, path: '/libraries' })
const libraries = createRoute({
  getParentRoute: () => belowLibraries,
  path: '/',
  validateSearch: librariesSearch,
  search: { middlewares: [stripSearchParams(librariesSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/libraries/libraries-page.tsx'), 'LibrariesPage'),
})
/** `_splat` is the library's id without its first slash: a repository name may contain "@" and a version. */
const library = createRoute({
  getParentRoute: () => belowLibraries,
  path: '$',
  validateSearch: librarySearch,
  search: { middlewares: [stripSearchParams(librarySearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/library/library-page.tsx'), 'LibraryPage'),
})
const add = createRoute({
  getParentRoute: () => frame,
  path: '/add',
  validateSearch: addSearch,
  search: { middlewares: [stripSearchParams(addSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/add/add-page.tsx'), 'AddPage'),
})
const queue = createRoute({
  getParentRoute: () => frame,
  path: '/queue',
  validateSearch: queueSearch,
  component: lazyRouteComponent(() => import('./pages/queue/queue-page.tsx'), 'QueuePage'),
})
const search = createRoute({
  getParentRoute: () => frame,
  path: '/search',
  validateSearch: searchParams,
  search: { middlewares: [stripSearchParams(searchParams.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/search/search-page.tsx'), 'SearchPage'),
})
const playground = createRoute({
  getParentRoute: () => frame,
  path: '/playground',
  validateSearch: playgroundSearch,
  search: { middlewares: [({ search, next }) => shortSearch(next(search)), stripSearchParams(playgroundSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage'),
})
const usage = createRoute({
  getParentRoute: () => frame,
  path: '/usage',
  validateSearch: usageSearch,
  search: { middlewares: [stripSearchParams(usageSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
})
const connect = createRoute({
  getParentRoute: () => frame,
  path: '/connect',
  validateSearch: connectSearch,
  search: { middlewares: [stripSearchParams(connectSearch.parse({}))] },
  component: lazyRouteComponent(() => import('./pages/connect/connect-page.tsx'), 'ConnectPage'),
})
const settings = createRoute({
  getParentRoute: () => frame,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
})
const settingsIndex = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/ai-provider', replace: true })
  },
})
const permissions = createRoute({
  getParentRoute: () => settings,
  path: '/permissions',
  component: lazyRouteComponent(() => import('./pages/settings/permissions-page.tsx'), 'PermissionsPage'),
})
const policies = createRoute({
  getParentRoute: () => settings,
  path: '/policies',
  component: lazyRouteComponent(() => import('./pages/settings/policies-page.tsx'), 'PoliciesPage'),
})
const ownCredentials = createRoute({
  getParentRoute: () => settings,
  path: '/change-credentials',
  component: lazyRouteComponent(() => import('./pages/settings/own-credentials-page.tsx'), 'OwnCredentialsPage'),
})
const libraryAccess = createRoute({
  getParentRoute: () => settings,
  path: '/library-access',
  component: lazyRouteComponent(() => import('./pages/settings/library-access-page.tsx'), 'LibraryAccessPage'),
})
const users = createRoute({
  getParentRoute: () => settings,
  path: '/users',
  component: lazyRouteComponent(() => import('./pages/settings/users-page.tsx'), 'UsersPage'),
})
const keys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/settings/keys-page.tsx'), 'KeysPage'),
})
const license = createRoute({
  getParentRoute: () => settings,
  path: '/license',
  component: lazyRouteComponent(() => import('./pages/settings/license-page.tsx'), 'LicensePage'),
})
const auditLog = createRoute({
  getParentRoute: () => settings,
  path: '/audit-log',
  validateSearch: installAuditSearch,
  component: lazyRouteComponent(() => import('./pages/settings/audit-page.tsx'), 'AuditPage'),
})
const feedback = createRoute({
  getParentRoute: () => settings,
  path: '/feedback',
  validateSearch: feedbackSearch,
  component: lazyRouteComponent(() => import('./pages/settings/feedback-page.tsx'), 'FeedbackPage'),
})
const notifications = createRoute({
  getParentRoute: () => settings,
  path: '/notifications',
  component: lazyRouteComponent(() => import('./pages/settings/notifications-page.tsx'), 'NotificationsPage'),
})
const backups = createRoute({
  getParentRoute: () => settings,
  path: '/backups',
  component: lazyRouteComponent(() => import('./pages/settings/backups-page.tsx'), 'BackupsPage'),
})
const support = createRoute({
  getParentRoute: () => settings,
  path: '/support',
  component: lazyRouteComponent(() => import('./pages/settings/support-page.tsx'), 'SupportPage'),
})
const about = createRoute({
  getParentRoute: () => settings,
  path: '/about',
  component: lazyRouteComponent(() => import('./pages/settings/about-page.tsx'), 'AboutPage'),
})
const aiProvider = createRoute({
  getParentRoute: () => settings,
  path: '/ai-provider',
  component: lazyRouteComponent(() => import('./pages/settings/ai-provider-page.tsx'), 'AiProviderPage'),
})
const embedding = createRoute({
  getParentRoute: () => settings,
  path: '/embedding',
  component: lazyRouteComponent(() => import('./pages/settings/embedding-page.tsx'), 'EmbeddingPage'),
})
const singleSignOn = createRoute({
  getParentRoute: () => settings,
  path: '/single-sign-on',
  component: lazyRouteComponent(() => import('./pages/settings/single-sign-on-page.tsx'), 'SingleSignOnPage'),
})
const gitHosts = createRoute({
  getParentRoute: () => settings,
  path: '/git-hosts',
  component: lazyRouteComponent(() => import('./pages/settings/git-hosts-page.tsx'), 'GitHostsPage'),
})
const declaredInGit = createRoute({
  getParentRoute: () => settings,
  path: '/declared-in-git',
  component: lazyRouteComponent(() => import('./pages/settings/declared-in-git-page.tsx'), 'DeclaredInGitPage'),
})
const refreshes = createRoute({
  getParentRoute: () => settings,
  path: '/refreshes',
  component: lazyRouteComponent(() => import('./pages/settings/refreshes-page.tsx'), 'RefreshesPage'),
})
const webhooks = createRoute({
  getParentRoute: () => settings,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/settings/webhooks-page.tsx'), 'WebhooksPage'),
})
const settingsRoutes = [
  settingsIndex,
  aiProvider,
  embedding,
  gitHosts,
  refreshes,
  webhooks,
  declaredInGit,
  permissions,
  policies,
  ownCredentials,
  libraryAccess,
  users,
  singleSignOn,
  keys,
  license,
  auditLog,
  feedback,
  notifications,
  backups,
  support,
  about,
]
const account = createRoute({
  getParentRoute: () => frame,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
})

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
  credentials,
  secondFactor,
  signedIn.addChildren([
    setup,
    allowClient,
    device,
    frame.addChildren([
      home,
      belowLibraries.addChildren([libraries, library]),
      add,
      queue,
      search,
      playground,
      usage,
      connect,
      settings.addChildren(settingsRoutes),
      account,
      help,
      helpDocument,
      apiReference,
      missing,
    ]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: pageMeta('base') || '/',
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
