import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type JobLlmLimits, jobLlm } from '../../../shared/ai/job-llm.ts'
import { providerRefusal } from '../../../shared/ai/provider-refusal.ts'
import { AppError } from '../../../shared/errors.ts'
import { fakeLlm } from '../../fixtures/fake-llm.ts'

const request = { instructions: 'Say yes.', input: '', answer: z.string(), maxAnswerTokens: 100 }
const down = () => {
  throw new AppError('timeout', 'The provider does not answer.', { retry: 'limited' })
}

const refusal = () =>
  providerRefusal(
    { name: 'Anthropic', model: 'm', settings: 'llm', secrets: [] },
    { status: 400, headers: {}, body: Buffer.from('{"error":{"message":"no"}}') },
  )

function job(limits: Partial<JobLlmLimits> = {}, spentTokens = 0) {
  const llm = fakeLlm({ tokens: 100 })
  llm.answers(() => 'yes')
  const said: string[] = []
  const ending = new AbortController()
  const asking = jobLlm(llm, {
    limits: { jobTokens: 1_000, jobMs: 60_000, ...limits },
    spentTokens,
    signal: ending.signal,
    say: (line) => said.push(line),
    retries: { pausesMs: [1, 1], maxPauseMs: 100 },
  })
  return { llm, said, asking, ending }
}

test('the tokens of earlier attempts of a job count towards its budget', async () => {
  const { asking, said } = job({ jobTokens: 1_000 }, 750)
  expect([await asking.ask(request), await asking.ask(request), await asking.ask(request)]).toEqual(['yes', 'yes', undefined])
  expect(asking.spent()).toBe(950)
  expect(said).toEqual(['The language model is no longer used: the budget of 1000 tokens is used up; the rest stays as it is.'])
})

test('closing sends no further requests and waits for those in flight, so that their tokens are counted', async () => {
  const { asking, llm } = job()
  const answer = Promise.withResolvers<string>()
  llm.answers(() => answer.promise)
  const first = asking.ask(request)
  await vi.waitFor(() => expect(llm.asked).toHaveLength(1), 120_000)
  const closed = asking.close().then(() => asking.spent())
  const second = asking.ask(request)
  answer.resolve('yes')
  expect([await closed, await first, await second, llm.asked.length]).toEqual([100, 'yes', undefined, 1])
})

test('a request in flight reserves its maximum cost', async () => {
  const { asking, llm } = job({ jobTokens: 350 })
  await Promise.all(Array.from({ length: 10 }, () => asking.ask(request)))
  expect(llm.asked).toHaveLength(3)
})

test('an unreadable response costs its tokens', async () => {
  const { asking, llm } = job({ jobTokens: 650 })
  llm.answers(() => (llm.asked.length % 3 === 0 ? 'yes' : 7))
  expect([await asking.ask(request), asking.spent()]).toEqual(['yes', 300])
  expect([await asking.ask(request), asking.spent()]).toEqual(['yes', 600])
  expect(await asking.ask(request)).toBeUndefined()
  expect(llm.asked).toHaveLength(6)
})

test('a transient failure is retried', async () => {
  const { asking, llm } = job()
  llm.answers(() => (llm.asked.length < 3 ? down() : 'yes'))
  expect(await asking.ask(request)).toBe('yes')
  expect(asking.ended()).toBeUndefined()
})

test('a model that fails three times in a row receives no further requests', async () => {
  const { asking, llm, said } = job()
  llm.answers(down)
  for (let n = 0; n < 5; n++) expect(await asking.ask(request)).toBeUndefined()
  expect(llm.asked).toHaveLength(3 * 3)
  expect(said).toEqual(['The language model is no longer used: The provider does not answer.'])
  expect(asking.ended()).toMatchObject({ code: 'timeout', retry: 'limited' })
})

test('a permanent failure ends the use of the model after one request', async () => {
  const { asking, llm, said } = job()
  llm.answers(() => {
    throw new TypeError('undefined is not a function')
  })
  expect([await asking.ask(request), await asking.ask(request)]).toEqual([undefined, undefined])
  expect(llm.asked).toHaveLength(1)
  expect(said).toEqual(['The language model is no longer used: It failed unexpectedly.'])
})

test('a rejected request does not end the use of the model', async () => {
  const { asking, llm, said } = job({ jobTokens: 100_000 })
  llm.answers(() => {
    if (llm.asked.length % 2 === 1) throw refusal()
    return 'yes'
  })
  let rejected = 0
  for (let n = 0; n < 30; n++) await asking.ask(request, () => rejected++)
  expect([rejected, said]).toEqual([15, []])
})

test('ten rejected requests in a row end the use of the model', async () => {
  const { asking, llm, said } = job({ jobTokens: 100_000 })
  llm.answers(() => {
    throw refusal()
  })
  for (let n = 0; n < 30; n++) expect(await asking.ask(request)).toBeUndefined()
  expect([llm.asked.length, said.length]).toEqual([10, 1])
})

test('the model receives no request after the time of its job is used up', async () => {
  const { asking, llm, said } = job({ jobMs: -1 })
  expect(await asking.ask(request)).toBeUndefined()
  expect(llm.asked).toEqual([])
  expect(said[0]).toContain('is used up')
})

test('a job that ends sends no further requests and reports no fault of the model', async () => {
  const { asking, ending, said } = job()
  ending.abort()
  expect(await asking.ask(request)).toBeUndefined()
  expect(said).toEqual([])
})
