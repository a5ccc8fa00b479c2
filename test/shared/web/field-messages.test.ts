import { expect, test } from 'vitest'
import { ApiError, fieldMessages } from '../../../shared/web/api/api-error.ts'

test.each([
  ['must not be empty', 'Must not be empty'],
  ['other.example.com is not among the hosts.', 'other.example.com is not among the hosts.'],
  ['localhost:3000 is an address that is never asked.', 'localhost:3000 is an address that is never asked.'],
  ['https://docs.example.com/ responded.', 'https://docs.example.com/ responded.'],
])('the error "%s" of a field is shown as "%s"', (message, shown) => {
  const error = new ApiError(400, { fields: [{ path: 'url', message }] })
  expect(fieldMessages(error)).toEqual({ url: shown })
})
