/** Numbers that are appended. */
export type NumberList = { numbers: Int32Array; length: number }

export const numberList = (...numbers: number[]): NumberList => ({
  numbers: Int32Array.from(numbers.length > 0 ? numbers : new Int32Array(16)),
  length: numbers.length,
})

export function addNumber(list: NumberList, number: number): void {
  if (list.length === list.numbers.length) {
    const grown = new Int32Array(2 * list.length)
    grown.set(list.numbers)
    list.numbers = grown
  }
  list.numbers[list.length] = number
  list.length += 1
}
