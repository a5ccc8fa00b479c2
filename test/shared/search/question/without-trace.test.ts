import { describe, expect, test } from 'vitest'
import { withoutTrace } from '../../../../shared/search/question/without-trace.ts'

const frames = (count: number, line: string) => Array.from({ length: count }, () => line).join('\n')

describe('a question with a pasted error', () => {
  test('keeps the words of the person and the error, and loses the frames of JavaScript', () => {
    const text = `My route fails, what is wrong?\nTypeError: c.req.valid is not a function\n${frames(20, '    at dispatch (/app/node_modules/hono/dist/compose.js:22:17)')}`
    expect(withoutTrace(text)).toBe('My route fails, what is wrong?\nTypeError: c.req.valid is not a function')
  })

  test('keeps the last line of a Python trace and loses the sources of its frames', () => {
    const text = `Traceback (most recent call last):\n  File "/srv/app.py", line 12, in <module>\n    user = User(**data)\n           ^^^^^^^^^^^^\n  File "/usr/lib/pydantic/main.py", line 214, in __init__\n    validated = self.__pydantic_validator__.validate_python(data)\npydantic_core._pydantic_core.ValidationError: 1 validation error for User\nage\n  Input should be a valid integer [type=int_parsing, input_value='x']`
    expect(withoutTrace(text)).toBe(
      "age\nInput should be a valid integer [type=int_parsing, input_value='x']\npydantic_core._pydantic_core.ValidationError: 1 validation error for User",
    )
  })

  test('keeps the first error and its last cause of a Java trace', () => {
    const text = `2026-11-20 10:00:00.123 ERROR BeanCreationException: Error creating bean 'orders'\n${frames(9, '\tat org.springframework.beans.factory.AbstractFactory.create(AbstractFactory.java:600)')}\nCaused by: java.lang.IllegalStateException: middle\n\tat a.b.C.d(C.java:1)\n\t... 23 more\nCaused by: java.sql.SQLException: No suitable driver\n\t... 40 common frames omitted`
    expect(withoutTrace(text)).toBe(
      "BeanCreationException: Error creating bean 'orders'\nCaused by: java.sql.SQLException: No suitable driver",
    )
  })

  test('loses the frames of Go, Rust, Ruby, PHP and Elixir', () => {
    const traces = [
      'panic: runtime error: index out of range\ngoroutine 1 [running]:\nmain.load(0xc000012345, 0x3)\n\t/srv/app/main.go:42 +0x1d',
      'panic: runtime error: index out of range\n   3: std::panicking::begin_panic\n             at /rustc/src/panicking.rs:12',
      "panic: runtime error: index out of range\n\tfrom /srv/app/lib/kit.rb:12:in `run'\n/srv/app/kit.rb:1:in `main'",
      'panic: runtime error: index out of range\n#0 /srv/index.php(12): App->run()\n#1 {main}',
      'panic: runtime error: index out of range\n    (ecto 3.10.1) lib/ecto/repo.ex:12: Ecto.Repo.get/3\n    (kit 0.1.0) lib/kit.ex:3: Kit.run/1',
    ]
    for (const trace of traces) expect(withoutTrace(trace)).toBe('panic: runtime error: index out of range')
  })

  test('stays as it is without a trace', () => {
    for (const text of ['how do I set a cookie?', 'Error: boom', 'one\ntwo\nat the end\nfour'])
      expect(withoutTrace(text)).toBe(text)
  })

  test('is read in linear time', () => {
    const hostile = [`${' '.repeat(20_000)}x`, `File "${'a'.repeat(20_000)}`, '('.repeat(20_000), 'aError'.repeat(4_000)].join(
      '\n',
    )
    expect(withoutTrace(`${hostile}\n at a\n at b`)).toContain('Error')
  })
})
