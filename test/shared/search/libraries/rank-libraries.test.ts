import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ListedLibrary } from '../../../../shared/search/libraries/catalog.ts'
import { buildLibraryIndex } from '../../../../shared/search/libraries/library-index.ts'
import { rankLibraries } from '../../../../shared/search/libraries/rank-libraries.ts'
import { library, shelf } from '../shelf.ts'

const index = buildLibraryIndex(shelf)
const ids = (libraryName: string, query?: string) => rankLibraries(index, { libraryName, query }).map(({ id }) => id)
const first = (libraryName: string, query?: string) => ids(libraryName, query)[0]

describe('the ranking of libraries', () => {
  test('puts a library with the name before those that share a word with it, and omits those that only sound like it', () => {
    expect(ids('react')).toEqual(['/facebook/react', '/facebook/react-native', '/tanstack/query', '/tanstack/table'])
  })

  test('never puts a library that only resembles the name first, whatever the question', () => {
    expect(first('preact', 'react hooks in a react component')).toBe('/preactjs/preact')
    expect(first('spring', 'how to configure security')).toBe('/spring-projects/spring-framework')
  })

  test('puts the exact name first, however well the question fits a similar name', () => {
    const springs = [
      library('/acme/spring', 'Spring'),
      library('/x/springs', 'Springs', { stars: 250_000, description: 'Animate with stiffness and damping' }),
    ]
    const found = rankLibraries(buildLibraryIndex(springs), { libraryName: 'spring', query: 'stiffness and damping to animate' })
    expect(found.map(({ id }) => id)).toEqual(['/acme/spring', '/x/springs'])
  })

  test('uses the question to decide between libraries of the same name', () => {
    expect(ids('sqlx', 'query macro checked at compile time in rust').slice(0, 2)).toEqual(['/launchbadge/sqlx', '/jmoiron/sqlx'])
  })

  test('uses popularity if neither name nor question decides', () => {
    const twins = [
      library('/a/queue', 'Queue', { stars: 3 }),
      library('/b/queue', 'Queue', { stars: 9_000 }),
      library('/c/queue', 'Queue'),
    ]
    expect(rankLibraries(buildLibraryIndex(twins), { libraryName: 'queue' }).map(({ id }) => id)).toEqual([
      '/b/queue',
      '/a/queue',
      '/c/queue',
    ])
  })

  test('treats an unknown popularity as none, so that the path decides', () => {
    const twins = [library('/b/queue', 'Queue', { stars: 0 }), library('/a/queue', 'Queue', { stars: -1 })]
    const ids = rankLibraries(buildLibraryIndex(twins), { libraryName: 'queue' }).map(({ id }) => id)
    expect(ids).toEqual(['/a/queue', '/b/queue'])
  })

  test('puts a parsed library of unknown popularity before famous ones with a similar spelling', () => {
    const own = buildLibraryIndex([library('/vercel/next.js', 'Next.js', { stars: 130_000 }), library('/acme/next', 'Next')])
    expect(rankLibraries(own, { libraryName: 'next' })[0]?.id).toBe('/acme/next')
    expect(rankLibraries(own, { libraryName: 'next.js' })[0]?.id).toBe('/vercel/next.js')
  })

  test('puts a listed path first, whatever the question', () => {
    const own = buildLibraryIndex([
      library('/acme/auth', 'Sign-in'),
      library('/other/acmeauth', 'AcmeAuth', { stars: 250_000, description: 'tokens sessions passwords' }),
    ])
    expect(rankLibraries(own, { libraryName: 'acme/auth', query: 'tokens sessions passwords' })[0]?.id).toBe('/acme/auth')
  })

  test('includes libraries that are not yet ready', () => {
    const parsing = buildLibraryIndex([library('/acme/new', 'Brand new', { state: 'initial', totalSnippets: 0 })])
    expect(rankLibraries(parsing, { libraryName: 'brand new' }).map(({ id }) => id)).toEqual(['/acme/new'])
  })

  test('finds a one-letter name exactly, not all names that begin with it', () => {
    const letters = buildLibraryIndex([library('/r/r-source', 'R'), library('/x/rust', 'Rust'), library('/x/ruby', 'Ruby')])
    expect(rankLibraries(letters, { libraryName: 'r' }).map(({ id }) => id)).toEqual(['/r/r-source'])
  })

  test('finds a library without its name if the question contains most of its description', () => {
    expect(ids('the thing from last week', 'schema validation with static types')).toContain('/colinhacks/zod')
  })

  test('returns at most 30 libraries', () => {
    const many = Array.from({ length: 100 }, (_, i) => library(`/acme/widget-${i}`, `Widget ${i}`))
    expect(rankLibraries(buildLibraryIndex(many), { libraryName: 'widget' })).toHaveLength(30)
  })
})

describe('the choice between similar libraries', () => {
  const between = (libraryName: string, ...libraries: ListedLibrary[]) =>
    rankLibraries(buildLibraryIndex(libraries), { libraryName })[0]?.id
  const famous = { stars: 250_000 }

  test.each<[string, string, ListedLibrary, ...ListedLibrary[]]>([
    [
      'auth.js',
      'one of the names in a title',
      library('/nextauthjs/next', 'NextAuth.js / Auth.js'),
      library('/x/better-auth', 'Better Auth', famous),
    ],
    [
      'psycopg',
      'the name whatever its number',
      library('/psycopg/three', 'Psycopg3'),
      library('/x/psycopgs', 'Psycopgs', famous),
    ],
    ['reactivite', 'the name without its accents', library('/x/a', 'Réactivité'), library('/x/b', 'Reactivites', famous)],
    [
      '@tailwind/forms',
      'a library of the company of that name',
      library('/tailwindlabs/plugins', 'Plugins'),
      library('/x/forms', 'Forms'),
    ],
    [
      'acme/core',
      'a library of the owner over a folder name elsewhere',
      library('/acme/ui', 'Components'),
      library('/x/core', 'Core'),
    ],
    [
      'core',
      'a name over the folder of a package',
      library('/zloirock/core-js', 'core-js'),
      library('/x/y', 'Y', { ...famous, aliases: ['core'] }),
    ],
    ['c#', 'its sign is part of a name', library('/dotnet/csharplang', 'C#'), library('/x/c', 'C', famous)],
    [
      'acme internal-api',
      'the owner written before it',
      library('/acme/internal-api', 'Internal API'),
      library('/x/internal-api', 'Internal API', famous),
    ],
    [
      'core',
      'a name over the folder name of another',
      library('/zloirock/core-js', 'core-js'),
      library('/vuejs/core', 'Vue', famous),
    ],
    [
      'vue docs',
      'the documentation over the library',
      library('/vuejs/docs', 'Vue documentation'),
      library('/vuejs/core', 'Vue', famous),
    ],
    [
      'vue documentation',
      'the documentation, however it is written',
      library('/vuejs/docs', 'Vue Docs'),
      library('/vuejs/core', 'Vue', famous),
    ],
    [
      'python requests',
      'the name behind its language',
      library('/psf/requests', 'Requests'),
      library('/x/uk', 'Python Requests UK', famous),
    ],
    [
      'github:acme/zod',
      'the path behind a package manager',
      library('/acme/zod', 'Fork'),
      library('/colinhacks/zod', 'Zod', famous),
    ],
    ['@types/react', 'what is typed, not the types', library('/facebook/react', 'React'), library('/x/types', 'Types', famous)],
    [
      '@acme/router',
      'a library of the scope over one of the name',
      library('/acme/ui', 'Components'),
      library('/x/router', 'Router'),
    ],
    [
      '@tanstack/react-table',
      'the one of the scope that shares its words',
      library('/tanstack/table', 'TanStack Table'),
      library('/tanstack/query', 'TanStack Query', famous),
    ],
    [
      'zeit/nextjs',
      'the name below an owner it has left',
      library('/vercel/next.js', 'Next.js'),
      library('/zeit/ms', 'ms', famous),
    ],
    [
      'msw',
      'the first letters of its words',
      library('/mswjs/worker', 'Mock Service Worker'),
      library('/x/mswitch', 'mswitch', famous),
    ],
    [
      'i18n',
      'first letter, number of letters between, last letter',
      library('/x/words', 'Internationalization'),
      library('/x/i18', 'I18', famous),
    ],
    [
      'reactflowcomponents',
      'the longest name it begins with',
      library('/xyflow/flow', 'React Flow'),
      library('/facebook/react', 'React'),
    ],
    [
      'acmerouter',
      'owner and name written together',
      library('/acme/router', 'Navigation'),
      library('/x/acme-routing', 'Acme Routers', famous),
    ],
    [
      'laravel livewire',
      'the rarer word',
      library('/livewire/livewire', 'Livewire'),
      library('/laravel/laravel', 'Laravel', famous),
      library('/laravel/docs', 'Laravel Docs'),
    ],
    ['reqct', 'the nearer spelling', library('/facebook/react', 'React'), library('/x/request', 'Request', famous)],
  ])('prefers for $0 $1', (libraryName, _, meant, ...others) => {
    expect(between(libraryName, ...others, meant)).toBe(meant.id)
  })

  test('is the same every time for libraries that nothing distinguishes', () => {
    const twins = [library('/b/queue', 'Queue'), library('/a/queue', 'Queue')]
    expect([between('queue', ...twins), between('queue', ...twins.toReversed())]).toEqual(['/a/queue', '/a/queue'])
  })

  test('includes all libraries of an owner', () => {
    expect(ids('acme')).toEqual(['/acme/internal-api'])
    expect(ids('acme gateway')).toEqual(['/acme/internal-api'])
    expect(ids('tanstack')).toEqual(['/tanstack/query', '/tanstack/table'])
    expect(between('tailwind', library('/tailwindlabs/headlessui', 'Headless UI'))).toBe('/tailwindlabs/headlessui')
  })
})

describe('the mark for an inexact match', () => {
  const marks = (libraryName: string, ...libraries: ListedLibrary[]) =>
    rankLibraries(buildLibraryIndex(libraries), { libraryName }).map(({ id, exact, sameOwner }) =>
      [id, exact === false && (sameOwner ? 'of the owner' : 'similar')].filter(Boolean).join(' '),
    )
  const famous = { stars: 250_000 }
  const reactNative = library('/facebook/react-native', 'React Native', famous)
  const nextJs = library('/vercel/next.js', 'Next.js', famous)
  const vue = library('/vuejs/core', 'Vue')
  const router = library('/vuejs/router', 'Vue Router', famous)

  test('is set if only the owner of the path matches, and ranks it below a library of the name', () => {
    expect(marks('facebook/react', reactNative, library('/reactjs/react.dev', 'React'))).toEqual([
      '/reactjs/react.dev',
      '/facebook/react-native of the owner',
    ])
    expect(marks('facebook/react', reactNative, library('/reactjs/react.dev', 'react.dev'))[0]).toBe('/reactjs/react.dev similar')
    expect(marks('vuejs/vue', router, vue)).toEqual(['/vuejs/core', '/vuejs/router of the owner'])
    expect(marks('nextjs/next-intl', nextJs, library('/amannn/next-intl', 'next-intl'))).toEqual([
      '/amannn/next-intl',
      '/vercel/next.js similar',
    ])
  })

  test.each([
    ['vercel/swr', nextJs],
    ['https://github.com/vercel/swr', nextJs],
    ['vercel/swr', library('/vercel/vercel', 'Vercel')],
    ['hashicorp/vault', library('/hashicorp/terraform', 'Terraform')],
    ['@aws-sdk/client-s3', library('/aws/aws-cdk', 'AWS CDK')],
    ['@aws-sdk/client-s3', library('/aws/aws-sdk-js-v3', 'AWS SDK for JavaScript')],
    ['@hono/zod-openapi', library('/honojs/hono', 'Hono')],
    ['lodash/fp', library('/lodash/lodash', 'Lodash')],
  ])('is set if a library shares only the owner or scope of %s', (libraryName, other) => {
    expect(marks(libraryName, other)).toEqual([`${other.id} of the owner`])
  })

  test.each([
    ['preact', library('/facebook/react', 'React', famous)],
    ['nuxt', nextJs],
    ['jest', library('/nestjs/nest', 'NestJS')],
    ['reqct', library('/facebook/react', 'React')],
    ['kuberntes', library('/kubernetes/kubernetes', 'Kubernetes')],
    ['react', reactNative],
    ['promql', library('/prometheus/prometheus', 'Prometheus')],
    ['ansictl', library('/x/automation', 'Ansible Automation Platform')],
    ['@acme/zod', library('/colinhacks/zod', 'Zod')],
    ['next/image', nextJs],
  ])('is set if the name of a library only resembles %s', (libraryName, other) => {
    expect(marks(libraryName, other)).toEqual([`${other.id} similar`])
  })

  test.each([
    ['k8s', library('/kubernetes/kubernetes', 'Kubernetes')],
    ['drf', library('/encode/django-rest-framework', 'Django REST framework')],
    ['i18n', library('/x/words', 'Internationalization')],
    ['gql', library('/x/graphs', 'GraphQL')],
    ['psql', library('/x/elephant', 'PostgreSQL documentation')],
    ['x4y', library('/acme/xy', 'Xylo Four Yards')],
    ['np', library('/numpy/numpy', 'NumPy')],
    ['torch.nn', library('/pytorch/pytorch', 'PyTorch')],
    ['tokio::spawn', library('/tokio-rs/tokio', 'Tokio')],
    ['next.js 15', nextJs],
    ['NextJS', nextJs],
    ['vercel/next.js', nextJs],
    ['zeit/nextjs', nextJs],
    ['https://github.com/vercel/next.js', nextJs],
    ['vue docs', vue],
    ['python requests', library('/psf/requests', 'Requests')],
    ['@tanstack/react-table', library('/tanstack/table', 'TanStack Table')],
    ['@tanstack/vue-query', library('/tanstack/query', 'TanStack Query', { aliases: ['@tanstack/vue-query'] })],
    ['@prisma/client', library('/prisma/prisma', 'Prisma')],
    ['psycopg', library('/psycopg/three', 'Psycopg3')],
  ])('is not set for an abbreviation, package or spelling of the name: %s', (libraryName, meant) => {
    expect(marks(libraryName, meant)).toEqual([meant.id])
  })
})

describe('a search without a match', () => {
  test.each(['asdfqwerzxcv', 'zzz yyy', '!!!', '   ', '🚀', '@', '/', 'https://', '¿?'])(
    'returns nothing for %j',
    (libraryName) => {
      expect(ids(libraryName)).toEqual([])
    },
  )

  test('returns nothing for a made-up name with an ordinary question', () => {
    expect(ids('qqxyzzy', 'how do I validate the body of a request')).toEqual([])
  })
})

describe('the search with any catalogue and any text', () => {
  const word = fc.constantFrom(
    'next',
    'react',
    'query',
    'js',
    'docs',
    'core',
    'acme',
    'api',
    'vue',
    '3',
    'ui',
    'go',
    'sql',
    '支付',
    'é',
  )
  const title = fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.constantFrom(' ', '-', '.', ''))
    .map(([words, glue]) => words.join(glue))
  const listed = fc.record({
    owner: word,
    repo: title,
    title,
    description: fc.string(),
    stars: fc.integer({ min: -1, max: 300_000 }),
  })
  const catalogue = fc
    .uniqueArray(listed, { minLength: 1, maxLength: 12, selector: ({ owner, repo }) => `${owner}/${repo}`.toLowerCase() })
    .map((rows) => rows.map(({ owner, repo, ...row }) => library(`/${owner}/${repo.replaceAll(' ', '_')}`, row.title, row)))
  const typed = fc.oneof(title, fc.string({ maxLength: 500 }), fc.string({ unit: 'binary', maxLength: 100 }), fc.webUrl())

  test('a search never throws, and its order does not depend on the order of the catalogue', () => {
    fc.assert(
      fc.property(catalogue, typed, fc.option(typed, { nil: undefined }), (libraries, libraryName, query) => {
        const asked = { libraryName, query }
        const forwards = rankLibraries(buildLibraryIndex(libraries), asked)
        expect(rankLibraries(buildLibraryIndex(libraries.toReversed()), asked)).toEqual(forwards)
      }),
    )
  })

  test('a library whose path is searched for ranks first', () => {
    fc.assert(
      fc.property(catalogue, fc.nat(), fc.option(typed, { nil: undefined }), (libraries, which, query) => {
        const wanted = libraries[which % libraries.length]?.id ?? ''
        const same = (id: string) => id.replace(/[^\p{L}\p{N}/]/gu, '')
        const found = rankLibraries(buildLibraryIndex(libraries), { libraryName: wanted, query })
        expect(same(found[0]?.id ?? '')).toBe(same(wanted))
      }),
    )
  })

  test('a library whose title is searched for ranks first, with others of the same name', () => {
    const squashed = (text: string) =>
      text
        .normalize('NFKD')
        .replace(/[^\p{L}\p{N}]/gu, '')
        .toLowerCase()
    fc.assert(
      fc.property(catalogue, fc.nat(), (libraries, which) => {
        const wanted = libraries[which % libraries.length]?.title ?? ''
        const [best] = rankLibraries(buildLibraryIndex(libraries), { libraryName: wanted })
        expect([squashed(best?.title ?? ''), squashed(best?.id.split('/')[2] ?? '')]).toContain(squashed(wanted))
      }),
    )
  })

  test.each(['a', '中文', '@', '/', '-', '1.', 'ab ', 'a/', 'v1 ', '++', '(', '.net', '@types/', 'https://a.'])(
    'a search for 500 characters of %j does not fail',
    (part) => {
      const text = part.repeat(500).slice(0, 500)
      expect(rankLibraries(index, { libraryName: text, query: text })).toBeInstanceOf(Array)
    },
  )
})
