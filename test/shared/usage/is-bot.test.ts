import { expect, test } from 'vitest'
import { isBot } from '../../../shared/usage/is-bot.ts'

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0)',
  'Scrapy crawler',
  'my-bot',
  'LINKCRAWLER/1',
])('the User-Agent "%s" is a bot', (agent) => {
  expect(isBot(agent)).toBe(true)
})

test.each([
  '',
  'curl/8.5.0',
  'node',
  'undici',
  'python-requests/2.32',
  'claude-code/2.1.0 (cli)',
  'Boto3/1.34 Botocore/1.34',
  'Mozilla/5.0 (Linux; Android 9; CUBOT_X18_Plus) AppleWebKit/537.36',
  'bottle/0.12',
  `agent ${'x'.repeat(10_000)} bot`,
])('the User-Agent "%s" is a user', (agent) => {
  expect(isBot(agent)).toBe(false)
})
