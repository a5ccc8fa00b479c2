import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { fairLimit } from '../../../shared/time/fair-limit.ts'

const { signal } = new AbortController()
const rejection = () => new AppError('search_failed', 'Too much waits.')

/** Takes the only turn until it is ended. */
function takeTurn({ run }: ReturnType<typeof fairLimit>) {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { end: resolve, ended: run(() => promise, signal) }
}

test('work whose caller hung up while it waited leaves no trace', async () => {
  const its = fairLimit({ maxRunning: 1, maxWaiting: 1, rejection })
  const turn = takeTurn(its)
  const registry = new FinalizationRegistry(() => {
    freed += 1
  })
  let freed = 0
  for (let i = 0; i < 100; i++) {
    const hungUp = new AbortController()
    const work = async () => hungUp
    registry.register(work, undefined)
    const waits = its.run(work, hungUp.signal)
    hungUp.abort(new Error('hung up'))
    await expect(waits).rejects.toThrow('hung up')
  }
  await new Promise((resolve) => setImmediate(resolve))
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  await expect.poll(() => freed).toBeGreaterThan(90)
  turn.end()
  await turn.ended
})

test('the two queues take turns, and the second one leaves places for the first', async () => {
  const its = fairLimit({ maxRunning: 1, maxWaiting: 4, maxSecondWaiting: 2, rejection })
  const turn = takeTurn(its)
  const order: string[] = []
  const wait = (name: string, line: 'first' | 'second') => its.run(async () => void order.push(name), signal, line)
  const waiting = [wait('second 1', 'second'), wait('second 2', 'second')]
  await expect(wait('second 3', 'second')).rejects.toThrow('Too much waits.')
  waiting.push(wait('first 1', 'first'), wait('first 2', 'first'))
  await expect(wait('first 3', 'first')).rejects.toThrow('Too much waits.')
  turn.end()
  await Promise.all(waiting)
  expect(order).toEqual(['second 1', 'first 1', 'second 2', 'first 2'])
})

test('a rejection is delayed while the work that it must not disturb runs, and ends with its caller', async () => {
  const its = fairLimit({ maxRunning: 1, maxWaiting: 0, rejections: { minMs: 1e6, maxMs: 1e6, eachMs: 0 }, rejection })
  const turn = takeTurn(its)
  const leaving = new AbortController()
  let isRejected = false
  const rejected = its
    .run(async () => undefined, leaving.signal)
    .catch((error: unknown) => {
      isRejected = true
      return error
    })
  turn.end()
  await turn.ended
  expect(await its.run(async () => 'next', signal)).toBe('next')
  expect(isRejected).toBe(false)
  leaving.abort(new Error('hung up'))
  expect(await rejected).toEqual(new Error('hung up'))
})

test('a rejection is thrown after its delay', async () => {
  const its = fairLimit({ maxRunning: 1, maxWaiting: 0, rejections: { minMs: 1, maxMs: 5, eachMs: 1 }, rejection })
  const turn = takeTurn(its)
  await expect(its.run(async () => undefined, signal)).rejects.toThrow('Too much waits.')
  turn.end()
  await turn.ended
})

test('a delayed rejection does not delay the end of the process', async () => {
  const stop = new AbortController()
  const rejections = { minMs: 1e6, maxMs: 1e6, eachMs: 0 }
  const its = fairLimit({ maxRunning: 1, maxWaiting: 0, rejections, stopping: stop.signal, rejection })
  const turn = takeTurn(its)
  const delayed = its.run(async () => undefined, signal)
  stop.abort()
  await expect(delayed).rejects.toThrow('Too much waits.')
  await expect(its.run(async () => undefined, signal)).rejects.toThrow('Too much waits.')
  turn.end()
  await turn.ended
})
