import { expect, test } from 'vitest'
import { questionParts } from '../../../../shared/search/question/question-parts.ts'

test('several questions in one text are its parts', () => {
  expect(questionParts('How do I define a route? And how can I test the route handler?\n1. log all requests')).toEqual([
    'How do I define a route',
    'And how can I test the route handler',
    'log all requests',
  ])
  expect(questionParts('validate a form body and how to show the errors')).toEqual([
    'validate a form body',
    'how to show the errors',
  ])
  expect(questionParts('I need:\n- read a cookie\n- redirect to login')).toEqual(['read a cookie', 'redirect to login'])
})

test('one question has no parts', () => {
  for (const question of [
    'how do I set and read a cookie?',
    'the call returns at once; how do I know it is done?',
    'search and replace',
    'v2? routes',
    'why?',
    '',
  ])
    expect(questionParts(question)).toEqual([])
})
