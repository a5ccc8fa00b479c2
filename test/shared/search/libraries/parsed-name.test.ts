import { describe, expect, test } from 'vitest'
import { buildLibraryIndex } from '../../../../shared/search/libraries/library-index.ts'
import { rankLibraries } from '../../../../shared/search/libraries/rank-libraries.ts'
import { shelf } from '../shelf.ts'

const index = buildLibraryIndex(shelf)
const first = (libraryName: string) => rankLibraries(index, { libraryName })[0]?.id

describe('the search for a parsed library', () => {
  describe.each([
    [
      'by its name, however it is written',
      [
        'Next.js|/vercel/next.js',
        'nextjs|/vercel/next.js',
        'next js|/vercel/next.js',
        'NEXT-JS|/vercel/next.js',
        'scikit_learn|/scikit-learn/scikit-learn',
        'C#|/dotnet/csharplang',
        'c++ core guidelines|/isocpp/guidelines',
        'Réact|/facebook/react',
      ],
    ],
    [
      'by its name without what all names have',
      [
        'next|/vercel/next.js',
        'vue.js|/vuejs/core',
        'tailwind|/tailwindlabs/tailwindcss',
        'hono|/honojs/website',
        'the react library|/facebook/react',
        'spring|/spring-projects/spring-framework',
        'react docs|/facebook/react',
      ],
    ],
    [
      'with a version behind its name',
      [
        'next.js 15|/vercel/next.js',
        'vue3|/vuejs/core',
        'react@18.2.0|/facebook/react',
        'Django v5 LTS|/django/django',
        '/vercel/next.js@v15.1.0|/vercel/next.js',
        '/vercel/next.js/v15.1.0|/vercel/next.js',
        'tf2|/tensorflow/tensorflow',
      ],
    ],
    [
      'by one of its names',
      ['auth.js|/nextauthjs/next-auth', 'internal api|/acme/internal-api', 'acme internal-api|/acme/internal-api'],
    ],
    [
      'by its path or address',
      [
        'vercel/next.js|/vercel/next.js',
        '/acme/internal-api|/acme/internal-api',
        'https://github.com/vercel/next.js/tree/canary/docs|/vercel/next.js',
        'git@github.com:tanstack/table.git|/tanstack/table',
        'github.com/colinhacks/zod|/colinhacks/zod',
        'https://gitlab.com/platform/billing/ledger/-/tree/main|/platform~billing/ledger',
        'https://git.acme.example:8443/acme/internal-api.git|/acme/internal-api',
        'https://nextjs.org/docs/app|/vercel/next.js',
        'https://www.npmjs.com/package/@tanstack/react-query|/tanstack/query',
        'https://pypi.org/project/scikit-learn/|/scikit-learn/scikit-learn',
      ],
    ],
    ['below another owner, since repositories move', ['zeit/next.js|/vercel/next.js', 'somebody/zod|/colinhacks/zod']],
    [
      'by a package of its',
      [
        '@tanstack/react-query|/tanstack/query',
        'react query|/tanstack/query',
        '@tanstack/vue-query@5|/tanstack/query',
        '@hono/zod-validator|/honojs/website',
        'npm:zod|/colinhacks/zod',
        '@types/react|/facebook/react',
        'org.springframework.boot:spring-boot|/spring-projects/spring-boot',
        'Microsoft.EntityFrameworkCore|/dotnet/efcore',
        'react/jsx-runtime|/facebook/react',
        'sklearn.linear_model|/scikit-learn/scikit-learn',
        'tensorflow::Session|/tensorflow/tensorflow',
        'psycopg2|/psycopg/psycopg',
      ],
    ],
    [
      'by a short form or import name',
      [
        'k8s|/kubernetes/website',
        'sklearn|/scikit-learn/scikit-learn',
        'drf|/encode/django-rest-framework',
        'ts|/microsoft/typescript',
        'react-dom|/facebook/react',
        'react table|/tanstack/table',
      ],
    ],
    [
      'with a slip of the keyboard',
      [
        'reat|/facebook/react',
        'djagno|/django/django',
        'tanstak query|/tanstack/query',
        'kubernets|/kubernetes/website',
        'tpyescript|/microsoft/typescript',
        'sprng security|/spring-projects/spring-security',
        'djagno 5|/django/django',
      ],
    ],
    [
      'by the beginning of its name',
      ['kube|/kubernetes/website', 'postgres|/postgres/postgres', 'tensor|/tensorflow/tensorflow'],
    ],
    [
      'by a Chinese name or question word',
      ['微信支付|/wechatpay/docs', '微信支付 SDK|/wechatpay/docs', '支付接口|/wechatpay/docs', 'vue中文文档|/vuejs/core'],
    ],
    [
      'by words of its description',
      ['schema validation|/colinhacks/zod', 'a library for billing and invoices|/acme/internal-api'],
    ],
  ])('%s', (_, cases) => {
    test.each(cases.map((each) => each.split('|')))('finds $1 first with "$0"', (libraryName = '', id) => {
      expect(first(libraryName)).toBe(id)
    })
  })
})
