import { describe, expect, test } from 'vitest'
import { AppError } from '../../../../shared/errors.ts'
import { findRef, readAdvertisedRefs, readListedRefs, readPackets } from '../../../../shared/reading/git/remote-refs.ts'
import { failure } from '../../../fixtures/failure.ts'

const a = 'a'.repeat(40)
const b = 'b'.repeat(40)
const c = 'c'.repeat(40)

const readAll = async (body: string) => {
  const packets: (string | null)[] = []
  for await (const line of readPackets(Buffer.from(body), [])) packets.push(line)
  return packets
}

const refusal = (attempt: () => unknown): string => {
  try {
    attempt()
  } catch (error) {
    return error instanceof AppError ? `${error.code}: ${error.message}` : String(error)
  }
  return 'accepted'
}

describe('the list of refs', () => {
  test('is read from protocol 2, with annotated tags as their commit', async () => {
    const lines = [`${a} HEAD symref-target:refs/heads/next`, `${a} refs/heads/next`, `${b} refs/tags/v1 peeled:${c}`, null]
    expect(await readListedRefs(lines)).toEqual({
      refs: new Map([
        ['refs/heads/next', a],
        ['refs/tags/v1', c],
      ]),
      defaultRef: 'refs/heads/next',
    })
  })

  test('is read from the first protocols too', async () => {
    const lines = [
      `${a} HEAD\0multi_ack symref=HEAD:refs/heads/next agent=git`,
      `${a} refs/heads/next`,
      `${c} refs/pull/1/head`,
      `${b} refs/tags/v1`,
      `${c} refs/tags/v1^{}`,
      null,
    ]
    expect(await readAdvertisedRefs(lines)).toEqual({
      refs: new Map([
        ['refs/heads/next', a],
        ['refs/tags/v1', c],
      ]),
      defaultRef: 'refs/heads/next',
    })
  })

  test('has a likely default branch if the host names none', async () => {
    expect((await readListedRefs([`${b} HEAD`, `${a} refs/heads/main`, `${b} refs/heads/trunk`])).defaultRef).toBe(
      'refs/heads/trunk',
    )
    expect((await readListedRefs([`${c} HEAD`, `${a} refs/heads/main`])).defaultRef).toBeUndefined()
  })

  test('omits ref names that git itself would reject or misread', async () => {
    const hostile = ['refs/heads/a:b', 'refs/heads/*', 'refs/heads/a\x1b[2J', '--upload-pack=x', `refs/heads/${'x'.repeat(300)}`]
    expect((await readListedRefs([...hostile.map((name) => `${a} ${name}`), `nonsense refs/heads/main`])).refs.size).toBe(0)
  })

  test.each(['', '0000', '0008main0001'])('may contain any packets: %j', async (body) => {
    await expect(readAll(body)).resolves.toBeInstanceOf(Array)
  })

  test.each(['<html>', '0003', 'ffff', '00', '-001', '0009main'])(
    'is rejected if it consists of no packets: %j',
    async (body) => {
      expect(await failure(readAll(body))).toMatchObject({
        code: 'provider_unavailable',
        message: 'The host did not respond in the git protocol.',
      })
    },
  )

  test('is read in small slices, so that the server keeps responding', async () => {
    const body = Buffer.from(Array.from({ length: 150_000 }, (_, n) => packet(`${a} refs/tags/v${n}`)).join(''))
    let turns = 0
    const counting = setInterval(() => {
      turns += 1
    })
    const { refs } = await readListedRefs(readPackets(body, []))
    clearInterval(counting)
    expect(refs.size).toBe(150_000)
    expect(turns).toBeGreaterThan(10)
  })

  test.each(['0000', '0004', packet(`${a} refs/tags/v1`)])('is rejected if it does not end: %j', async (part) => {
    expect(await failure(readAll(part.repeat(200_001)))).toMatchObject({
      code: 'library_too_large',
      message: 'The repository lists more branches and tags than can be read (200,000).',
      retry: 'never',
    })
  })
})

describe('a branch or tag', () => {
  const remote = {
    refs: new Map([
      ['refs/heads/main', a],
      ['refs/heads/v1', a],
      ['refs/heads/release/4', b],
      ['refs/tags/v1', b],
    ]),
    defaultRef: 'refs/heads/main',
  }

  test.each([
    [undefined, 'refs/heads/main', 'main'],
    ['main', 'refs/heads/main', 'main'],
    ['release/4', 'refs/heads/release/4', 'release/4'],
    ['release~4', 'refs/heads/release/4', 'release/4'],
    ['v1', 'refs/tags/v1', 'v1'],
    ['refs/heads/v1', 'refs/heads/v1', 'v1'],
    ['1', 'refs/tags/v1', 'v1'],
  ])('is found by the name %s as %s', (name, ref, short) => {
    expect(findRef(remote, name)).toMatchObject({ ref, name: short })
  })

  test('is rejected with the existing ones if it does not exist', () => {
    expect(refusal(() => findRef(remote, 'v9'))).toMatchInlineSnapshot(
      `"tag_not_found: The repository has no branch or tag "v9". Did you mean v1? It has branches main, v1, release/4; tags v1."`,
    )
  })

  test('is rejected with the last ten branches and tags if there are many', () => {
    const refs = new Map(Array.from({ length: 30 }, (_, n) => [`refs/tags/v${n + 10}`, a]))
    expect(refusal(() => findRef({ refs, defaultRef: undefined }, 'v9'))).toMatchInlineSnapshot(
      `"tag_not_found: The repository has no branch or tag "v9". Did you mean v19 or v29 or v39? It has no branches; tags v30, v31, v32, v33, v34, v35, v36, v37, v38, v39 and 20 more."`,
    )
    expect(refusal(() => findRef({ refs, defaultRef: undefined }))).toMatch(
      /^tag_not_found: The repository has no default branch/,
    )
  })

  test('is not found in an empty repository', () => {
    expect(refusal(() => findRef({ refs: new Map(), defaultRef: undefined }, 'main'))).toBe(
      'no_snippets_found: The repository is empty: it has no commit yet.',
    )
  })
})

function packet(line: string): string {
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}`
}
